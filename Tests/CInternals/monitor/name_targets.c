/* SPDX-License-Identifier: MIT */
/* Many names: a dispatch submits a bounded number of them to the resolver. The
 * others are submitted as soon as there is room. */
#include <stdio.h>

#include "monitor/answer.h"
#include "monitor/monitor.h"
#include "names/names.h"
#include "names/script.h"

#define WORKERS REACH_RESOLVER_SHARE
#define WAITING 1000
#define REMOVED 600
#define NAMES	(WORKERS + WAITING)

struct trial {
	struct reach_monitor *monitor;
	struct script script;
	uint64_t ids[NAMES];
};

/* Adds a target with a name of its own. */
static void add(struct trial *trial, size_t at, const char *kind)
{
	char name[32];

	snprintf(name, sizeof(name), "%s.%zu", kind, at);
	trial->ids[at] = answer_watch_name(trial->monitor, name);
}

/* Dispatches until there is nothing to do, in fewer than 100 rounds. */
static void rest(struct trial *trial)
{
	const int fd = reach_monitor_fd(trial->monitor);
	int i;

	for (i = 0; i < 100 && check_readable(fd); i++)
		CHECK(reach_monitor_dispatch(trial->monitor) >= 0);
	CHECK(i < 100);
}

/* Dispatches until @wanted names are reported as resolved. Returns how many
 * were. */
static int count_resolved(struct trial *trial, int wanted)
{
	struct reach_change change = { .size = sizeof(change) };
	int told = 0;

	while (told < wanted && check_wait(reach_monitor_fd(trial->monitor))) {
		CHECK(reach_monitor_dispatch(trial->monitor) >= 0);
		while (reach_monitor_next(trial->monitor, &change) == 1)
			told += change.state.resolution ==
				REACH_RESOLUTION_DONE;
	}
	return told;
}

static void add_all(struct trial *trial)
{
	size_t i;

	for (i = 0; i < WORKERS; i++)
		add(trial, i, "hang");
	rest(trial);
	CHECK(script_await(trial->script.hanging[0], WORKERS));
	for (i = WORKERS; i < NAMES; i++)
		add(trial, i, "same");
	rest(trial);
}

static void remove_some(struct trial *trial, size_t from, size_t to)
{
	for (; from < to; from++)
		CHECK(reach_monitor_remove(trial->monitor, trial->ids[from]) ==
		      0);
}

/* The names that the workers resolve are removed. Each worker drops its result
 * and takes another job, which makes room in the queue. Those jobs' names are
 * removed too, so no result tells the monitor that there is room. */
static void places_of_the_removed_are_taken(void)
{
	struct trial trial = { 0 };
	size_t i;

	trial.monitor = script_watch(&trial.script);
	for (i = 0; i < 410; i++)
		add(&trial, i,
		    i < WORKERS ? "hang"
		    : i < 400	? "wait"
				: "same");
	rest(&trial);
	CHECK(script_await(trial.script.hanging[0], WORKERS));
	remove_some(&trial, 0, WORKERS);
	rest(&trial);
	script_let_go(trial.script.gate[1], WORKERS);
	CHECK(script_await(trial.script.hanging[0], WORKERS));
	remove_some(&trial, WORKERS, 400);
	script_let_go(trial.script.second_gate[1], WORKERS);
	CHECK(count_resolved(&trial, 10) == 10);
	script_leave(&trial.script, trial.monitor);
}

static void a_dispatch_hands_over_so_many(void)
{
	struct trial trial = { 0 };

	trial.monitor = script_watch(&trial.script);
	add_all(&trial);
	CHECK(answer_stats(trial.monitor).resolutions ==
	      WORKERS + REACH_RESOLVER_MAX);
	/* Removes the names in the queue, and some that wait for room. */
	remove_some(&trial, WORKERS, WORKERS + REMOVED);
	rest(&trial);
	CHECK(answer_stats(trial.monitor).resolutions ==
	      WORKERS + 2 * REACH_RESOLVER_MAX);
	script_let_go(trial.script.gate[1], WORKERS);
	CHECK(count_resolved(&trial, NAMES - REMOVED) == NAMES - REMOVED);
	script_leave(&trial.script, trial.monitor);
}

void test_name_targets(void)
{
	a_dispatch_hands_over_so_many();
	places_of_the_removed_are_taken();
}
