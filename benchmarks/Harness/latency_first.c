/* SPDX-License-Identifier: MIT */
#include "latency.h"

/* Idle time before each change, in microseconds. Whatever a contender prepares
 * after its first answer is done then. Even the raw socket takes twice as long
 * after it as after 0.5 ms. */
#define IDLE 20000

/* Later changes in each process. */
#define LATER 9

/* How far a ratio may exceed its goal. */
#define ROOM 1.3

struct row {
	struct contender contender;
	/* Goal for the ratio of the first event to later ones in the same
	 * process; 0 for none. */
	double goal;
	/* Goal for its ratio to GLib's first event. */
	double of_glib;
	/* Microseconds, by round; 0 if missed. */
	double first[LATENCY_PROCESSES];
	double later[LATENCY_PROCESSES];
};

/* The first monitor of a process meets code that was never run, so only the
 * second one has a goal. */
static struct row rows[] = {
	{ .contender = { .name = "raw",
			 .run = latency_raw,
			 .may_miss = true } },
	{ .contender = { .name = "library", .run = latency_library } },
	{ .contender = { .name = "second", .run = latency_library_second },
	  .goal = 1.3 },
	{ .contender = { .name = "listener",
			 .program = "LatencyListener",
			 .mode = "listener" },
	  .of_glib = 1 },
	{ .contender = { .name = "libnl",
			 .peer = peer_libnl,
			 .may_miss = true } },
	{ .contender = { .name = "GLib",
			 .peer = peer_glib,
			 .may_miss = true } },
};

#define COUNT (sizeof(rows) / sizeof(*rows))

/* Makes one change. @return microseconds, 0 if the verdict was missed. */
static double change(struct contender *contender, struct board *board, int fd)
{
	const bool add = board_verdict(board) == 0;
	const int64_t time = latency_toggle(contender, board, fd, add);

	if (time < 0)
		contender->missed++;
	return time < 0 ? 0 : (double)time / 1000;
}

/* Starts a process, and measures its first event and later ones. */
static void run(struct row *row, const char *directory, int fd, int round)
{
	struct contender *contender = &row->contender;
	struct board *board = latency_start(contender, directory);
	double later[LATER];
	size_t count = 0;
	int i;

	/* The changes that the first monitor of the process takes. */
	for (i = 0; contender->run == latency_library_second &&
		    i < LATENCY_FIRST_MONITOR;
	     i++) {
		(void)change(contender, board, fd);
		latency_pause();
	}
	usleep(IDLE);
	row->first[round] = change(contender, board, fd);
	for (i = 0; i < LATER; i++) {
		usleep(IDLE);
		later[count] = change(contender, board, fd);
		count += later[count] > 0;
	}
	row->later[round] = latency_median(later, count);
	latency_stop(contender, board);
}

/* The median of @values, or of their ratios to @yardstick, over the rounds in
 * which neither was missed. */
static double over(const double *values, const double *yardstick, int rounds)
{
	double known[LATENCY_PROCESSES];
	size_t count = 0;
	int i;

	for (i = 0; i < rounds; i++)
		if (values[i] > 0 && (!yardstick || yardstick[i] > 0))
			known[count++] = yardstick ? values[i] / yardstick[i]
						   : values[i];
	return latency_median(known, count);
}

static bool report(const struct row *row, int rounds)
{
	const struct contender *contender = &row->contender;
	const double ratio = over(row->first, row->later, rounds);
	const double to_glib = over(row->first, rows[COUNT - 1].first, rounds);
	const bool bad = (row->goal > 0 && ratio > row->goal * ROOM) ||
			 (row->of_glib > 0 && to_glib > row->of_glib * ROOM) ||
			 (contender->missed && !contender->may_miss);
	char goal[16] = "-", name[32];

	if (row->goal > 0)
		snprintf(goal, sizeof(goal), "%.2f", row->goal);
	snprintf(name, sizeof(name), "first, %s", contender->name);
	printf("%-16s %9.1f %9.1f %7.2f %7.2f %7.2f %7s %7zu%s\n", name,
	       over(row->first, NULL, rounds), over(row->later, NULL, rounds),
	       over(row->first, rows[0].first, rounds), to_glib, ratio, goal,
	       contender->missed, bad ? " FAILED" : "");
	return !bad;
}

bool latency_first(const char *directory, int fd, int processes)
{
	bool met = true;
	size_t i;
	int round;

	for (round = 0; round < processes; round++)
		for (i = 0; i < COUNT; i++)
			run(&rows[i], directory, fd, round);
	printf("%-16s %9s %9s %7s %7s %7s %7s %7s\n", "", "first us",
	       "later us", "x raw", "x GLib", "x later", "goal", "missed");
	for (i = 0; i < COUNT; i++)
		met &= report(&rows[i], processes);
	return met;
}
