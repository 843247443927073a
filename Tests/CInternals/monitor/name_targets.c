/* SPDX-License-Identifier: MIT */
/* Many names: a dispatch submits a bounded number of them to the resolver. The
 * others are submitted as soon as there is room. */
#include <stdio.h>

#include "monitor/monitor.h"
#include "names/names.h"
#include "names/script.h"

#define WORKERS REACH_RESOLVER_SHARE
#define WAITING 1000
#define REMOVED 600
#define NAMES	(WORKERS + WAITING)

struct trial {
	struct check *check;
	struct reach_monitor *monitor;
	struct script script;
	uint64_t ids[NAMES];
};

/* Adds a target with a name of its own. */
static void add(struct trial *trial, size_t at, const char *kind)
{
	struct reach_target target;
	char name[32];

	snprintf(name, sizeof(name), "%s.%zu", kind, at);
	reach_target_init(&target, REACH_TARGET_NAME);
	target.name = name;
	target.policy = REACH_NAME_STRICT;
	CHECK(trial->check,
	      reach_monitor_add(trial->monitor, &target, &trial->ids[at]) == 0);
}

/* Dispatches until there is nothing to do, in fewer than 100 rounds. */
static void rest(struct trial *trial)
{
	const int fd = reach_monitor_fd(trial->monitor);
	int i;

	for (i = 0; i < 100 && check_readable(fd); i++)
		CHECK(trial->check,
		      reach_monitor_dispatch(trial->monitor) >= 0);
	CHECK(trial->check, i < 100);
}

static uint64_t resolutions(const struct trial *trial)
{
	struct reach_stats stats = { .size = sizeof(stats) };

	CHECK(trial->check, reach_monitor_stats(trial->monitor, &stats) == 0);
	return stats.resolutions;
}

/* Dispatches until @wanted names are reported as resolved. Returns how many
 * were. */
static int count_resolved(struct trial *trial, int wanted)
{
	struct reach_change change = { .size = sizeof(change) };
	int told = 0;

	while (told < wanted && check_wait(reach_monitor_fd(trial->monitor))) {
		CHECK(trial->check,
		      reach_monitor_dispatch(trial->monitor) >= 0);
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
	CHECK(trial->check, script_await(trial->script.hanging[0], WORKERS));
	for (i = WORKERS; i < NAMES; i++)
		add(trial, i, "same");
	rest(trial);
}

static bool begin(struct trial *trial)
{
	struct reach_monitor_options options;

	script_open(&trial->script);
	reach_monitor_options_init(&options);
	options.resolve = script_resolve;
	options.resolve_context = &trial->script;
	return CHECK(trial->check,
		     reach_monitor_open(&trial->monitor, &options) == 0);
}

static void end(struct trial *trial)
{
	reach_monitor_close(trial->monitor);
	CHECK(trial->check, script_all_ended(&trial->script));
	script_close(&trial->script);
}

static void remove_some(struct trial *trial, size_t from, size_t to)
{
	for (; from < to; from++)
		CHECK(trial->check,
		      reach_monitor_remove(trial->monitor, trial->ids[from]) ==
			      0);
}

/* The names that the workers resolve are removed. Each worker drops its result
 * and takes another job, which makes room in the queue. Those jobs' names are
 * removed too, so no result tells the monitor that there is room. */
static void places_of_the_removed_are_taken(struct check *check)
{
	struct trial trial = { .check = check };
	size_t i;

	if (!begin(&trial))
		return;
	for (i = 0; i < 410; i++)
		add(&trial, i,
		    i < WORKERS ? "hang"
		    : i < 400	? "wait"
				: "same");
	rest(&trial);
	CHECK(check, script_await(trial.script.hanging[0], WORKERS));
	remove_some(&trial, 0, WORKERS);
	rest(&trial);
	script_let_go(trial.script.gate[1], WORKERS);
	CHECK(check, script_await(trial.script.hanging[0], WORKERS));
	remove_some(&trial, WORKERS, 400);
	script_let_go(trial.script.second_gate[1], WORKERS);
	CHECK(check, count_resolved(&trial, 10) == 10);
	end(&trial);
}

static void a_dispatch_hands_over_so_many(struct check *check)
{
	struct trial trial = { .check = check };
	size_t i;

	if (!begin(&trial))
		return;
	add_all(&trial);
	CHECK(check, resolutions(&trial) == WORKERS + REACH_RESOLVER_MAX);
	/* Removes the names in the queue, and some that wait for room. */
	for (i = WORKERS; i < WORKERS + REMOVED; i++)
		CHECK(check,
		      reach_monitor_remove(trial.monitor, trial.ids[i]) == 0);
	rest(&trial);
	CHECK(check, resolutions(&trial) == WORKERS + 2 * REACH_RESOLVER_MAX);
	script_let_go(trial.script.gate[1], WORKERS);
	CHECK(check,
	      count_resolved(&trial, NAMES - REMOVED) == NAMES - REMOVED);
	end(&trial);
}

void test_name_targets(struct check *check)
{
	a_dispatch_hands_over_so_many(check);
	places_of_the_removed_are_taken(check);
}
