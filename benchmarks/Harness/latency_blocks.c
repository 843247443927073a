/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "latency.h"

/* Changes per block, and uncounted ones before it: any process is slower at
 * first. */
#define CHANGES 200
#define WARMUP	20

/* A verdict that takes longer, in nanoseconds, is missed. A busy machine can
 * stop a process for seconds, but a lost verdict never comes. */
#define PATIENCE      INT64_C(10000000000)
#define PATIENCE_PEER INT64_C(500000000)

static void post(void *board, bool reachable)
{
	board_post(board, reachable);
}

static void __attribute__((noreturn)) become(const struct contender *contender,
					     const char *directory,
					     struct board *board, int fd)
{
	char path[4096], number[16];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pin(1);
	if (contender->run)
		contender->run(contender, board);
	if (contender->peer)
		contender->peer(BOARD_TARGET, post, board);
	snprintf(path, sizeof(path), "%s/%s", directory, contender->program);
	snprintf(number, sizeof(number), "%d", fd);
	execl(path, path, number, contender->mode, NULL);
	perror(path);
	exit(1);
}

struct board *latency_start(struct contender *contender, const char *directory)
{
	const int fd = board_create();
	struct board *board = fd < 0 ? NULL : board_map(fd);
	const int64_t begin = board_now();

	if (!board)
		die("board");
	contender->child = fork();
	if (contender->child == 0)
		become(contender, directory, board, fd);
	close(fd);
	while (board_verdict(board) < 0) {
		if (board_now() - begin > 6 * PATIENCE) {
			fprintf(stderr, "%s: no verdict\n", contender->name);
			exit(1);
		}
		usleep(1000);
	}
	return board;
}

void latency_stop(struct contender *contender, struct board *board)
{
	int status;

	/* A contender doesn't end by itself. */
	if (waitpid(contender->child, &status, WNOHANG) != 0) {
		fprintf(stderr, "%s: ended, status %#x\n", contender->name,
			status);
		exit(1);
	}
	kill(contender->child, SIGKILL);
	waitpid(contender->child, NULL, 0);
	board_unmap(board);
}

/* CPU time of the contender so far, in microseconds. */
static double spent(const struct contender *contender)
{
	struct timespec time;
	clockid_t clock;

	if (clock_getcpuclockid(contender->child, &clock) ||
	    clock_gettime(clock, &time))
		die("clock_getcpuclockid");
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

int64_t latency_toggle(const struct contender *contender, struct board *board,
		       int fd, bool add)
{
	const int64_t patience = contender->may_miss ? PATIENCE_PEER : PATIENCE;
	const int64_t begin = board_now();

	change_defaults(fd, INET, add);
	while (board_verdict(board) != add)
		if (board_now() - begin > patience)
			return -1;
	return board_time(board) - begin;
}

static int order(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double latency_median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), order);
	return count ? values[count / 2] : 0;
}

void latency_pause(void)
{
	usleep(300 + (useconds_t)(rand() % 600));
}

void latency_block(struct contender *contender, const char *directory, int fd)
{
	struct board *board = latency_start(contender, directory);
	double samples[CHANGES], begin = 0;
	size_t count = 0;
	int i;

	for (i = 0; i < WARMUP + CHANGES; i++) {
		/* After a missed verdict, the board may show this one. */
		const bool is_news = board_verdict(board) != i % 2;
		int64_t time;

		if (i == WARMUP)
			begin = spent(contender);
		time = latency_toggle(contender, board, fd, i % 2);
		if (time < 0)
			contender->missed++;
		else if (i >= WARMUP && is_news)
			samples[count++] = (double)time / 1000;
		latency_pause();
	}
	if (count) {
		double *figures = contender->blocks[contender->count++];

		figures[P50] = latency_median(samples, count);
		figures[P99] = samples[count * 99 / 100];
		figures[CPU] = (spent(contender) - begin) / CHANGES;
	}
	latency_stop(contender, board);
}
