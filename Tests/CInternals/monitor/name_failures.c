/* SPDX-License-Identifier: MIT */
/* Names that can't be resolved, either temporarily or for good. */
#include <errno.h>
#include <sys/resource.h>

#include "monitor/answer.h"
#include "monitor/monitor.h"
#include "names/script.h"

#define OUTAGES 8

static struct reach_monitor *open_with_name(int first, uint64_t *id)
{
	struct reach_monitor *monitor = answer_open(script_serve, NULL);

	script_server.answer = first;
	script_server.last = 2;
	script_server.calls = 0;
	*id = answer_watch_name(monitor, "name.test");
	return monitor;
}

/* Dispatches until the resolver has been called again (@calls: its earlier
 * calls) and its result has been processed. */
static bool await_call(struct reach_monitor *monitor, int calls)
{
	while (script_server.calls == calls)
		if (!answer_step(monitor))
			return false;
	check_await_threads();
	return answer_rest(monitor);
}

static void failures_have_reasons(void)
{
	static const struct {
		int answer;
		enum reach_reason reason;
		int error;
	} table[] = {
		{ -ENOENT, REACH_REASON_NO_SUCH_NAME, 0 },
		{ -ENODATA, REACH_REASON_NO_ADDRESS, 0 },
		{ -EAGAIN, REACH_REASON_RESOLVER_FAILED, 0 },
		{ 0, REACH_REASON_NO_ADDRESS, 0 },
		{ -ENETUNREACH, REACH_REASON_NO_NETWORK, 0 },
		{ -EIO, REACH_REASON_RESOLVER_FAILED, 0 },
		{ -EMFILE, REACH_REASON_RESOLVER_FAILED, EMFILE },
		{ -ENFILE, REACH_REASON_RESOLVER_FAILED, ENFILE },
		{ -ENOMEM, REACH_REASON_RESOLVER_FAILED, ENOMEM },
		{ 1, REACH_REASON_NONE, 0 },
	};
	struct reach_state state;

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		uint64_t id;
		SCOPED_MONITOR *monitor = open_with_name(table[i].answer, &id);

		CHECK(answer_await_reason(monitor, id, table[i].reason,
					  &state));
		CHECK(state.resolution == REACH_RESOLUTION_DONE);
		CHECK(!state.flags == (table[i].answer != 1));
		CHECK(state.error == table[i].error);
		/* A failure is replaced by a later success. */
		if (table[i].answer < 1) {
			script_server.answer = 1;
			reach_monitor_refresh(monitor);
			CHECK(answer_await_reason(monitor, id,
						  REACH_REASON_NONE, &state));
		}
	}
}

static int dispatch(void *monitor)
{
	return reach_monitor_dispatch(monitor);
}

/* Without a thread that could resolve, the state says so, until there is one. */
static void a_lack_of_threads_is_a_reason(void)
{
	struct reach_state state = { .size = sizeof(state) };
	uint64_t id;
	SCOPED_MONITOR *monitor = open_with_name(1, &id);

	CHECK(check_without_threads(dispatch, monitor) >= 0);
	CHECK(!reach_monitor_state(monitor, id, &state));
	CHECK(state.resolution == REACH_RESOLUTION_DONE);
	CHECK(state.reason == REACH_REASON_RESOLVER_FAILED);
	CHECK(state.error == ENOMEM && !script_server.calls);
	CHECK(answer_await_reason(monitor, id, REACH_REASON_NONE, &state));
}

/* A temporary failure keeps the addresses and says that they are outdated. If
 * the host has a network, a client would fail, too. A lack of descriptors says
 * nothing of the name. */
static void what_is_known_for_certain_takes_addresses(void)
{
	static const int temporary[] = { -ENETUNREACH, -EMFILE, -EAGAIN, -EIO };
	struct reach_state state = { .size = sizeof(state) };
	uint64_t id;
	SCOPED_MONITOR *monitor = open_with_name(1, &id);

	CHECK(answer_await_reason(monitor, id, REACH_REASON_NONE, &state));
	for (int i = 0; i < 4; i++) {
		const int calls = script_server.calls;

		script_server.answer = temporary[i];
		reach_monitor_refresh(monitor);
		CHECK(await_call(monitor, calls));
		CHECK(!reach_monitor_state(monitor, id, &state));
		CHECK(state.address_count == 1);
		CHECK(state.resolution == REACH_RESOLUTION_OUTDATED);
		CHECK(!state.flags == (i > 1));
		CHECK(i < 2 || state.reason == REACH_REASON_RESOLVER_FAILED);
	}
	script_server.answer = 1;
	reach_monitor_refresh(monitor);
	CHECK(answer_await_reason(monitor, id, REACH_REASON_NONE, &state));
	CHECK(state.resolution == REACH_RESOLUTION_DONE && state.flags);
	script_server.answer = -ENOENT;
	reach_monitor_refresh(monitor);
	CHECK(answer_await_reason(monitor, id, REACH_REASON_NO_SUCH_NAME,
				  &state));
	CHECK(state.address_count == 0);
}

/* Dispatches until no resolution is due or under way. */
static bool settle(struct reach_monitor *monitor)
{
	do {
		while (reach_name_targets_deadline(&monitor->names) !=
		       INT64_MAX)
			if (!answer_step(monitor))
				return false;
		check_await_threads();
		if (!answer_rest(monitor))
			return false;
	} while (reach_name_targets_deadline(&monitor->names) != INT64_MAX);
	return true;
}

/* A name keeps its addresses while the resolver fails. When the network is
 * back, the name is reachable before the resolver answers again. */
static void a_name_outlives_outages(void)
{
	struct reach_state state;
	uint64_t id;
	SCOPED_MONITOR *monitor = open_with_name(1, &id);

	CHECK(answer_await_reason(monitor, id, REACH_REASON_NONE, &state));
	for (int i = 0; i < OUTAGES; i++) {
		const int calls = script_server.calls;

		script_server.answer = -EAGAIN;
		CHECK(answer_ip("link set e0 down"));
		CHECK(i > 2 || await_call(monitor, calls));
		CHECK(answer_await_reason(monitor, id, REACH_REASON_NO_ROUTE,
					  &state));
		CHECK(!state.flags && state.address_count == 1);
		CHECK(answer_ip("link set e0 up"));
		CHECK(answer_await_reason(monitor, id, REACH_REASON_NONE,
					  &state));
		CHECK(i > 2 || state.resolution == REACH_RESOLUTION_OUTDATED);
		script_server.answer = 1;
		while (state.resolution != REACH_RESOLUTION_DONE)
			if (!CHECK(answer_await_reason(
				    monitor, id, REACH_REASON_NONE, &state)))
				break;
		/* The next failure must not come before the next outage. */
		CHECK(settle(monitor));
	}
}

/* Without descriptors, resolv.conf isn't watched until the network changes. */
static void a_watch_that_failed_is_tried_again(void)
{
	struct rlimit limit, before;
	SCOPED_MONITOR *monitor = NULL;
	uint64_t id;

	monitor = open_with_name(1, &id);
	CHECK(monitor->names.files != NULL);
	reach_resolver_files_destroy(monitor->names.files);
	monitor->names.files = NULL;
	getrlimit(RLIMIT_NOFILE, &before);
	limit = before;
	limit.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &limit);
	reach_monitor_refresh(monitor);
	CHECK(answer_rest(monitor) && !monitor->names.files);
	setrlimit(RLIMIT_NOFILE, &before);
	reach_monitor_refresh(monitor);
	CHECK(answer_rest(monitor) && monitor->names.files);
}

static void try(void *context)
{
	(void)context;
	a_lack_of_threads_is_a_reason();
	failures_have_reasons();
	what_is_known_for_certain_takes_addresses();
	a_name_outlives_outages();
	a_watch_that_failed_is_tried_again();
}

void test_name_failures(void)
{
	static const struct topology cable = { "names in an outage",
					       { CABLE } };

	answer_in(&cable, try, NULL);
}
