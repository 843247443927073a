/* SPDX-License-Identifier: MIT */
// Measures the first answer of a process that has just started: from fork() to
// the verdict on a pipe. Runs in a namespace of its own with 10, 100,000, and
// 1,000,000 routes.
//
// first_answer DIRECTORY [--short]
//
// DIRECTORY has the contenders, programs made from first_answer_contender.c.
// benchmarks/harness.sh builds and runs them all, each linked with shared
// libraries.
//
// raw is one RTM_GETROUTE. The contenders take turns. Ratios compare their
// fastest rounds with raw's, since other load on the machine only adds time. The
// time in main() also has a limit for its growth with the number of routes.
// --short leaves out the last table, and runs contenders that read tables only
// with the first one.
#include <fcntl.h>
#include <math.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "../Sources/CBoard/include/CBoard.h"
#include "first_answer.h"
#include "network.h"

/* Goals: 1.5 times raw, 80 microseconds in main(), and with a million routes
 * 1.2 times the time in main() with ten. On a busy machine, times need room.
 * The time in main() needs most: the caches hold other processes' data, and
 * other processes hold RTNL. */
#define RATIO_MAX   1.5
#define RATIO_ROOM  1.25
#define MAIN_MAX    80.0
#define MAIN_ROOM   1.6
#define GROWTH_MAX  1.2
#define GROWTH_ROOM 1.1

#define ROUNDS	     300
#define ROUNDS_SHORT 100

/* A contender whose fastest turn took more microseconds has few turns. */
#define SLOW 20000

/* Seconds that a contender may take. */
#define PATIENCE 20

struct contender {
	const char *name;
	const char *program;
	const char *target;
	/* The goals apply to it. */
	bool is_limited;
	/* For contenders that read the table: with more routes, they would not
	 * end. */
	long routes_max;
	/* The fastest rounds, from fork() on and in main(), in microseconds;
	 * INFINITY for none. */
	double wall;
	double inside;
	/* In main() with the first table. */
	double first;
	bool is_wrong;
};

#define OURS(text, what)                                                       \
	{ .name = text,                                                        \
	  .program = "library",                                                \
	  .target = what,                                                      \
	  .is_limited = true }
#define PEER(text, file, most)                                                 \
	{ .name = text,                                                        \
	  .program = file,                                                     \
	  .target = BOARD_TARGET,                                              \
	  .routes_max = most }

static struct contender contenders[] = {
	{ .name = "raw", .program = "raw", .target = BOARD_TARGET },
	OURS("libreach.so, address", BOARD_TARGET),
	OURS("libreach.so, internet", "0.0.0.0"),
	PEER("GLib can_reach", "glib", 1000000),
	PEER("libnl route cache", "libnl", 100000),
};

#define COUNT (sizeof(contenders) / sizeof(*contenders))

static const char *directory;

static void __attribute__((noreturn)) become(const struct contender *contender,
					     int report)
{
	char path[4096];

	dup2(report, FIRST_ANSWER_FD);
	alarm(PATIENCE);
	snprintf(path, sizeof(path), "%s/%s", directory, contender->program);
	execl(path, contender->program, contender->target, NULL);
	_exit(127);
}

static void take(double *least, int64_t nanoseconds)
{
	const double time = (double)nanoseconds / 1000;

	*least = time < *least ? time : *least;
}

static void run(struct contender *contender)
{
	struct first_answer answer = { 0 };
	const int64_t begin = board_now();
	int64_t wall;
	int ends[2], status;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC))
		die("pipe2");
	child = fork();
	if (child < 0)
		die("fork");
	if (child == 0)
		become(contender, ends[1]);
	close(ends[1]);
	if (read(ends[0], &answer, sizeof(answer)) < 0)
		die("read");
	wall = board_now() - begin;
	close(ends[0]);
	waitpid(child, &status, 0);
	if (!answer.reachable) {
		contender->is_wrong = true;
		return;
	}
	take(&contender->wall, wall);
	take(&contender->inside, answer.time);
}

/* The text to print instead of figures, or NULL. */
static const char *excuse(const struct contender *contender)
{
	if (contender->is_wrong)
		return "no right answer in time";
	return contender->wall < INFINITY ? NULL : "left out";
}

/* Whether the times are within the limits. @raw is the yardstick's time, @growth
 * the ratio to the first table. */
static bool is_fine(const struct contender *c, double raw, double growth)
{
	return !c->is_limited || (c->wall / raw <= RATIO_MAX * RATIO_ROOM &&
				  c->inside <= MAIN_MAX * MAIN_ROOM &&
				  growth <= GROWTH_MAX * GROWTH_ROOM);
}

/* @return whether the contender is within its limits. */
static bool print(struct contender *c, double raw)
{
	double growth;
	bool fine;

	/* A peer may never end. */
	if (excuse(c)) {
		printf("  %-22s %s\n", c->name, excuse(c));
		return !c->is_limited;
	}
	if (c->first <= 0)
		c->first = c->inside;
	growth = c->inside / c->first;
	fine = is_fine(c, raw, growth);
	printf("  %-22s %9.1f %7.2f %9.1f %7.2f%s\n", c->name, c->wall,
	       c->wall / raw, c->inside, growth,
	       fine ? "" : "  OVER ITS LIMIT");
	return fine;
}

/* Whether @contender has a turn in @round: slow ones, which read the whole
 * table, have only three. */
static bool takes_part(const struct contender *contender, long routes,
		       int round)
{
	if (contender->is_wrong)
		return false;
	if (contender->routes_max && routes > contender->routes_max)
		return false;
	return round < 3 || contender->wall <= SLOW;
}

/* All contenders take turns, so that other load affects all of them. */
static bool compare(long routes, int rounds)
{
	bool fine = true;
	size_t i;
	int k;

	for (i = 0; i < COUNT; i++) {
		contenders[i].wall = contenders[i].inside = INFINITY;
		contenders[i].is_wrong = false;
	}
	for (k = 0; k < rounds; k++)
		for (i = 0; i < COUNT; i++)
			if (takes_part(&contenders[i], routes, k))
				run(&contenders[i]);
	printf("%-24ld %9s %7s %9s %7s\n", routes, "wall us", "x raw",
	       "main us", "growth");
	for (i = 0; i < COUNT; i++)
		fine &= print(&contenders[i], contenders[0].wall);
	return fine;
}

/* Adds the routes from @from up to @to; none of them covers the target. */
static void add_routes(long from, long to)
{
	FILE *ip = popen("ip -batch -", "w");

	if (!ip)
		die("ip");
	for (; from < to; from++)
		fprintf(ip, "route add 20.%ld.%ld.%ld/32 via 10.9.0.2\n",
			from >> 16 & 255, from >> 8 & 255, from & 255);
	if (pclose(ip))
		die("ip route add");
}

int main(int argc, char **argv)
{
	const bool is_short = argc > 2 && strcmp(argv[2], "--short") == 0;
	const long counts[] = { 10, 100000, is_short ? 0 : 1000000 };
	bool fine = true;
	long routes = 0;
	size_t i;

	if (argc < 2)
		return 64;
	directory = argv[1];
	enter_namespace();
	/* Without the privilege, fewer rounds are undisturbed. */
	(void)setpriority(PRIO_PROCESS, 0, -20);
	for (i = 0; is_short && i < COUNT; i++)
		if (contenders[i].routes_max)
			contenders[i].routes_max = counts[0];
	for (i = 0; i < 3 && counts[i]; i++) {
		add_routes(routes, counts[i]);
		routes = counts[i];
		fine &= compare(routes, is_short ? ROUNDS_SHORT : ROUNDS);
	}
	return fine ? 0 : 1;
}
