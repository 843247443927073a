/* SPDX-License-Identifier: MIT */
/* The threads that all resolvers of the process share. */
#include <unistd.h>

#include "monitor/monitor.h"
#include "names/names.h"
#include "names/script.h"

#define WORKERS	 REACH_RESOLVER_THREADS
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

/* A worker ends even though its resolver has more jobs, so that a resolver
 * without a worker can start one. The remaining jobs go to the next free
 * worker. */
static void a_long_queue_starves_no_other(struct check *check)
{
	struct reach_resolver *greedy, *modest;
	struct reach_resolved result;
	struct script script;

	script_open(&script);
	greedy = script_resolver(&script);
	modest = script_resolver(&script);
	for (uint64_t id = 1; id <= WORKERS; id++)
		CHECK(check, !reach_resolver_submit(greedy, id, "hang", 0));
	CHECK(check, script_await(script.hanging[0], WORKERS));
	for (uint64_t id = 101; id <= 100 + WORKERS; id++)
		CHECK(check, !reach_resolver_submit(greedy, id, "hang", 0));
	CHECK(check, reach_resolver_deadline(greedy) == INT64_MAX);
	CHECK(check, !reach_resolver_submit(modest, 1, "5", 0));
	CHECK(check, reach_resolver_deadline(modest) != INT64_MAX);
	reach_resolver_retry(modest, reach_resolver_deadline(modest));
	CHECK(check, !reach_resolver_next(modest, &result));
	script_let_go(script.gate[1], 1);
	CHECK(check, script_await(script.ended[0], 1));
	CHECK(check,
	      hurry(modest, &result) && script_number(result.addresses) == 5);
	CHECK(check, reach_resolver_deadline(modest) == INT64_MAX);
	CHECK(check, script_await(script.ended[0], 1));
	CHECK(check, reach_resolver_deadline(greedy) != INT64_MAX);
	reach_resolver_retry(greedy, reach_resolver_deadline(greedy));
	CHECK(check, script_await(script.hanging[0], 1));
	script_let_go(script.gate[1], 2 * WORKERS - 1);
	for (int i = 0; i < 2 * WORKERS; i++)
		CHECK(check, script_result(greedy, &result));
	reach_resolver_release(greedy);
	reach_resolver_release(modest);
	script.workers -= 2;
	CHECK(check, script_all_ended(&script));
	script_close(&script);
}

/* A resolver that stops waiting for a slot no longer holds back the others. */
static void who_waits_no_more_is_not_waited_for(struct check *check)
{
	struct reach_resolver *busy, *waiting[2];
	struct reach_resolved result;
	struct script script;

	script_open(&script);
	busy = script_resolver(&script);
	for (uint64_t id = 1; id <= WORKERS; id++)
		CHECK(check, !reach_resolver_submit(busy, id, "hang", 0));
	CHECK(check, script_await(script.hanging[0], WORKERS));
	for (int i = 0; i < 2; i++) {
		waiting[i] = script_resolver(&script);
		CHECK(check, !reach_resolver_submit(waiting[i], 1, "5", 0));
	}
	reach_resolver_cancel(waiting[0], 1);
	CHECK(check, reach_resolver_deadline(waiting[0]) == INT64_MAX);
	reach_resolver_release(waiting[1]);
	CHECK(check, !reach_resolver_submit(busy, 100, "6", 0));
	script_let_go(script.gate[1], 1);
	for (int i = 0; i < 2; i++)
		CHECK(check, script_result(busy, &result));
	CHECK(check, result.id == 100);
	reach_resolver_release(waiting[0]);
	reach_resolver_release(busy);
	script_let_go(script.gate[1], WORKERS - 1);
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
	for (uint64_t id = 1; id <= WORKERS; id++)
		CHECK(check, !reach_resolver_submit(resolver, id, "hang", 0));
	CHECK(check, script_await(script.hanging[0], WORKERS));
	CHECK(check, check_in_child(resolve_one, NULL) == 0);
	reach_resolver_release(resolver);
	script_let_go(script.gate[1], WORKERS);
	CHECK(check, script_all_ended(&script));
	script_close(&script);
}

void test_resolver_pool(struct check *check)
{
	closed_monitors_leave_few_threads(check);
	a_long_queue_starves_no_other(check);
	who_waits_no_more_is_not_waited_for(check);
	a_child_has_threads_of_its_own(check);
}
