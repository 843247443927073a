/* SPDX-License-Identifier: MIT */
/* An engine: lost answers, invalid input, names, interfaces. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/if.h>
#include <linux/rtnetlink.h>

#include "bytes.h"

#define SECOND BYTES_SECOND

static void lose_answers(struct bytes *bytes)
{
	while (bytes_ask(bytes))
		reach_engine_answers_lost(bytes->engine);
}

static void losses(void)
{
	struct reach_interface interface = { .size = sizeof(interface) };
	SCOPED_BYTES bytes = { .look_up = bytes_route };
	struct reach_engine *engine;
	uint64_t id;

	bytes_open(&bytes, SECOND);
	engine = bytes.engine;
	id = bytes_watch(&bytes, "127.0.0.1", 0);
	lose_answers(&bytes);
	CHECK(bytes_state(&bytes, id).reason == REACH_REASON_REFUSED);
	CHECK(reach_engine_interface(engine, 0, &interface) == 0);
	/* Dumps of rules and settings are lost, too. */
	reach_engine_clock(engine, SECOND + SECOND / 1000);
	lose_answers(&bytes);
	/* A second later, all lookups are repeated. */
	CHECK(reach_engine_deadline(engine) == 2 * SECOND + SECOND / 1000);
	reach_engine_clock(engine, reach_engine_deadline(engine));
	bytes_answer(&bytes);
	CHECK(bytes_state(&bytes, id).reason != REACH_REASON_REFUSED);
	CHECK(reach_engine_interface(engine, 0, &interface) == 1);
	/* So are the dumps, another millisecond later. */
	CHECK(reach_engine_deadline(engine) == 2 * SECOND + SECOND / 500);
	reach_engine_clock(engine, 3 * SECOND);
	bytes_answer(&bytes);
	CHECK(reach_engine_deadline(engine) == INT64_MAX);
}

/* Members and values to which later versions may give a meaning. */
static void reserved_members(void)
{
	struct reach_address bad = { .family = AF_INET, .bytes = { 1, 1 } };
	struct reach_target target =
		check_target(REACH_TARGET_NAME, "name.test");
	SCOPED_BYTES bytes = { .look_up = bytes_route };
	uint64_t id;

	bytes_open(&bytes, SECOND);
	id = bytes_add(&bytes, &target);
	CHECK(reach_engine_resolved(bytes.engine, id, &bad, 1) == 0);
	CHECK(reach_engine_set_probes(bytes.engine, &bad, 1) == 0);
	bad.reserved = 1;
	CHECK(reach_engine_resolved(bytes.engine, id, &bad, 1) == -EINVAL);
	CHECK(reach_engine_set_probes(bytes.engine, &bad, 1) == -EINVAL);
	target.remote = bad;
	CHECK(reach_engine_add(bytes.engine, &target, &id) == -EINVAL);
}

/* The link 4711. */
static void tell_of_link(struct bytes *bytes, uint16_t type, const char *name,
			 unsigned int flags)
{
	const struct bytes_link link = { .index = 4711,
					 .name = name,
					 .flags = flags };

	bytes_tell_of(bytes, type, &link);
}

static void a_user_comes_back(void)
{
	struct reach_change change = { .size = sizeof(change) };
	SCOPED_BYTES bytes = { .look_up = bytes_route };
	struct reach_target target;
	uint64_t ids[3];
	int users[3], i, taken;

	bytes_open(&bytes, SECOND);
	for (taken = 0; taken < 2; taken++) {
		/* The second time no target has a user pointer, though the
		 * engine reuses the first ones' entries. */
		void *const wanted[3] = { taken ? NULL : &users[0], NULL,
					  taken ? NULL : &users[2] };

		for (i = 0; i < 3; i++) {
			target = check_target(i ? REACH_TARGET_INTERNET
						: REACH_TARGET_ADDRESS,
					      "0.0.0.0");
			target.user = wanted[i];
			ids[i] = bytes_add(&bytes, &target);
		}
		bytes_answer(&bytes);
		CHECK(reach_engine_publish(bytes.engine) == 1);
		while (reach_engine_next(bytes.engine, &change) == 1)
			for (i = 0; i < 3; i++)
				CHECK(change.id != ids[i] ||
				      change.user == wanted[i]);
		for (i = 0; i < 3; i++)
			CHECK(reach_engine_remove(bytes.engine, ids[i]) == 0);
	}
}

/* Such a name has no address to look up. */
static void an_unresolved_name_follows_its_interface(void)
{
	SCOPED_BYTES bytes = { .look_up = bytes_route };
	struct reach_target target =
		check_target(REACH_TARGET_NAME, "name.test");
	uint64_t id;

	target.policy = REACH_NAME_STRICT;
	strcpy(target.interface_name, "later0");
	bytes_open(&bytes, SECOND);
	id = bytes_add(&bytes, &target);
	bytes_answer(&bytes);
	for (int i = 0; i < 2; i++) {
		CHECK(bytes_state(&bytes, id).reason ==
		      REACH_REASON_NO_INTERFACE);
		tell_of_link(&bytes, RTM_NEWLINK, "later0", IFF_UP);
		bytes_answer(&bytes);
		CHECK(bytes_state(&bytes, id).reason == REACH_REASON_RESOLVING);
		tell_of_link(&bytes, RTM_DELLINK, "later0", IFF_UP);
		bytes_answer(&bytes);
	}
}

/* Resolves name target @id to @addresses. Returns its state. */
static struct reach_state resolve(struct bytes *bytes, uint64_t id,
				  const char *const addresses[])
{
	struct reach_address list[4];
	size_t count;

	for (count = 0; count < 4 && addresses[count]; count++)
		list[count] = check_address(addresses[count]);
	CHECK(reach_engine_resolved(bytes->engine, id, list, count) == 0);
	bytes_answer(bytes);
	return bytes_state(bytes, id);
}

static void a_name_of_one_family(void)
{
	static const char *const both[] = { "::ffff:192.0.2.1", "2001:db8::1",
					    "192.0.2.2", NULL };
	static const char *const other[] = { "192.0.2.1", NULL };
	SCOPED_BYTES bytes = { .look_up = bytes_route };
	struct reach_target target =
		check_target(REACH_TARGET_NAME, "name.test");
	struct reach_state state;
	uint64_t any, four, six;

	bytes_open(&bytes, SECOND);
	any = bytes_add(&bytes, &target);
	target.remote.family = AF_INET;
	four = bytes_add(&bytes, &target);
	target.remote.family = AF_INET6;
	six = bytes_add(&bytes, &target);
	CHECK(resolve(&bytes, any, both).address_count == 3);
	state = resolve(&bytes, four, both);
	CHECK(state.address_count == 2);
	CHECK(state.addresses[0].family == AF_INET);
	state = resolve(&bytes, six, both);
	CHECK(state.address_count == 1);
	CHECK(state.addresses[0].family == AF_INET6);
	state = resolve(&bytes, six, other);
	CHECK(state.address_count == 0);
	CHECK(state.reason == REACH_REASON_NO_ADDRESS);
}

/* Block lists answer with 0.0.0.0 and ::, which stand for this host. */
static void an_unspecified_address_is_none(void)
{
	static const char *const answers[][4] = {
		{ "0.0.0.0" },
		{ "0.0.0.0", "192.0.2.1" },
		{ "::", "::ffff:0.0.0.0" },
	};
	SCOPED_BYTES bytes = { .look_up = bytes_route };
	uint64_t id;

	bytes_open(&bytes, SECOND);
	id = bytes_add_new(&bytes, REACH_TARGET_NAME, "a.example");
	for (size_t i = 0; i < 3; i++) {
		const struct reach_state state =
			resolve(&bytes, id, answers[i]);

		CHECK(state.address_count == (i == 1));
		CHECK(state.reason ==
		      (i == 1 ? REACH_REASON_NONE : REACH_REASON_NO_ADDRESS));
	}
}

void test_engine(void)
{
	losses();
	reserved_members();
	a_user_comes_back();
	an_unresolved_name_follows_its_interface();
	a_name_of_one_family();
	an_unspecified_address_is_none();
}
