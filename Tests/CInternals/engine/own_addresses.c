/* SPDX-License-Identifier: MIT */
/* The table of this host's addresses: which of them may be a source, and what
 * the events of an address change. */
#include <errno.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>

#include "base/base.h"
#include "bytes.h"
#include "engine/engine.h"

/* Adds a target whose source is @local. @remote: "" for none. */
static uint64_t watch_pair(struct bytes *bytes, const char *local,
			   const char *remote)
{
	struct reach_target target =
		check_target(REACH_TARGET_ADDRESS_PAIR, NULL);

	target.local = check_address(local);
	if (*remote)
		CHECK(!reach_address_parse(remote, &target.remote));
	return bytes_add(bytes, &target);
}

/* Two links may have the same link-local address, so it is an address of one
 * link. Any other address may be used on all links. */
static void a_link_local_address_is_of_one_link(void)
{
	struct bytes_way way = { 0, 1, RTN_LOCAL, 128, true };
	struct bytes_way ways[2] = { way, way };
	struct bytes bytes = { .look_up = bytes_way,
			       .context = ways,
			       .dormant = true };
	struct reach_state state;
	uint64_t other, own;

	bytes_open(&bytes, BYTES_SECOND);
	other = watch_pair(&bytes, "fe80::1%2", "");
	own = watch_pair(&bytes, "fe80::1%3", "");
	bytes_settle(&bytes);
	CHECK(bytes_state(&bytes, own).reason == REACH_REASON_NOT_LOCAL);
	bytes_tell_address_of(&bytes, 3, RTM_NEWADDR, "fe80::1");
	bytes_settle(&bytes);
	state = bytes_state(&bytes, other);
	CHECK(!state.flags && state.reason == REACH_REASON_NOT_LOCAL);
	state = bytes_state(&bytes, own);
	CHECK(state.flags & REACH_FLAG_REACHABLE);
	CHECK(state.interface_index == 3);
	bytes_close(&bytes);
}

/* IPv6 sends to a multicast address only from an address of the link, even if
 * the caller has chosen another one. */
static void multicast_needs_an_address_of_its_link(void)
{
	struct bytes_way way = { 0, 2, RTN_MULTICAST, 8, true };
	struct bytes_way ways[2] = { way, way };
	struct bytes bytes = { .look_up = bytes_way, .context = ways };
	struct reach_explanation explanation = { .size = sizeof(explanation) };
	struct reach_state state;
	uint64_t own, other;

	bytes_open(&bytes, BYTES_SECOND);
	own = watch_pair(&bytes, "fd00::2", "ff02::1%2");
	other = watch_pair(&bytes, "fd00::3", "ff02::1%2");
	bytes_settle(&bytes);
	bytes_tell_address_of(&bytes, 1, RTM_NEWADDR, "fd00::3");
	bytes_settle(&bytes);
	CHECK(bytes_state(&bytes, own).flags ==
	      (REACH_FLAG_REACHABLE | REACH_FLAG_IS_DIRECT));
	state = bytes_state(&bytes, other);
	CHECK(!state.flags && state.reason == REACH_REASON_NO_SOURCE);
	CHECK(reach_engine_explain(bytes.engine, other, REACH_EXPLAIN_DECIDING,
				   &explanation) == 0);
	CHECK(explanation.source_state == REACH_SOURCE_NOT_OWN);
	CHECK(explanation.source_interface == 1);
	bytes_close(&bytes);
}

/* No router is on the way, which wouldn't forward the packets. */
static void a_link_local_source_reaches_neighbors(uint8_t length)
{
	struct bytes_way way = { 0, 2, RTN_UNICAST, length, true };
	struct bytes_way ways[2] = { way, way };
	struct bytes bytes = { .look_up = bytes_way, .context = ways };
	struct reach_state state;
	uint64_t id;

	bytes_open(&bytes, BYTES_SECOND);
	id = watch_pair(&bytes, "fe80::1%2", "2001:db8::7");
	bytes_settle(&bytes);
	bytes_tell_address(&bytes, RTM_NEWADDR, "fe80::1");
	bytes_settle(&bytes);
	state = bytes_state(&bytes, id);
	if (length)
		CHECK(state.flags ==
		      (REACH_FLAG_REACHABLE | REACH_FLAG_IS_DIRECT));
	else
		CHECK(state.reason == REACH_REASON_NO_SOURCE);
	bytes_close(&bytes);
}

/* The answer to a lookup with a source doesn't repeat it. */
static void a_pair_of_own_addresses_has_its_source(void)
{
	struct bytes_way way = { 0, 1, RTN_LOCAL, 32, true };
	struct bytes_way ways[2] = { way, way };
	struct bytes bytes = { .look_up = bytes_way, .context = ways };
	struct reach_target target = { 0 };
	struct reach_state state;
	uint64_t id;

	bytes_open(&bytes, BYTES_SECOND);
	id = watch_pair(&bytes, "10.0.0.2", "127.0.0.1");
	bytes_settle(&bytes);
	state = bytes_state(&bytes, id);
	CHECK(state.flags & REACH_FLAG_IS_LOCAL_ADDRESS);
	CHECK(!reach_address_parse("10.0.0.2", &target.local) &&
	      reach_address_equal(&state.source, &target.local));
	bytes_close(&bytes);
}

/* The kernel answers as for a blackhole route, but the source is the reason. */
static void a_loopback_source_reaches_no_other_host(void)
{
	struct bytes_way ways[2] = { { .error = EINVAL } };
	struct bytes bytes = { .look_up = bytes_way, .context = ways };
	struct reach_state state;
	uint64_t id;

	bytes_open(&bytes, BYTES_SECOND);
	id = watch_pair(&bytes, "127.0.0.1", "192.0.2.1");
	bytes_settle(&bytes);
	bytes_tell_address_of(&bytes, 1, RTM_NEWADDR, "127.0.0.1");
	bytes_settle(&bytes);
	state = bytes_state(&bytes, id);
	CHECK(!state.flags && state.reason == REACH_REASON_NO_SOURCE);
	CHECK(state.error == 0);
	bytes_close(&bytes);
}

/* Reports @text on eth0. */
static void tell_of(struct bytes *bytes, uint16_t type, const char *text,
		    uint8_t length, uint32_t flags)
{
	const struct reach_address address = check_address(text);
	_Alignas(8) uint8_t buffer[256];
	struct nlmsghdr *header = mnl_nlmsg_put_header(buffer);
	struct ifaddrmsg *body;

	header->nlmsg_type = type;
	body = mnl_nlmsg_put_extra_header(header, sizeof(*body));
	body->ifa_family = (uint8_t)address.family;
	body->ifa_prefixlen = length;
	body->ifa_flags = (uint8_t)flags;
	body->ifa_index = 2;
	bytes_put_address(header, IFA_ADDRESS, text);
	if (address.family == AF_INET)
		bytes_put_address(header, IFA_LOCAL, text);
	mnl_attr_put_u32(header, IFA_FLAGS, flags);
	CHECK(reach_engine_events(bytes->engine, buffer, header->nlmsg_len) ==
	      0);
}

static void tell(struct bytes *bytes, uint8_t length, uint32_t flags)
{
	tell_of(bytes, RTM_NEWADDR, "fd00::7", length, flags);
}

/* The prefix lengths of @text on eth0, summed up. */
static unsigned int lengths(const struct bytes *bytes, const char *text)
{
	const struct reach_address wanted = check_address(text);
	struct reach_interface_address found = { .size = sizeof(found) };
	uint32_t position = 0;
	unsigned int ret = 0;

	while (reach_engine_interface_address(bytes->engine, 2, position++,
					      &found) == 1)
		if (reach_address_equal(&found.address, &wanted))
			ret += found.prefix_length;
	return ret;
}

/* The entry of fd00::7; `size` is 0 if there is none. */
static struct reach_interface_address entry(const struct bytes *bytes)
{
	struct reach_interface_address ret = { .size = sizeof(ret) };
	struct reach_address wanted;
	uint32_t position = 0;

	(void)reach_address_parse("fd00::7", &wanted);
	while (reach_engine_interface_address(bytes->engine, 2, position++,
					      &ret) == 1)
		if (reach_address_equal(&ret.address, &wanted))
			return ret;
	return (struct reach_interface_address){ 0 };
}

/* The kernel keeps the address when its prefix length changes. So the event is
 * the same as for a new lifetime, but for the length. */
static void a_prefix_length_is_a_change(void)
{
	struct bytes bytes = { .look_up = bytes_no_route };
	uint64_t changes;

	bytes_open(&bytes, BYTES_SECOND);
	bytes_settle(&bytes);
	tell(&bytes, 64, IFA_F_PERMANENT);
	CHECK(entry(&bytes).prefix_length == 64);
	changes = bytes_stats(&bytes).interface_changes;
	tell(&bytes, 64, IFA_F_PERMANENT);
	CHECK(bytes_stats(&bytes).interface_changes == changes);
	tell(&bytes, 80, IFA_F_PERMANENT);
	CHECK(bytes_stats(&bytes).interface_changes == changes + 1);
	CHECK(entry(&bytes).prefix_length == 80);
	bytes_close(&bytes);
}

/* IPv4 has an address once per prefix length, and each goes on its own. */
static void an_ipv4_address_has_several_lengths(void)
{
	static const struct {
		uint16_t type;
		uint8_t length;
		unsigned int sum;
	} steps[] = {
		{ RTM_NEWADDR, 25, 25 },      { RTM_NEWADDR, 16, 25 + 16 },
		{ RTM_NEWADDR, 25, 25 + 16 }, { RTM_DELADDR, 25, 16 },
		{ RTM_DELADDR, 16, 0 },
	};
	struct bytes bytes = { .look_up = bytes_no_route };

	bytes_open(&bytes, BYTES_SECOND);
	bytes_settle(&bytes);
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		tell_of(&bytes, steps[i].type, "192.0.2.7", steps[i].length,
			IFA_F_PERMANENT);
		CHECK(lengths(&bytes, "192.0.2.7") == steps[i].sum);
	}
	bytes_close(&bytes);
}

/* With keep_addr_on_down the address stays when its link goes down. Without
 * duplicate address detection it doesn't become tentative, so no event follows
 * that would make it usable again. */
static void a_link_that_goes_down_keeps_nodad(uint32_t flags, bool usable)
{
	struct bytes bytes = { .look_up = bytes_no_route };

	bytes_open(&bytes, BYTES_SECOND);
	bytes_settle(&bytes);
	tell(&bytes, 64, IFA_F_PERMANENT | flags);
	CHECK(entry(&bytes).usable);
	bytes_tell_link(&bytes, 2, false);
	CHECK(entry(&bytes).size && !entry(&bytes).usable == !usable);
	bytes_tell_link(&bytes, 2, true);
	CHECK(entry(&bytes).size && !entry(&bytes).usable == !usable);
	bytes_close(&bytes);
}

void test_own_addresses(void)
{
	a_link_local_address_is_of_one_link();
	multicast_needs_an_address_of_its_link();
	a_link_local_source_reaches_neighbors(64);
	a_link_local_source_reaches_neighbors(0);
	a_pair_of_own_addresses_has_its_source();
	a_loopback_source_reaches_no_other_host();
	a_prefix_length_is_a_change();
	an_ipv4_address_has_several_lengths();
	a_link_that_goes_down_keeps_nodad(IFA_F_NODAD, true);
	a_link_that_goes_down_keeps_nodad(0, false);
}
