/* SPDX-License-Identifier: MIT */
// Measures how long the tool takes to start, from fork() to the exit: `reachctl
// flags 0`, which sends nothing to the kernel, as Sources/reachctl/Makefile
// builds the tool.
// The yardstick is an empty Swift program, which loads Swift's runtime as
// shared libraries. The two take turns, and the ratio is that of the minima.
//
//   start TOOL EMPTY [--short]
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GOAL	     2.0
#define ROUNDS	     300
#define ROUNDS_SHORT 60

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Nanoseconds that @program takes; ends the process if it fails. */
static int64_t run(const char *program)
{
	char *const arguments[] = { (char *)program, "flags", "0", NULL };
	const int64_t start = now();
	const pid_t child = fork();
	int status;

	if (child == 0) {
		dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
		execv(program, arguments);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
		fprintf(stderr, "start: %s failed\n", program);
		exit(1);
	}
	return now() - start;
}

static int64_t least(int64_t left, int64_t right)
{
	return left < right ? left : right;
}

int main(int argc, char **argv)
{
	int rounds = ROUNDS;
	int64_t tool = INT64_MAX, empty = INT64_MAX;
	double ratio;

	if (argc < 3)
		return 64;
	if (argc > 3 && strcmp(argv[3], "--short") == 0)
		rounds = ROUNDS_SHORT;
	for (int i = 0; i < rounds; i++) {
		tool = least(tool, run(argv[1]));
		empty = least(empty, run(argv[2]));
	}
	ratio = (double)tool / (double)empty;
	printf("reachctl flags 0: %.2f ms, an empty Swift program: %.2f ms, "
	       "ratio %.2f (goal %.1f)%s\n",
	       (double)tool / 1e6, (double)empty / 1e6, ratio, GOAL,
	       ratio > GOAL ? "  OVER ITS LIMIT" : "");
	return ratio > GOAL;
}
