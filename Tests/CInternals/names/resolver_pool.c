/* SPDX-License-Identifier: MIT */
/* The threads that all resolvers of the process share. */
#include <unistd.h>

#include "monitor/monitor.h"
#include "names/names.h"
#include "names/script.h"

#define WORKERS	 REACH_RESOLVER_THREADS
#define SHARE	 REACH_RESOLVER_SHARE
#define MONITORS 150

/* Opens a monitor with the target @name and dispatches once. */
static struct reach_monitor *
open_with_name(struct check *check, struct script *script, const char *name)
{
	struct reach_monitor_options options;
	struct reach_monitor *monitor = NULL;
	struct reach_target target;
	uint64_t id;

	reach_monitor_options_init(&options);
	options.resolve = script_resolve;
	options.resolve_context = script;
	reach_target_init(&target, REACH_TARGET_NAME);
	target.name = name;
	target.policy = REACH_NAME_STRICT;
	if (!CHECK(check, reach_monitor_open(&monitor, &options) == 0))
		return NULL;
	CHECK(check, reach_monitor_add(monitor, &target, &id) == 0);
	CHECK(check, reach_monitor_dispatch(monitor) >= 0);
	return monitor;
}

static bool is_resolved(struct reach_monitor *monitor)
{
	struct reach_change change = { .size = sizeof(change) };

	while (reach_monitor_next(monitor, &change) == 1)
		if (change.state.resolution == REACH_RESOLUTION_DONE)
			return true;
	return false;
}

static bool await_resolved(struct reach_monitor *monitor)
{
	while (check_wait(reach_monitor_fd(monitor))) {
		if (reach_monitor_dispatch(monitor) < 0)
			return false;
		if (is_resolved(monitor))
			return true;
	}
	return false;
}

/* Monitors are opened and closed in turn, each with a name that hangs. */
static void closed_monitors_leave_few_threads(struct check *check)
{
	struct reach_monitor *monitor;
	int descriptors;
	struct script script;

	script_open(&script);
	descriptors = check_descriptors();
	for (int i = 0; i < MONITORS; i++) {
		monitor = open_with_name(check, &script, "hang");
		/* Otherwise the monitor might be closed before its worker calls
		 * the resolver. */
		if (i < WORKERS)
			CHECK(check, script_await(script.hanging[0], 1));
		reach_monitor_close(monitor);
	}
	CHECK(check, check_resolver_threads() == WORKERS);
	CHECK(check, check_descriptors() == descriptors);
	monitor = open_with_name(check, &script, "same");
	CHECK(check, !is_resolved(monitor));
	script_let_go(script.gate[1], 1);
	CHECK(check, await_resolved(monitor));
	reach_monitor_close(monitor);
	script_let_go(script.gate[1], WORKERS - 1);
	CHECK(check, script_all_ended(&script));
	CHECK(check, check_descriptors() == descriptors);
	script_close(&script);
}

/* Gets the next result of @resolver, after a retry that doesn't wait for the
 * resolver's deadline. */
static bool hurry(struct reach_resolver *resolver,
		  struct reach_resolved *result)
{
	reach_resolver_retry(resolver, reach_resolver_deadline(resolver));
	return script_result(resolver, result);
}

/* A resolver with many names that hang leaves threads for others. Without any, a
 * resolver waits. */
static void a_long_queue_starves_no_other(struct check *check)
{
	struct reach_resolver *greedy[2], *modest;
	struct reach_resolved result;
	struct script script;
	uint64_t id;

	script_open(&script);
	modest = script_resolver(&script);
	for (int i = 0; i < 2; i++) {
		greedy[i] = script_resolver(&script);
		for (id = 1; id <= WORKERS; id++)
			CHECK(check,
			      !reach_resolver_submit(greedy[i], id, "hang", 0));
		CHECK(check, script_await(script.hanging[0],
					  i ? WORKERS - SHARE : SHARE));
		if (i)
			break;
		CHECK(check, !reach_resolver_submit(modest, 1, "5", 0));
		CHECK(check, script_result(modest, &result));
		CHECK(check, script_await(script.ended[0], 1));
		script.workers--;
	}
	CHECK(check, !reach_resolver_submit(modest, 1, "5", 0));
	CHECK(check, reach_resolver_deadline(modest) != INT64_MAX);
	reach_resolver_retry(modest, reach_resolver_deadline(modest));
	CHECK(check, !reach_resolver_next(modest, &result));
	/* The first has the most that it may have. */
	CHECK(check, reach_resolver_deadline(greedy[0]) == INT64_MAX);
	reach_resolver_cancel(modest, 1);
	CHECK(check, reach_resolver_deadline(modest) == INT64_MAX);
	CHECK(check, !reach_resolver_submit(modest, 2, "5", 0));
	for (id = 5; id <= WORKERS; id++)
		reach_resolver_cancel(greedy[0], id),
			reach_resolver_cancel(greedy[1], id);
	script_let_go(script.gate[1], WORKERS);
	CHECK(check, script_await(script.ended[0], 1));
	script.workers--;
	CHECK(check,
	      hurry(modest, &result) && script_number(result.addresses) == 5);
	reach_resolver_release(modest);
	reach_resolver_release(greedy[0]);
	reach_resolver_release(greedy[1]);
	CHECK(check, script_all_ended(&script));
	script_close(&script);
}

/* Runs in a child of fork(), which has none of the parent's workers. The child
 * uses its own script: otherwise the parent would count the end of the child's
 * worker as one of its own. */
static int resolve_one(void *context)
{
	struct reach_resolver *resolver;
	struct reach_resolved result;
	struct script script;

	(void)context;
	script_open(&script);
	resolver = script_resolver(&script);
	return reach_resolver_submit(resolver, 1, "5", 0) ||
	       !script_result(resolver, &result) ||
	       script_number(result.addresses) != 5;
}

static void a_child_has_threads_of_its_own(struct check *check)
{
	struct reach_resolver *resolver;
	struct script script;

	script_open(&script);
	resolver = script_resolver(&script);
	for (uint64_t id = 1; id <= SHARE; id++)
		CHECK(check, !reach_resolver_submit(resolver, id, "hang", 0));
	CHECK(check, script_await(script.hanging[0], SHARE));
	CHECK(check, check_in_child(resolve_one, NULL) == 0);
	reach_resolver_release(resolver);
	script_let_go(script.gate[1], SHARE);
	CHECK(check, script_all_ended(&script));
	script_close(&script);
}

void test_resolver_pool(struct check *check)
{
	closed_monitors_leave_few_threads(check);
	a_long_queue_starves_no_other(check);
	a_child_has_threads_of_its_own(check);
}
