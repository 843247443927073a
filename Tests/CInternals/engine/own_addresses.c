/* SPDX-License-Identifier: MIT */
/* The table of this host's addresses: which of them may be a source, and what
 * the events of an address change. */
#include <errno.h>
#include <stdio.h>

#include <linux/if_addr.h>
#include <linux/rtnetlink.h>

#include "base/base.h"
#include "bytes.h"

#define NEIGHBOR (REACH_FLAG_REACHABLE | REACH_FLAG_IS_DIRECT)
#define OWN	 (NEIGHBOR | REACH_FLAG_IS_LOCAL_ADDRESS)

/* A target with a chosen source, the kernel's answer, and the verdict. */
static const struct row {
	const char *what;
	const char *local;
	/* NULL for none. */
	const char *remote;
	/* An address that comes, and its link, which the verdict names. */
	const char *comes;
	uint32_t link;
	struct bytes_way way;
	uint32_t flags;
	enum reach_reason reason;
	/* For explanations, if not 0. */
	enum reach_source_state state;
} rows[] = {
	/* Two links may have the same one. */
	{ "a link-local address is of one link", "fe80::1%3", NULL, "fe80::1",
	  3, .way = { .output = 1, .type = RTN_LOCAL, .length = 128 },
	  .flags = OWN },
	{ "and not of the other", "fe80::1%2", NULL, "fe80::1", 3,
	  .way = { .output = 1, .type = RTN_LOCAL, .length = 128 },
	  .reason = REACH_REASON_NOT_LOCAL },
	{ "an address that has not come", "fe80::1%3", NULL,
	  .way = { .output = 1, .type = RTN_LOCAL, .length = 128 },
	  .reason = REACH_REASON_NOT_LOCAL },
	/* IPv6 sends to a multicast address only from an address of the link,
	 * even if the caller has chosen another one. */
	{ "multicast from an address of its link", "fd00::2", "ff02::1%2",
	  .way = { .type = RTN_MULTICAST, .length = 8, .sourceless = true },
	  .flags = NEIGHBOR },
	{ "multicast from an address of another", "fd00::3", "ff02::1%2",
	  "fd00::3", 1,
	  .way = { .type = RTN_MULTICAST, .length = 8, .sourceless = true },
	  .reason = REACH_REASON_NO_SOURCE, .state = REACH_SOURCE_NOT_OWN },
	/* A router wouldn't forward the packets. */
	{ "a link-local source and a neighbor", "fe80::1%2", "2001:db8::7",
	  "fe80::1", 2, .way = { .length = 64, .sourceless = true },
	  .flags = NEIGHBOR },
	{ "a link-local source and a router", "fe80::1%2", "2001:db8::7",
	  "fe80::1", 2, .way = { .sourceless = true },
	  .reason = REACH_REASON_NO_SOURCE },
	/* The answer to a lookup with a source doesn't repeat it. */
	{ "two own addresses", "10.0.0.2", "127.0.0.1",
	  .way = { .output = 1,
		   .type = RTN_LOCAL,
		   .length = 32,
		   .sourceless = true },
	  .flags = REACH_FLAG_REACHABLE | REACH_FLAG_IS_LOCAL_ADDRESS },
	/* The kernel answers as for a blackhole route. */
	{ "a loopback source reaches no other host", "127.0.0.1", "192.0.2.1",
	  "127.0.0.1", 1, .way.error = EINVAL,
	  .reason = REACH_REASON_NO_SOURCE },
};

static void the_source_decides(const struct row *row)
{
	struct bytes_way ways[2] = { row->way, row->way };
	SCOPED_BYTES bytes = { .look_up = bytes_way,
			       .context = ways,
			       .dormant = true };
	struct reach_target target =
		check_target(REACH_TARGET_ADDRESS_PAIR, row->remote);
	struct reach_state state;
	uint64_t id;

	target.local = check_address(row->local);
	bytes_open(&bytes, BYTES_SECOND);
	id = bytes_add(&bytes, &target);
	bytes_settle(&bytes);
	if (row->comes)
		bytes_tell_address_of(&bytes, row->link, RTM_NEWADDR,
				      row->comes);
	state = bytes_state(&bytes, id);
	if (!CHECK(state.flags == row->flags && state.reason == row->reason))
		fprintf(stderr, "%s: %#x, reason %u\n", row->what, state.flags,
			state.reason);
	CHECK(!state.error);
	CHECK(!state.flags ||
	      reach_address_equal(&state.source, &target.local));
	CHECK(!state.flags || !row->comes ||
	      state.interface_index == row->link);
	if (row->state) {
		const struct reach_explanation of = bytes_explain(&bytes, id);

		CHECK(of.source_state == row->state &&
		      of.source_interface == row->link);
	}
}

static void tell(struct bytes *bytes, uint8_t length, uint32_t flags)
{
	bytes_tell_own(bytes, RTM_NEWADDR, "fd00::7", length, flags);
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
	const struct reach_address wanted = check_address("fd00::7");
	uint32_t position = 0;

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
	SCOPED_BYTES bytes = { .look_up = bytes_no_route };
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
	SCOPED_BYTES bytes = { .look_up = bytes_no_route };

	bytes_open(&bytes, BYTES_SECOND);
	bytes_settle(&bytes);
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		bytes_tell_own(&bytes, steps[i].type, "192.0.2.7",
			       steps[i].length, IFA_F_PERMANENT);
		CHECK(lengths(&bytes, "192.0.2.7") == steps[i].sum);
	}
}

/* With keep_addr_on_down the address stays when its link goes down. Without
 * duplicate address detection it doesn't become tentative, so no event follows
 * that would make it usable again. */
static void a_link_that_goes_down_keeps_nodad(uint32_t flags, bool usable)
{
	SCOPED_BYTES bytes = { .look_up = bytes_no_route };

	bytes_open(&bytes, BYTES_SECOND);
	bytes_settle(&bytes);
	tell(&bytes, 64, IFA_F_PERMANENT | flags);
	CHECK(entry(&bytes).usable);
	bytes_tell_link(&bytes, 2, false);
	CHECK(entry(&bytes).size && !entry(&bytes).usable == !usable);
	bytes_tell_link(&bytes, 2, true);
	CHECK(entry(&bytes).size && !entry(&bytes).usable == !usable);
}

void test_own_addresses(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		the_source_decides(&rows[i]);
	a_prefix_length_is_a_change();
	an_ipv4_address_has_several_lengths();
	a_link_that_goes_down_keeps_nodad(IFA_F_NODAD, true);
	a_link_that_goes_down_keeps_nodad(0, false);
}
