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
static struct reach_state resolve(struct bytes *bytes, uint64_t name,
				  const char *first, const char *second)
{
	struct reach_address addresses[2];
	const size_t count = *second ? 2 : 1;

	CHECK(!reach_address_parse(first, &addresses[0]));
	if (*second)
		CHECK(!reach_address_parse(second, &addresses[1]));
	CHECK(!reach_engine_resolved(bytes->engine, name, addresses, count));
	bytes_settle(bytes);
	return bytes_state(bytes, name);
}

/* Block lists answer with 0.0.0.0 and ::, which stand for this host. */
static void an_unspecified_address_is_none(void)
{
	struct bytes bytes = { .look_up = bytes_route };
	struct reach_target target =
		check_target(REACH_TARGET_NAME, "a.example");
	struct reach_state state;
	uint64_t name;

	bytes_open(&bytes, BYTES_SECOND);
	name = bytes_add(&bytes, &target);
	bytes_settle(&bytes);
	state = resolve(&bytes, name, "0.0.0.0", "");
	CHECK(state.address_count == 0 && !state.flags);
	CHECK(state.reason == REACH_REASON_NO_ADDRESS);
	state = resolve(&bytes, name, "0.0.0.0", "192.0.2.1");
	CHECK(state.address_count == 1);
	CHECK(state.flags & REACH_FLAG_REACHABLE);
	state = resolve(&bytes, name, "::", "::ffff:0.0.0.0");
	CHECK(state.address_count == 0 && !state.flags);
	bytes_close(&bytes);
}

/* A modem that isn't connected is the reason for no other verdict. */
static void a_reachable_target_needs_no_modem(void)
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
	CHECK(!reach_engine_set_facts(bytes.engine, &modem, 1));
	bytes_settle(&bytes);
	CHECK(bytes_state(&bytes, id).flags & REACH_FLAG_REACHABLE);
	CHECK(!reach_engine_explain(bytes.engine, id, REACH_EXPLAIN_DECIDING,
				    &of));
	CHECK(!of.modem_conditions && !of.modem_interface);
	bytes_close(&bytes);
}

void test_resolved(void)
{
	an_unspecified_address_is_none();
	a_reachable_target_needs_no_modem();
}
