/* SPDX-License-Identifier: MIT */
/* Targets limited to an address family, or to classes of interface. */
#include <errno.h>
#include <sys/socket.h>

#include <linux/rtnetlink.h>

#include "bytes.h"

#define ANY	    0
#define CLASS(name) (1U << REACH_INTERFACE_##name)

static uint64_t add(struct bytes *bytes, enum reach_target_kind kind,
		    const char *text, uint32_t classes)
{
	struct reach_target target = check_target(kind, text);

	target.report = REACH_REPORT_PATH;
	target.interface_classes = classes;
	return bytes_add(bytes, &target);
}

/* Without a reason, the target is reachable. */
static void expect(struct bytes *bytes, uint64_t id, uint32_t reason)
{
	const struct reach_state state = bytes_state(bytes, id);

	CHECK(!(state.flags & REACH_FLAG_REACHABLE) == (reason != 0));
	CHECK(state.reason == reason);
}

/* An address target of :: means both families, as in Apple's API. An internet
 * target with :: means IPv6 alone. */
static void families(bool inets, bool inet6s)
{
	const uint32_t none = REACH_REASON_NO_ROUTE;
	struct bytes_way ways[2] = { { .error = inets ? 0 : ENETUNREACH },
				     { .error = inet6s ? 0 : ENETUNREACH } };
	SCOPED_BYTES bytes = { .look_up = bytes_way, .context = ways };
	uint64_t both, inet, inet6, zero;

	bytes_open(&bytes, BYTES_SECOND);
	both = add(&bytes, REACH_TARGET_INTERNET, NULL, ANY);
	inet = add(&bytes, REACH_TARGET_INTERNET, "0.0.0.0", ANY);
	inet6 = add(&bytes, REACH_TARGET_INTERNET, "::", ANY);
	zero = add(&bytes, REACH_TARGET_ADDRESS, "::", ANY);
	expect(&bytes, both, inets || inet6s ? 0 : none);
	expect(&bytes, zero, inets || inet6s ? 0 : none);
	expect(&bytes, inet, inets ? 0 : none);
	expect(&bytes, inet6, inet6s ? 0 : none);
}

/* Targets, and the reasons why they aren't reachable over eth0 while it is wired,
 * and once it is Wi-Fi. */
static const struct {
	enum reach_target_kind kind;
	const char *text;
	uint32_t classes;
	enum reach_reason wired, wifi;
} rows[] = {
	{ REACH_TARGET_ADDRESS, "192.0.2.1", ANY, 0, 0 },
	{ REACH_TARGET_ADDRESS, "192.0.2.1", CLASS(WIRED_ETHERNET), 0,
	  REACH_REASON_OTHER_INTERFACE },
	{ REACH_TARGET_ADDRESS, "192.0.2.1", CLASS(WIFI),
	  REACH_REASON_OTHER_INTERFACE, 0 },
	{ REACH_TARGET_ADDRESS, "2001:db8::1",
	  CLASS(WIRED_ETHERNET) | CLASS(WIFI), 0, 0 },
	{ REACH_TARGET_INTERNET, NULL, CLASS(WIFI),
	  REACH_REASON_OTHER_INTERFACE, 0 },
	{ REACH_TARGET_LOCAL_WIFI, NULL, CLASS(WIFI), REACH_REASON_LINK_DOWN,
	  0 },
};

#define ROWS (sizeof(rows) / sizeof(*rows))

/* When the class of an interface changes, verdicts follow without a lookup. */
static void classes(void)
{
	struct bytes_way ways[2] = { 0 };
	SCOPED_BYTES bytes = { .look_up = bytes_way, .context = ways };
	unsigned int lookups;
	uint64_t ids[ROWS];
	size_t i;

	bytes_open(&bytes, BYTES_SECOND);
	for (i = 0; i < ROWS; i++)
		ids[i] = add(&bytes, rows[i].kind, rows[i].text,
			     rows[i].classes);
	for (i = 0; i < ROWS; i++)
		expect(&bytes, ids[i], rows[i].wired);
	lookups = bytes.lookups;
	/* The state still shows the path that isn't allowed. */
	CHECK(bytes_state(&bytes, ids[2]).interface_index == 2);
	CHECK(!reach_engine_set_evidence(bytes.engine, 2, "", "", true));
	/* Four verdicts change; the other two report the new class. */
	CHECK(bytes_settle(&bytes) == ROWS);
	for (i = 0; i < ROWS; i++)
		expect(&bytes, ids[i], rows[i].wifi);
	CHECK(bytes.lookups == lookups);
	/* A target that is unreachable for another reason keeps that reason. */
	ways[0].error = ENETUNREACH;
	bytes_tell_route(&bytes, RTM_DELROUTE, AF_INET);
	expect(&bytes, ids[1], REACH_REASON_NO_ROUTE);
	expect(&bytes, ids[4], 0);
}

/* The addresses of an interface, and the counter of changes of links and
 * addresses. */
static void interface_addresses(void)
{
	SCOPED_BYTES bytes = { .look_up = bytes_no_route };
	struct reach_interface_address own = { .size = sizeof(own) };
	uint64_t changes;

	bytes_open(&bytes, BYTES_SECOND);
	add(&bytes, REACH_TARGET_INTERNET, NULL, ANY);
	bytes_settle(&bytes);
	changes = bytes_stats(&bytes).interface_changes;
	CHECK(changes > 0);
	CHECK(reach_engine_interface_address(bytes.engine, 2, 0, &own) == 1);
	CHECK(own.address.family == AF_INET && own.usable == 1 &&
	      own.prefix_length == 24);
	CHECK(reach_engine_interface_address(bytes.engine, 2, 1, &own) == 1);
	CHECK(own.address.family == AF_INET6);
	CHECK(reach_engine_interface_address(bytes.engine, 2, 2, &own) == 0);
	CHECK(reach_engine_interface_address(bytes.engine, 7, 0, &own) == 0);
	own.size--;
	CHECK(reach_engine_interface_address(bytes.engine, 2, 0, &own) ==
	      -EINVAL);
	own.size++;
	/* Neither a route nor an event that changes nothing is counted. */
	bytes_tell_route(&bytes, RTM_NEWROUTE, AF_INET);
	bytes_tell_address(&bytes, RTM_NEWADDR, "10.0.0.2");
	bytes_settle(&bytes);
	CHECK(bytes_stats(&bytes).interface_changes == changes);
	bytes_tell_address(&bytes, RTM_NEWADDR, "fe80::2");
	CHECK(bytes_stats(&bytes).interface_changes > changes);
	CHECK(reach_engine_interface_address(bytes.engine, 2, 2, &own) == 1);
	CHECK(own.address.scope_id == 2);
	changes = bytes_stats(&bytes).interface_changes;
	bytes_tell_link(&bytes, 2, false);
	CHECK(bytes_stats(&bytes).interface_changes > changes);
	CHECK(reach_engine_interface_address(bytes.engine, 2, 1, &own) == 1);
	/* It will be tentative when the link is up again. */
	CHECK(own.usable == 0);
}

void test_restrictions(void)
{
	families(true, true);
	families(true, false);
	families(false, true);
	families(false, false);
	classes();
	interface_addresses();
}
