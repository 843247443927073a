/* SPDX-License-Identifier: MIT */
/* Whether the engine says that it needs something from its caller besides
 * answers: evidence here; second_lookup.c checks the sources. */

#include <libmnl/libmnl.h>
#include <linux/if_arp.h>
#include <linux/rtnetlink.h>

#include "bytes.h"
#include "engine/engine.h"

static uint32_t class_of(const struct bytes *bytes, uint32_t index)
{
	struct reach_interface link = { .size = sizeof(link) };

	return reach_engine_interface(bytes->engine, index - 1, &link) == 1
		       ? link.interface_class
		       : UINT32_MAX;
}

/* sysfs has nothing under the new name of a link: the evidence of the old name
 * goes. */
static void evidence_goes(struct check *check, struct bytes *bytes)
{
	CHECK(check, !reach_engine_set_evidence(bytes->engine, 2, "wlan",
						"iwlwifi", 1));
	CHECK(check, class_of(bytes, 2) == REACH_INTERFACE_WIFI);
	CHECK(check,
	      !reach_engine_set_evidence(bytes->engine, 2, NULL, NULL, 0));
	CHECK(check, class_of(bytes, 2) == REACH_INTERFACE_WIRED_ETHERNET);
}

/* The link 7, a network card, is new or changes. */
static void tell(struct bytes *bytes, const char *name, const char *address)
{
	uint32_t buffer[64];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buffer);
	struct ifinfomsg *ifi = mnl_nlmsg_put_extra_header(nlh, sizeof(*ifi));

	nlh->nlmsg_type = RTM_NEWLINK;
	ifi->ifi_type = ARPHRD_ETHER;
	ifi->ifi_index = 7;
	mnl_attr_put_strz(nlh, IFLA_IFNAME, name);
	mnl_attr_put_u8(nlh, IFLA_OPERSTATE, 0);
	mnl_attr_put(nlh, IFLA_ADDRESS, 6, address);
	reach_engine_events(bytes->engine, buffer, nlh->nlmsg_len);
}

/* Evidence is wanted once, and again after a new name, or a new address if there
 * was none. */
static void evidence_is_asked_for(struct check *check, struct bytes *bytes)
{
	struct reach_engine *engine = bytes->engine;

	tell(bytes, "eth7", "\002\0\0\0\0\007");
	CHECK(check, reach_engine_wants_evidence(engine) == 7);
	CHECK(check, !reach_engine_set_evidence(engine, 7, "wlan", "", 0));
	CHECK(check, !reach_engine_wants_evidence(engine));
	tell(bytes, "eth7", "\002\0\0\0\0\007");
	tell(bytes, "eth7", "\002\0\0\0\0\010");
	CHECK(check, !reach_engine_wants_evidence(engine));
	CHECK(check, class_of(bytes, 7) == REACH_INTERFACE_WIFI);
	tell(bytes, "wlp7s0", "\002\0\0\0\0\010");
	CHECK(check, reach_engine_wants_evidence(engine) == 7);
	CHECK(check, !reach_engine_set_evidence(engine, 7, NULL, NULL, 0));
	CHECK(check, class_of(bytes, 7) == REACH_INTERFACE_WIRED_ETHERNET);
	tell(bytes, "wlp7s0", "\002\0\0\0\0\011");
	CHECK(check, reach_engine_wants_evidence(engine) == 7);
}

/* A message that is longer than its datagram counts, as event and as answer. */
static void malformed_messages_count(struct check *check, struct bytes *bytes)
{
	static const uint32_t cut[8] = { 40, RTM_NEWLINK };
	const uint64_t before = bytes_stats(bytes).malformed;

	CHECK(check, !reach_engine_events(bytes->engine, cut, sizeof(cut)));
	CHECK(check, bytes_stats(bytes).malformed == before + 1);
	CHECK(check, !reach_engine_answers(bytes->engine, cut, sizeof(cut)));
	CHECK(check, bytes_stats(bytes).malformed == before + 2);
}

void test_input(struct check *check)
{
	struct bytes bytes = { .look_up = bytes_no_route };

	bytes_open(&bytes, BYTES_SECOND);
	CHECK(check, !reach_engine_wants_evidence(bytes.engine));
	bytes_settle(&bytes);
	/* eth0's class is that of a device, which sysfs describes. */
	CHECK(check, reach_links_find(&bytes.engine->links, 2)->evidence_asked);
	CHECK(check, !reach_engine_wants_evidence(bytes.engine));
	evidence_goes(check, &bytes);
	evidence_is_asked_for(check, &bytes);
	malformed_messages_count(check, &bytes);
	bytes_close(&bytes);
}
