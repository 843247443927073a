/* SPDX-License-Identifier: MIT */
/* Which addresses of a name count, and what an explanation says of a modem. */
#include <errno.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>

#include "base/base.h"
#include "bytes.h"
#include "engine/engine.h"

/* Gives a name the addresses @first and @second ("" for none), and returns its
 * state. */
static struct reach_state resolve(struct check *check, struct bytes *bytes,
				  uint64_t name, const char *first,
				  const char *second)
{
	struct reach_address addresses[2];
	const size_t count = *second ? 2 : 1;

	CHECK(check, !reach_address_parse(first, &addresses[0]));
	if (*second)
		CHECK(check, !reach_address_parse(second, &addresses[1]));
	CHECK(check,
	      !reach_engine_resolved(bytes->engine, name, addresses, count));
	bytes_settle(bytes);
	return bytes_state(bytes, name);
}

/* Block lists answer with 0.0.0.0 and ::, which stand for this host. */
static void an_unspecified_address_is_none(struct check *check)
{
	struct bytes bytes = { .look_up = bytes_route };
	struct reach_target target;
	struct reach_state state;
	uint64_t name;

	bytes_open(&bytes, BYTES_SECOND);
	reach_target_init(&target, REACH_TARGET_NAME);
	target.name = "a.example";
	name = bytes_add(&bytes, &target);
	bytes_settle(&bytes);
	state = resolve(check, &bytes, name, "0.0.0.0", "");
	CHECK(check, state.address_count == 0 && !state.flags);
	CHECK(check, state.reason == REACH_REASON_NO_ADDRESS);
	state = resolve(check, &bytes, name, "0.0.0.0", "192.0.2.1");
	CHECK(check, state.address_count == 1);
	CHECK(check, state.flags & REACH_FLAG_REACHABLE);
	state = resolve(check, &bytes, name, "::", "::ffff:0.0.0.0");
	CHECK(check, state.address_count == 0 && !state.flags);
	bytes_close(&bytes);
}

/* A modem that isn't connected is the reason for no other verdict. */
static void a_reachable_target_needs_no_modem(struct check *check)
{
	const struct reach_interface_facts modem = {
		.size = sizeof(modem),
		.modem = REACH_MODEM_REGISTERED,
	};
	struct bytes bytes = { .look_up = bytes_route };
	struct reach_explanation of = { .size = sizeof(of) };
	uint64_t id;

	bytes_open(&bytes, BYTES_SECOND);
	id = bytes_watch(&bytes, "192.0.2.1", 0);
	CHECK(check, !reach_engine_set_facts(bytes.engine, &modem, 1));
	bytes_settle(&bytes);
	CHECK(check, bytes_state(&bytes, id).flags & REACH_FLAG_REACHABLE);
	CHECK(check, !reach_engine_explain(bytes.engine, id,
					   REACH_EXPLAIN_DECIDING, &of));
	CHECK(check, !of.modem_conditions && !of.modem_interface);
	bytes_close(&bytes);
}

void test_resolved(struct check *check)
{
	an_unspecified_address_is_none(check);
	a_reachable_target_needs_no_modem(check);
}
