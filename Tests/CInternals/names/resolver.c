/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "names/names.h"
#include "names/script.h"

#define WORKERS REACH_RESOLVER_SHARE

static void the_descriptor_tells_of_results(void)
{
	struct reach_resolved result;
	struct script script;
	struct reach_resolver *resolver = script_begin(&script);
	int fd = reach_resolver_fd(resolver);

	CHECK(!check_readable(fd));
	CHECK(!reach_resolver_next(resolver, &result));
	CHECK(!reach_resolver_submit(resolver, 9, "5", 0));
	CHECK(check_wait(fd));
	CHECK(reach_resolver_next(resolver, &result) == 1);
	CHECK(result.id == 9 && !result.error && result.count == 1);
	CHECK(script_number(&result.addresses[0]) == 5);
	CHECK(!reach_resolver_next(resolver, &result));
	CHECK(!check_readable(fd));
	script_end(&script, resolver);
}

static void results_are_what_the_resolver_says(void)
{
	static const struct {
		const char *name;
		int error;
		size_t count;
	} table[] = {
		{ "none", 0, 0 },    { "fail", -EHOSTDOWN, 0 },
		{ "same", 0, 3 },    { "many", 0, REACH_ADDRESSES_MAX },
		{ "signals", 0, 0 }, { "stack", 0, 0 },
		{ "1", 0, 1 },
	};
	struct script script;
	struct reach_resolver *resolver = script_begin(&script);

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct reach_resolved result;
		bool ordered = true;

		reach_resolver_submit(resolver, i, table[i].name, 0);
		CHECK(script_result(resolver, &result));
		CHECK(result.id == i);
		CHECK(result.error == table[i].error);
		CHECK(result.count == table[i].count);
		for (size_t j = 1; j < result.count; j++)
			ordered &= script_number(&result.addresses[j]) == j;
		CHECK(ordered);
	}
	script_end(&script, resolver);
}

static void one_that_hangs_delays_no_other(void)
{
	struct script script;
	struct reach_resolver *resolver = script_begin(&script);
	struct reach_resolved result;

	script_submit(resolver, 1, WORKERS - 1, "hang");
	for (uint64_t id = 100; id < 120; id++) {
		CHECK(!reach_resolver_submit(resolver, id, "3", 0));
		CHECK(script_result(resolver, &result));
		CHECK(result.id == id);
	}
	CHECK(script_await(script.hanging[0], WORKERS - 1));
	script_let_go(script.gate[1], WORKERS - 1);
	for (int i = 1; i < WORKERS; i++)
		CHECK(script_result(resolver, &result) &&
		      script_number(result.addresses) == 77);
	script_end(&script, resolver);
}

/* All workers hang, jobs are queued, and a result waits. The release returns at
 * once, and the last worker frees everything. */
static void release_waits_for_nobody(void)
{
	struct reach_resolver *resolver;
	struct script script;
	int before;

	script_open(&script);
	before = check_descriptors();
	resolver = script_resolver(&script);
	reach_resolver_submit(resolver, 1, "1", 0);
	CHECK(check_wait(reach_resolver_fd(resolver)));
	CHECK(script_all_ended(&script));
	/* Its thread ends a little later. */
	check_await_threads();
	script_submit(resolver, 2, 1 + 2 * WORKERS, "hang");
	CHECK(script_await(script.hanging[0], WORKERS));
	CHECK(check_resolver_threads() <= WORKERS);
	reach_resolver_release(resolver);
	CHECK(!check_readable(script.ended[0]));
	script_let_go(script.gate[1], WORKERS);
	CHECK(script_all_ended(&script));
	CHECK(check_descriptors() == before);

	resolver = script_resolver(&script);
	reach_resolver_release(resolver);
	reach_resolver_release(NULL);
	CHECK(check_descriptors() == before);
	script_close(&script);
}

static void what_is_cancelled_never_comes(void)
{
	struct script script;
	struct reach_resolver *resolver = script_begin(&script);
	struct reach_resolved result;

	reach_resolver_cancel(resolver, 1);
	script_submit(resolver, 1, WORKERS, "hang");
	CHECK(script_await(script.hanging[0], WORKERS));
	script_submit(resolver, 120, 124, "1");
	/* Cancels running jobs, and the queue's first, middle, and last. */
	for (uint64_t id = 2; id <= WORKERS; id++)
		reach_resolver_cancel(resolver, id);
	reach_resolver_cancel(resolver, 120);
	reach_resolver_cancel(resolver, 122);
	reach_resolver_cancel(resolver, 124);
	reach_resolver_cancel(resolver, 124);
	/* Each worker comes back for one of these. */
	script_submit(resolver, 200, 199 + WORKERS, "wait");
	script_let_go(script.gate[1], WORKERS);
	CHECK(script_await(script.hanging[0], WORKERS));
	/* The results 1, 121, and 123 wait; 121 is cancelled. */
	reach_resolver_cancel(resolver, 121);
	CHECK(script_result(resolver, &result));
	CHECK(result.id == 1 || result.id == 123);
	CHECK(reach_resolver_next(resolver, &result) == 1);
	CHECK(result.id == 1 || result.id == 123);
	CHECK(!reach_resolver_next(resolver, &result));
	reach_resolver_release(resolver);
	script_let_go(script.second_gate[1], WORKERS);
	script_close(&script);
}

static void the_latest_submission_counts(void)
{
	struct script script;
	struct reach_resolver *resolver = script_begin(&script);
	struct reach_resolved result;
	int good = 0;

	script_submit(resolver, 1, WORKERS, "hang");
	CHECK(script_await(script.hanging[0], WORKERS));
	/* Replaces running jobs, then queued ones. */
	script_submit(resolver, 1, WORKERS, "1");
	script_submit(resolver, 1, WORKERS, "2");
	script_submit(resolver, 201, 200 + WORKERS, "wait");
	script_let_go(script.gate[1], WORKERS);
	CHECK(script_await(script.hanging[0], WORKERS));
	/* Replaces a job whose result hasn't been taken yet. */
	reach_resolver_submit(resolver, 5, "wait", 0);
	for (int i = 1; i < WORKERS; i++)
		good += reach_resolver_next(resolver, &result) == 1 &&
			result.id != 5 && result.count == 1 &&
			script_number(result.addresses) == 2;
	CHECK(good == WORKERS - 1);
	CHECK(!reach_resolver_next(resolver, &result));
	reach_resolver_release(resolver);
	script_let_go(script.second_gate[1], WORKERS);
	script_close(&script);
}

void test_resolver(void)
{
	/* First, because it counts threads. */
	release_waits_for_nobody();
	the_descriptor_tells_of_results();
	results_are_what_the_resolver_says();
	one_that_hangs_delays_no_other();
	what_is_cancelled_never_comes();
	the_latest_submission_counts();
}
