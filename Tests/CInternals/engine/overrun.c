/* SPDX-License-Identifier: MIT */
/* Dumps after lost events. */

#include "bytes.h"

static bool knows_eth1(const struct bytes *bytes)
{
	struct reach_interface interface = { .size = sizeof(interface) };

	return reach_engine_interface(bytes->engine, 2, &interface) == 1;
}

/* An interrupted dump may lack links that exist. */
static void an_interrupted_dump_removes_no_link(struct bytes *bytes)
{
	const uint64_t dumps = bytes_stats(bytes).dumps;

	CHECK(knows_eth1(bytes));
	bytes->interrupted = true;
	reach_engine_overrun(bytes->engine);
	bytes_settle(bytes);
	CHECK(!bytes->interrupted);
	CHECK(knows_eth1(bytes));
	/* Links twice, and addresses. */
	CHECK(bytes_stats(bytes).dumps == dumps + 3);
}

static void a_link_that_a_dump_lacks_is_gone(struct bytes *bytes)
{
	const uint64_t changes = bytes_stats(bytes).interface_changes;

	bytes->dormant = false;
	reach_engine_overrun(bytes->engine);
	bytes_settle(bytes);
	CHECK(!knows_eth1(bytes));
	CHECK(bytes_stats(bytes).interface_changes > changes);
}

void test_overrun(void)
{
	SCOPED_BYTES bytes = { .look_up = bytes_no_route, .dormant = true };

	bytes_open(&bytes, BYTES_SECOND);
	bytes_settle(&bytes);
	an_interrupted_dump_removes_no_link(&bytes);
	a_link_that_a_dump_lacks_is_gone(&bytes);
}
