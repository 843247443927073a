/* SPDX-License-Identifier: MIT */
/* Targets limited to an address family, or to classes of interface. */
#include <errno.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>

#include "bytes.h"

#define ANY	    0
#define CLASS(name) (1U << REACH_INTERFACE_##name)

static uint64_t add(struct bytes *bytes, enum reach_target_kind kind,
		    const char *text, uint32_t classes)
{
	struct reach_target target;

	reach_target_init(&target, kind);
	target.report = REACH_REPORT_PATH;
	target.interface_classes = classes;
	if (text)
		CHECK(reach_address_parse(text, &target.remote) == 0);
	return bytes_add(bytes, &target);
}

static void expect(const struct bytes *bytes, uint64_t id, bool reachable,
		   uint32_t reason)
{
	const struct reach_state state = bytes_state(bytes, id);

	CHECK(!!(state.flags & REACH_FLAG_REACHABLE) == reachable);
	CHECK(state.reason == reason);
}

/* An address target of :: means both families, as in Apple's API. An internet
 * target with :: means IPv6 alone. */
static void families(bool inets, bool inet6s)
{
	struct bytes_way ways[2] = { { .error = inets ? 0 : ENETUNREACH },
				     { .error = inet6s ? 0 : ENETUNREACH } };
	struct bytes bytes = { .look_up = bytes_way, .context = ways };
	const uint32_t none = REACH_REASON_NO_ROUTE;
	uint64_t both, inet, inet6, zero;

	bytes_open(&bytes, BYTES_SECOND);
	both = add(&bytes, REACH_TARGET_INTERNET, NULL, ANY);
	inet = add(&bytes, REACH_TARGET_INTERNET, "0.0.0.0", ANY);
	inet6 = add(&bytes, REACH_TARGET_INTERNET, "::", ANY);
	zero = add(&bytes, REACH_TARGET_ADDRESS, "::", ANY);
	bytes_settle(&bytes);
	expect(&bytes, both, inets || inet6s, inets || inet6s ? 0 : none);
	expect(&bytes, zero, inets || inet6s, inets || inet6s ? 0 : none);
	expect(&bytes, inet, inets, inets ? 0 : none);
	expect(&bytes, inet6, inet6s, inet6s ? 0 : none);
	bytes_close(&bytes);
}

static void set_wireless(struct bytes *bytes, bool is)
{
	CHECK(reach_engine_set_evidence(bytes->engine, 2, "", "", is) == 0);
}

/* When the class of an interface changes, verdicts follow without a lookup. */
static void classes(void)
{
	struct bytes_way ways[2] = { 0 };
	struct bytes bytes = { .look_up = bytes_way, .context = ways };
	const uint32_t other = REACH_REASON_OTHER_INTERFACE;
	uint64_t any, wired, wifi, either, internet, local;
	unsigned int lookups;

	bytes_open(&bytes, BYTES_SECOND);
	any = add(&bytes, REACH_TARGET_ADDRESS, "192.0.2.1", ANY);
	wired = add(&bytes, REACH_TARGET_ADDRESS, "192.0.2.1",
		    CLASS(WIRED_ETHERNET));
	wifi = add(&bytes, REACH_TARGET_ADDRESS, "192.0.2.1", CLASS(WIFI));
	either = add(&bytes, REACH_TARGET_ADDRESS, "2001:db8::1",
		     CLASS(WIRED_ETHERNET) | CLASS(WIFI));
	internet = add(&bytes, REACH_TARGET_INTERNET, NULL, CLASS(WIFI));
	local = add(&bytes, REACH_TARGET_LOCAL_WIFI, NULL, CLASS(WIFI));
	bytes_settle(&bytes);
	lookups = bytes.lookups;
	expect(&bytes, any, true, 0);
	expect(&bytes, wired, true, 0);
	expect(&bytes, wifi, false, other);
	expect(&bytes, either, true, 0);
	expect(&bytes, internet, false, other);
	expect(&bytes, local, false, REACH_REASON_LINK_DOWN);
	/* The state still shows the path that isn't allowed. */
	CHECK(bytes_state(&bytes, wifi).interface_index == 2);
	set_wireless(&bytes, true);
	/* The verdicts of wired, Wi-Fi, the internet, and local Wi-Fi change;
	 * the other two report the new class. */
	CHECK(bytes_settle(&bytes) == 6);
	expect(&bytes, any, true, 0);
	expect(&bytes, wired, false, other);
	expect(&bytes, wifi, true, 0);
	expect(&bytes, either, true, 0);
	expect(&bytes, internet, true, 0);
	expect(&bytes, local, true, 0);
	CHECK(bytes.lookups == lookups);
	/* A target that is unreachable for another reason keeps that reason. */
	ways[0].error = ENETUNREACH;
	bytes_tell_route(&bytes, RTM_DELROUTE, AF_INET);
	bytes_settle(&bytes);
	expect(&bytes, wired, false, REACH_REASON_NO_ROUTE);
	expect(&bytes, internet, true, 0);
	bytes_close(&bytes);
}

/* The addresses of an interface, and the counter of changes of links and
 * addresses. */
static void interface_addresses(void)
{
	struct bytes bytes = { .look_up = bytes_no_route };
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
	bytes_close(&bytes);
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
