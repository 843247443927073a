/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "names/names.h"
#include "names/script.h"

#define WORKERS REACH_RESOLVER_SHARE

static void the_descriptor_tells_of_results(struct check *check)
{
	struct reach_resolved result;
	struct reach_resolver *resolver;
	struct script script;
	int fd;

	script_open(&script);
	resolver = script_resolver(&script);
	fd = reach_resolver_fd(resolver);
	CHECK(check, !check_readable(fd));
	CHECK(check, !reach_resolver_next(resolver, &result));
	CHECK(check, !reach_resolver_submit(resolver, 9, "5", 0));
	CHECK(check, check_wait(fd));
	CHECK(check, reach_resolver_next(resolver, &result) == 1);
	CHECK(check, result.id == 9 && !result.error && result.count == 1);
	CHECK(check, script_number(&result.addresses[0]) == 5);
	CHECK(check, !reach_resolver_next(resolver, &result));
	CHECK(check, !check_readable(fd));
	reach_resolver_release(resolver);
	CHECK(check, script_all_ended(&script));
	script_close(&script);
}

static void results_are_what_the_resolver_says(struct check *check)
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
	struct reach_resolver *resolver;
	struct script script;

	script_open(&script);
	resolver = script_resolver(&script);
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct reach_resolved result;
		bool ordered = true;

		reach_resolver_submit(resolver, i, table[i].name, 0);
		CHECK(check, script_result(resolver, &result));
		CHECK(check, result.id == i);
		CHECK(check, result.error == table[i].error);
		CHECK(check, result.count == table[i].count);
		for (size_t j = 1; j < result.count; j++)
			ordered &= script_number(&result.addresses[j]) == j;
		CHECK(check, ordered);
	}
	reach_resolver_release(resolver);
	CHECK(check, script_all_ended(&script));
	script_close(&script);
}

static void one_that_hangs_delays_no_other(struct check *check)
{
	struct reach_resolver *resolver;
	struct reach_resolved result;
	struct script script;

	script_open(&script);
	resolver = script_resolver(&script);
	for (uint64_t id = 1; id < WORKERS; id++)
		CHECK(check, !reach_resolver_submit(resolver, id, "hang", 0));
	for (uint64_t id = 100; id < 120; id++) {
		CHECK(check, !reach_resolver_submit(resolver, id, "3", 0));
		CHECK(check, script_result(resolver, &result));
		CHECK(check, result.id == id);
	}
	CHECK(check, script_await(script.hanging[0], WORKERS - 1));
	script_let_go(script.gate[1], WORKERS - 1);
	for (int i = 1; i < WORKERS; i++)
		CHECK(check, script_result(resolver, &result) &&
				     script_number(result.addresses) == 77);
	reach_resolver_release(resolver);
	CHECK(check, script_all_ended(&script));
	script_close(&script);
}

/* All workers hang, jobs are queued, and a result waits. The release returns at
 * once, and the last worker frees everything. */
static void release_waits_for_nobody(struct check *check)
{
	struct reach_resolver *resolver;
	struct script script;
	int before;

	script_open(&script);
	before = check_descriptors();
	resolver = script_resolver(&script);
	reach_resolver_submit(resolver, 1, "1", 0);
	CHECK(check, check_wait(reach_resolver_fd(resolver)));
	CHECK(check, script_all_ended(&script));
	for (uint64_t id = 2; id < 2 + 2 * WORKERS; id++)
		reach_resolver_submit(resolver, id, "hang", 0);
	CHECK(check, script_await(script.hanging[0], WORKERS));
	CHECK(check, check_resolver_threads() <= WORKERS);
	reach_resolver_release(resolver);
	CHECK(check, !check_readable(script.ended[0]));
	script_let_go(script.gate[1], WORKERS);
	CHECK(check, script_all_ended(&script));
	CHECK(check, check_descriptors() == before);

	resolver = script_resolver(&script);
	reach_resolver_release(resolver);
	reach_resolver_release(NULL);
	CHECK(check, check_descriptors() == before);
	script_close(&script);
}

static void what_is_cancelled_never_comes(struct check *check)
{
	struct reach_resolver *resolver;
	struct reach_resolved result;
	struct script script;

	script_open(&script);
	resolver = script_resolver(&script);
	reach_resolver_cancel(resolver, 1);
	for (uint64_t id = 1; id <= WORKERS; id++)
		reach_resolver_submit(resolver, id, "hang", 0);
	CHECK(check, script_await(script.hanging[0], WORKERS));
	for (uint64_t id = 120; id <= 124; id++)
		reach_resolver_submit(resolver, id, "1", 0);
	/* Cancels running jobs, and the queue's first, middle, and last. */
	for (uint64_t id = 2; id <= WORKERS; id++)
		reach_resolver_cancel(resolver, id);
	reach_resolver_cancel(resolver, 120);
	reach_resolver_cancel(resolver, 122);
	reach_resolver_cancel(resolver, 124);
	reach_resolver_cancel(resolver, 124);
	/* Each worker comes back for one of these. */
	for (uint64_t id = 200; id < 200 + WORKERS; id++)
		reach_resolver_submit(resolver, id, "wait", 0);
	script_let_go(script.gate[1], WORKERS);
	CHECK(check, script_await(script.hanging[0], WORKERS));
	/* The results 1, 121, and 123 wait; 121 is cancelled. */
	reach_resolver_cancel(resolver, 121);
	CHECK(check, script_result(resolver, &result));
	CHECK(check, result.id == 1 || result.id == 123);
	CHECK(check, reach_resolver_next(resolver, &result) == 1);
	CHECK(check, result.id == 1 || result.id == 123);
	CHECK(check, !reach_resolver_next(resolver, &result));
	reach_resolver_release(resolver);
	script_let_go(script.second_gate[1], WORKERS);
	CHECK(check, script_all_ended(&script));
	script_close(&script);
}

static void the_latest_submission_counts(struct check *check)
{
	struct reach_resolver *resolver;
	struct reach_resolved result;
	struct script script;
	int good = 0;

	script_open(&script);
	resolver = script_resolver(&script);
	for (uint64_t id = 1; id <= WORKERS; id++)
		reach_resolver_submit(resolver, id, "hang", 0);
	CHECK(check, script_await(script.hanging[0], WORKERS));
	/* Replaces running jobs, then queued ones. */
	for (uint64_t id = 1; id <= WORKERS; id++)
		reach_resolver_submit(resolver, id, "1", 0);
	for (uint64_t id = 1; id <= WORKERS; id++)
		reach_resolver_submit(resolver, id, "2", 0);
	for (uint64_t id = 201; id <= 200 + WORKERS; id++)
		reach_resolver_submit(resolver, id, "wait", 0);
	script_let_go(script.gate[1], WORKERS);
	CHECK(check, script_await(script.hanging[0], WORKERS));
	/* Replaces a job whose result hasn't been taken yet. */
	reach_resolver_submit(resolver, 5, "wait", 0);
	for (int i = 1; i < WORKERS; i++)
		good += reach_resolver_next(resolver, &result) == 1 &&
			result.id != 5 && result.count == 1 &&
			script_number(result.addresses) == 2;
	CHECK(check, good == WORKERS - 1);
	CHECK(check, !reach_resolver_next(resolver, &result));
	reach_resolver_release(resolver);
	script_let_go(script.second_gate[1], WORKERS);
	CHECK(check, script_all_ended(&script));
	script_close(&script);
}

static void a_thousand_names_each_get_their_answer(struct check *check)
{
	struct reach_resolver *resolver;
	struct reach_resolved result;
	struct script script;
	int good = 0, times[1001] = { 0 };

	script_open(&script);
	resolver = script_resolver(&script);
	for (uint64_t id = 1; id <= WORKERS; id++)
		reach_resolver_submit(resolver, id, "hang", 0);
	CHECK(check, script_await(script.hanging[0], WORKERS));
	script_let_go(script.gate[1], WORKERS);
	for (int i = 0; i < WORKERS; i++)
		CHECK(check, script_result(resolver, &result));
	for (uint64_t id = 1; id <= 1000; id++) {
		char name[8];

		snprintf(name, sizeof(name), "%d", (int)id);
		reach_resolver_submit(resolver, id, name, 0);
	}
	for (int i = 0; i < 1000 && script_result(resolver, &result); i++)
		good += result.id <= 1000 && ++times[result.id] == 1 &&
			result.count == 1 &&
			script_number(result.addresses) == result.id;
	CHECK(check, good == 1000);
	CHECK(check, !reach_resolver_next(resolver, &result));
	reach_resolver_release(resolver);
	CHECK(check, script_all_ended(&script));
	script_close(&script);
}

void test_resolver(struct check *check)
{
	/* First, because it counts threads. */
	release_waits_for_nobody(check);
	the_descriptor_tells_of_results(check);
	results_are_what_the_resolver_says(check);
	one_that_hangs_delays_no_other(check);
	what_is_cancelled_never_comes(check);
	the_latest_submission_counts(check);
	a_thousand_names_each_get_their_answer(check);
}
