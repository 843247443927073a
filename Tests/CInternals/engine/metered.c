/* SPDX-License-Identifier: MIT */
/* Metered interfaces, in states and changes. */
#include <errno.h>
#include <string.h>

#include "base/base.h"
#include "bytes.h"
#include "engine/verdict/verdict.h"

static struct reach_interface_facts entry(const char *name, uint32_t metered)
{
	struct reach_interface_facts ret = { .size = sizeof(ret),
					     .metered = metered };

	strncpy(ret.interface_name, name, sizeof(ret.interface_name) - 1);
	return ret;
}

/* Sets the list. Returns the number of changes, or SIZE_MAX for an error. */
static size_t set(struct bytes *bytes, const struct reach_interface_facts *list,
		  size_t count)
{
	if (reach_engine_set_facts(bytes->engine, list, count))
		return SIZE_MAX;
	return bytes_settle(bytes);
}

static uint64_t watch(struct bytes *bytes, enum reach_target_kind kind,
		      uint32_t report)
{
	struct reach_target target = check_target(
		kind, kind == REACH_TARGET_ADDRESS ? "192.0.2.1" : NULL);

	target.report = report;
	return bytes_add(bytes, &target);
}

static void a_new_price_is_a_change_of_the_path(void)
{
	const struct reach_interface_facts yes[] = {
		entry("wlan0", REACH_METERED_NO),
		entry("eth0", REACH_METERED_YES),
	};
	const struct reach_interface_facts both[] = {
		entry("eth0", REACH_METERED_NO),
		entry("eth0", REACH_METERED_YES),
	};
	/* Entries without a value, such as a modem's, decide nothing. */
	const struct reach_interface_facts later[] = {
		entry("eth0", REACH_METERED_UNKNOWN),
		entry("eth0", REACH_METERED_YES),
		entry("eth0", REACH_METERED_UNKNOWN),
	};
	const struct reach_interface_facts no = entry("eth0", REACH_METERED_NO);
	SCOPED_BYTES bytes = { .look_up = bytes_route };
	unsigned int lookups;
	uint64_t id, silent, local;

	bytes_open(&bytes, BYTES_SECOND);
	id = watch(&bytes, REACH_TARGET_ADDRESS, REACH_REPORT_PATH);
	silent = watch(&bytes, REACH_TARGET_ADDRESS, REACH_REPORT_VERDICT);
	local = watch(&bytes, REACH_TARGET_LOCAL_WIFI, REACH_REPORT_PATH);
	bytes_settle(&bytes);
	lookups = bytes.lookups;
	CHECK(bytes_state(&bytes, id).metered == REACH_METERED_UNKNOWN);
	/* The address and the local Wi-Fi, both over eth0. */
	CHECK(set(&bytes, yes, 2) == 2);
	CHECK(bytes_state(&bytes, id).metered == REACH_METERED_YES);
	CHECK(bytes_state(&bytes, local).metered == REACH_METERED_YES);
	CHECK(bytes_state(&bytes, silent).metered == REACH_METERED_YES);
	CHECK(set(&bytes, yes, 2) == 0);
	/* Of several entries with one name, the metered one counts. */
	CHECK(set(&bytes, both, 2) == 0);
	CHECK(set(&bytes, later, 3) == 0);
	CHECK(set(&bytes, &no, 1) == 2);
	CHECK(bytes_state(&bytes, id).metered == REACH_METERED_NO);
	CHECK(set(&bytes, NULL, 0) == 2);
	CHECK(bytes_state(&bytes, id).metered == REACH_METERED_UNKNOWN);
	CHECK(bytes.lookups == lookups);
}

static void tunnels_follow_the_entry_without_a_name(void)
{
	const struct reach_interface_facts list[] = {
		entry("tun1", REACH_METERED_NO),
		entry("", REACH_METERED_YES),
		entry("eth0", REACH_METERED_YES),
	};
	SCOPED_BYTES bytes = { .look_up = bytes_route };
	const struct reach_engine *engine;

	bytes_open(&bytes, BYTES_SECOND);
	engine = bytes.engine;
	CHECK(set(&bytes, list, 3) == 0);
	CHECK(reach_facts_metered(engine, "tun0", REACH_INTERFACE_VPN) ==
	      REACH_METERED_YES);
	CHECK(reach_facts_metered(engine, "tun1", REACH_INTERFACE_VPN) ==
	      REACH_METERED_NO);
	CHECK(reach_facts_metered(engine, "eth1", REACH_INTERFACE_WIFI) ==
	      REACH_METERED_UNKNOWN);
	CHECK(reach_facts_metered(engine, "", REACH_INTERFACE_WIFI) ==
	      REACH_METERED_UNKNOWN);
	/* A prefix of an interface's name doesn't match. */
	CHECK(reach_facts_metered(engine, "eth", REACH_INTERFACE_WIFI) ==
	      REACH_METERED_UNKNOWN);
}

/* Structs of a later version. */
static void longer_entries_are_taken(struct reach_engine *engine)
{
	struct {
		struct reach_interface_facts known;
		uint64_t more;
	} list[2] = {
		{ .known = entry("eth1", REACH_METERED_YES) },
		{ .known = entry("eth0", REACH_METERED_NO) },
	};

	list[0].known.size = list[1].known.size = sizeof(*list);
	CHECK(reach_engine_set_facts(engine, &list[0].known, 2) == 0);
	list[1].more = 1;
	CHECK(reach_engine_set_facts(engine, &list[0].known, 2) == -E2BIG);
}

static void bad_lists_are_refused(void)
{
	struct reach_interface_facts list[2] = {
		entry("eth0", REACH_METERED_YES),
		entry("eth1", REACH_METERED_NO),
	};
	SCOPED_BYTES bytes = { .look_up = bytes_route };
	uint64_t id;

	bytes_open(&bytes, BYTES_SECOND);
	id = watch(&bytes, REACH_TARGET_ADDRESS, REACH_REPORT_PATH);
	bytes_settle(&bytes);
	CHECK(set(&bytes, list, 2) == 1);
	CHECK(reach_engine_set_facts(bytes.engine, NULL, 1) == -EINVAL);
	list[1].metered = 3;
	CHECK(reach_engine_set_facts(bytes.engine, list, 2) == -EINVAL);
	list[1] = entry("eth1", REACH_METERED_NO);
	list[1].modem = 16;
	CHECK(reach_engine_set_facts(bytes.engine, list, 2) == -EINVAL);
	list[1] = entry("eth1", REACH_METERED_NO);
	list[1].size--;
	CHECK(reach_engine_set_facts(bytes.engine, list, 2) == -EINVAL);
	memset(list[0].interface_name, 'x', sizeof(list[0].interface_name));
	CHECK(reach_engine_set_facts(bytes.engine, list, 1) == -EINVAL);
	CHECK(bytes_state(&bytes, id).metered == REACH_METERED_YES);
	/* Bytes after the name's NUL are ignored. */
	list[0] = entry("eth0", REACH_METERED_YES);
	list[1] = entry("eth1", REACH_METERED_NO);
	list[0].interface_name[6] = 'x';
	CHECK(set(&bytes, list, 2) == 0);
	longer_entries_are_taken(bytes.engine);
	CHECK(bytes_state(&bytes, id).metered == REACH_METERED_NO);
}

void test_metered(void)
{
	a_new_price_is_a_change_of_the_path();
	tunnels_follow_the_entry_without_a_name();
	bad_lists_are_refused();
}
