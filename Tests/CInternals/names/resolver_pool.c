/* SPDX-License-Identifier: MIT */
/* The threads that all resolvers of the process share. */

#include "monitor/answer.h"
#include "names/names.h"
#include "names/script.h"

#define WORKERS	 REACH_RESOLVER_THREADS
#define SHARE	 REACH_RESOLVER_SHARE
#define MONITORS 150

/* Opens a monitor with the target @name and dispatches once. */
static struct reach_monitor *open_with_name(struct script *script,
					    const char *name, uint64_t *id)
{
	struct reach_monitor *monitor = answer_open(script_resolve, script);

	*id = answer_watch_name(monitor, name);
	CHECK(reach_monitor_dispatch(monitor) >= 0);
	return monitor;
}

/* Monitors are opened and closed in turn, each with a name that hangs. */
static void closed_monitors_leave_few_threads(void)
{
	struct reach_monitor *monitor;
	int descriptors;
	struct script script;
	uint64_t id;

	script_open(&script);
	descriptors = check_descriptors();
	for (int i = 0; i < MONITORS; i++) {
		monitor = open_with_name(&script, "hang", &id);
		/* Otherwise the monitor might be closed before its worker calls
		 * the resolver. */
		if (i < WORKERS)
			CHECK(script_await(script.hanging[0], 1));
		reach_monitor_close(monitor);
	}
	CHECK(check_resolver_threads() == WORKERS);
	CHECK(check_descriptors() == descriptors);
	monitor = open_with_name(&script, "same", &id);
	CHECK(answer_state(monitor, id).resolution != REACH_RESOLUTION_DONE);
	script_let_go(script.gate[1], 1);
	CHECK(answer_await_resolved(monitor, id));
	reach_monitor_close(monitor);
	script_let_go(script.gate[1], WORKERS - 1);
	CHECK(script_all_ended(&script));
	CHECK(check_descriptors() == descriptors);
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
static void a_long_queue_starves_no_other(void)
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
			CHECK(!reach_resolver_submit(greedy[i], id, "hang", 0));
		CHECK(script_await(script.hanging[0],
				   i ? WORKERS - SHARE : SHARE));
		if (i)
			break;
		CHECK(!reach_resolver_submit(modest, 1, "5", 0));
		CHECK(script_result(modest, &result));
		CHECK(script_await(script.ended[0], 1));
		script.workers--;
	}
	CHECK(!reach_resolver_submit(modest, 1, "5", 0));
	CHECK(reach_resolver_deadline(modest) != INT64_MAX);
	reach_resolver_retry(modest, reach_resolver_deadline(modest));
	CHECK(!reach_resolver_next(modest, &result));
	/* The first has the most that it may have. */
	CHECK(reach_resolver_deadline(greedy[0]) == INT64_MAX);
	reach_resolver_cancel(modest, 1);
	CHECK(reach_resolver_deadline(modest) == INT64_MAX);
	CHECK(!reach_resolver_submit(modest, 2, "5", 0));
	for (id = 5; id <= WORKERS; id++)
		reach_resolver_cancel(greedy[0], id),
			reach_resolver_cancel(greedy[1], id);
	script_let_go(script.gate[1], WORKERS);
	CHECK(script_await(script.ended[0], 1));
	script.workers--;
	CHECK(hurry(modest, &result) && script_number(result.addresses) == 5);
	reach_resolver_release(modest);
	reach_resolver_release(greedy[0]);
	reach_resolver_release(greedy[1]);
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

static void a_child_has_threads_of_its_own(void)
{
	struct script script;
	struct reach_resolver *resolver = script_begin(&script);

	script_submit(resolver, 1, SHARE, "hang");
	CHECK(script_await(script.hanging[0], SHARE));
	CHECK(check_in_child(resolve_one, NULL) == 0);
	script_let_go(script.gate[1], SHARE);
	script_end(&script, resolver);
}

void test_resolver_pool(void)
{
	closed_monitors_leave_few_threads();
	a_long_queue_starves_no_other();
	a_child_has_threads_of_its_own();
}
