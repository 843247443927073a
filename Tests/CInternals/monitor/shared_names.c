/* SPDX-License-Identifier: MIT */
/* Targets with the same name share one name lookup. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "monitor/answer.h"
#include "names/script.h"

#define TARGETS 1000

struct trial {
	struct reach_monitor *monitor;
	uint64_t ids[TARGETS];
};

static uint64_t add_name(struct trial *trial, const char *name, uint32_t policy,
			 uint16_t family)
{
	struct reach_target target = check_target(REACH_TARGET_NAME, name);
	uint64_t id = 0;

	target.policy = policy;
	target.remote.family = family;
	CHECK(reach_monitor_add(trial->monitor, &target, &id) == 0);
	return id;
}

static uint32_t policy_of(size_t i)
{
	return i % 2 ? REACH_NAME_OPTIMISTIC : REACH_NAME_STRICT;
}

static void add_all(struct trial *trial, const char *name)
{
	for (size_t i = 0; i < TARGETS; i++)
		trial->ids[i] = add_name(trial, name, policy_of(i), 0);
}

static void remove_all(struct trial *trial)
{
	for (size_t i = 0; i < TARGETS; i++)
		CHECK(reach_monitor_remove(trial->monitor, trial->ids[i]) == 0);
}

static bool dispatch(struct trial *trial)
{
	if (!answer_step(trial->monitor))
		return false;
	(void)answer_changes(trial->monitor);
	return true;
}

/* Whether @state is that of a resolved name with @count addresses, which all
 * end in the byte @number. */
static bool is_resolved(const struct reach_state *state, uint32_t count,
			uint8_t number)
{
	bool good = state->resolution == REACH_RESOLUTION_DONE &&
		    state->address_count == count && state->flags;

	for (uint32_t i = 0; good && i < count; i++)
		good = state->addresses[i]
			       .bytes[state->addresses[i].family == AF_INET
					      ? 3
					      : 15] == number;
	return good;
}

static bool has_failed(const struct reach_state *state)
{
	return state->resolution == REACH_RESOLUTION_DONE &&
	       state->reason == REACH_REASON_RESOLVER_FAILED;
}

/* Dispatches until all targets have the addresses with @number, or, if that is 0,
 * have failed. */
static bool await_all(struct trial *trial, uint8_t number)
{
	for (size_t i = 0; i < TARGETS;) {
		const struct reach_state state =
			answer_state(trial->monitor, trial->ids[i]);

		if (number ? is_resolved(&state, 2, number)
			   : has_failed(&state))
			i++;
		else if (!dispatch(trial))
			return false;
	}
	return true;
}

/* ---- with a count ----------------------------------------------------- */

/* The last byte of the name's addresses; 0 if it can't be resolved. */
static void serve(int number)
{
	script_server.last = number;
	script_server.answer = number ? 2 : -EAGAIN;
}

/* Dispatches until no lookup is due or under way. */
static bool rest(struct trial *trial)
{
	while (answer_stats(trial->monitor).resolutions !=
		       (uint64_t)script_server.calls ||
	       reach_name_targets_deadline(&trial->monitor->names) != INT64_MAX)
		if (!dispatch(trial))
			return false;
	return true;
}

static void equal_names_are_asked_for_once(struct trial *trial)
{
	struct reach_state state;
	uint64_t late;
	int asked;

	serve(1);
	add_all(trial, "name.test");
	CHECK(await_all(trial, 1));
	CHECK(script_server.calls == 1);
	serve(2);
	CHECK(answer_ip("addr add 10.8.0.1/24 dev e0"));
	CHECK(await_all(trial, 2) && rest(trial));
	CHECK(script_server.calls <= 4);
	/* A new target of a known name has its addresses after one dispatch. */
	asked = script_server.calls;
	for (size_t i = 0; i < 2; i++) {
		late = add_name(trial, "name.test", policy_of(i), 0);
		CHECK(dispatch(trial));
		state = answer_state(trial->monitor, late);
		CHECK(is_resolved(&state, 2, 2));
		CHECK(reach_monitor_remove(trial->monitor, late) == 0);
	}
	CHECK(script_server.calls == asked);
	/* A target limited to one family needs a lookup of its own. */
	late = add_name(trial, "name.test", REACH_NAME_STRICT, AF_INET);
	do
		state = answer_state(trial->monitor, late);
	while (!is_resolved(&state, 1, 2) && dispatch(trial));
	CHECK(is_resolved(&state, 1, 2));
	CHECK(script_server.calls == asked + 1);
	CHECK(reach_monitor_remove(trial->monitor, late) == 0);
	remove_all(trial);
}

static void a_failure_is_that_of_all(struct trial *trial)
{
	const int before = script_server.calls;

	serve(0);
	add_all(trial, "dead.test");
	CHECK(await_all(trial, 0));
	CHECK(script_server.calls - before <= 4);
	serve(2);
	CHECK(await_all(trial, 2));
	CHECK(script_server.calls - before <= 4);
	remove_all(trial);
}

static void count_calls(void *context)
{
	struct trial trial = { .monitor = answer_open(script_serve, NULL) };

	(void)context;
	script_server.calls = 0;
	CHECK(answer_await_link(trial.monitor, "e0"));
	equal_names_are_asked_for_once(&trial);
	a_failure_is_that_of_all(&trial);
	reach_monitor_close(trial.monitor);
	check_await_threads();
}

/* ---- with a script ----------------------------------------------------- */

/* Whether the target has the address of the name "hang". */
static bool has_hung(struct trial *trial, uint64_t id)
{
	const struct reach_state state = answer_state(trial->monitor, id);

	return state.resolution == REACH_RESOLUTION_DONE &&
	       state.address_count == 1 && script_number(state.addresses) == 77;
}

/* A name's targets share the job that the first one started, even after that
 * target is removed. A target that is added after the last was removed starts a
 * new job. */
static void a_job_outlives_all_but_the_last(void)
{
	struct trial trial = { 0 };
	struct script script;
	uint64_t *ids = trial.ids;

	trial.monitor = script_watch(&script);
	for (size_t i = 0; i < 3; i++)
		ids[i] = add_name(&trial, "hang", REACH_NAME_STRICT, 0);
	CHECK(dispatch(&trial) && script_await(script.hanging[0], 1));
	CHECK(reach_monitor_remove(trial.monitor, ids[0]) == 0);
	ids[3] = add_name(&trial, "hang", REACH_NAME_STRICT, 0);
	script_let_go(script.gate[1], 1);
	while (!has_hung(&trial, ids[1]) && dispatch(&trial))
		;
	CHECK(has_hung(&trial, ids[2]) && has_hung(&trial, ids[3]));
	for (size_t i = 1; i < 4; i++)
		CHECK(reach_monitor_remove(trial.monitor, ids[i]) == 0);
	/* The target's job is dropped while it runs. */
	ids[0] = add_name(&trial, "hang", REACH_NAME_STRICT, 0);
	CHECK(dispatch(&trial) && script_await(script.hanging[0], 1));
	CHECK(reach_monitor_remove(trial.monitor, ids[0]) == 0);
	ids[0] = add_name(&trial, "hang", REACH_NAME_STRICT, 0);
	CHECK(dispatch(&trial) && script_await(script.hanging[0], 1));
	CHECK(!has_hung(&trial, ids[0]));
	script_let_go(script.gate[1], 2);
	while (!has_hung(&trial, ids[0]) && dispatch(&trial))
		;
	CHECK(has_hung(&trial, ids[0]));
	script_leave(&script, trial.monitor);
}

/* Waits for the name of @number, which the script resolves at once. */
static bool await_number(struct trial *trial, uint64_t id, unsigned int number)
{
	const bool done = answer_await_resolved(trial->monitor, id);
	const struct reach_state state = answer_state(trial->monitor, id);

	return done && state.address_count == 1 &&
	       script_number(state.addresses) == number;
}

#define LIVE   64
#define ROUNDS 2000

static void each_has_its_own_names_address(unsigned int seed)
{
	struct trial trial = { 0 };
	unsigned int numbers[LIVE] = { 0 };
	struct script script;
	int good = 0, live = 0;

	trial.monitor = script_watch(&script);
	for (int round = 0; round < ROUNDS; round++) {
		const int at = rand_r(&seed) % LIVE;
		char name[16];

		if (rand_r(&seed) % 64 == 0)
			reach_monitor_refresh(trial.monitor);
		if (rand_r(&seed) % 8 == 0)
			reach_monitor_dispatch(trial.monitor);
		if (numbers[at]) {
			CHECK(reach_monitor_remove(trial.monitor,
						   trial.ids[at]) == 0);
			numbers[at] = 0;
			continue;
		}
		numbers[at] = 1 + (unsigned int)rand_r(&seed) % 5;
		/* A number without ".test" would be parsed as an address. */
		snprintf(name, sizeof(name), "%u.test", numbers[at]);
		trial.ids[at] = add_name(&trial, name, policy_of((size_t)round),
					 rand_r(&seed) % 3 ? 0 : AF_INET);
	}
	for (int at = 0; at < LIVE; at++) {
		live += numbers[at] > 0;
		good += numbers[at] > 0 &&
			await_number(&trial, trial.ids[at], numbers[at]);
	}
	CHECK(live > 0 && good == live);
	script_leave(&script, trial.monitor);
}

void test_shared_names(void)
{
	static const struct topology cable = {
		"equal names", { PLAIN_CABLE, "addr add 10.9.0.1/24 dev e0" }
	};

	answer_in(&cable, count_calls, NULL);
	a_job_outlives_all_but_the_last();
	for (unsigned int seed = 1; seed <= 5; seed++)
		each_has_its_own_names_address(seed);
}
