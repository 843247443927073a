/* SPDX-License-Identifier: MIT */
/* Whether the engine says that it needs something from its caller besides
 * answers: evidence here; second_lookup.c checks the sources. */

#include <linux/rtnetlink.h>

#include "bytes.h"

static uint32_t class_of(const struct bytes *bytes, uint32_t index)
{
	struct reach_interface link = { .size = sizeof(link) };

	return reach_engine_interface(bytes->engine, index - 1, &link) == 1
		       ? link.interface_class
		       : UINT32_MAX;
}

/* sysfs has nothing under the new name of a link: the evidence of the old name
 * goes. */
static void evidence_goes(struct bytes *bytes)
{
	CHECK(!reach_engine_set_evidence(bytes->engine, 2, "wlan", "iwlwifi",
					 1));
	CHECK(class_of(bytes, 2) == REACH_INTERFACE_WIFI);
	CHECK(!reach_engine_set_evidence(bytes->engine, 2, NULL, NULL, 0));
	CHECK(class_of(bytes, 2) == REACH_INTERFACE_WIRED_ETHERNET);
}

/* The link 7, a network card, is new or changes. */
static void tell(struct bytes *bytes, const char *name, const char *address)
{
	const struct bytes_link link = { .index = 7,
					 .name = name,
					 .address = address };

	bytes_tell_of(bytes, RTM_NEWLINK, &link);
}

/* Evidence is wanted once, and again after a new name, or a new address if there
 * was none. */
static void evidence_is_asked_for(struct bytes *bytes)
{
	struct reach_engine *engine = bytes->engine;

	tell(bytes, "eth7", "\002\0\0\0\0\007");
	CHECK(reach_engine_wants_evidence(engine) == 7);
	CHECK(!reach_engine_set_evidence(engine, 7, "wlan", "", 0));
	CHECK(!reach_engine_wants_evidence(engine));
	tell(bytes, "eth7", "\002\0\0\0\0\007");
	tell(bytes, "eth7", "\002\0\0\0\0\010");
	CHECK(!reach_engine_wants_evidence(engine));
	CHECK(class_of(bytes, 7) == REACH_INTERFACE_WIFI);
	tell(bytes, "wlp7s0", "\002\0\0\0\0\010");
	CHECK(reach_engine_wants_evidence(engine) == 7);
	CHECK(!reach_engine_set_evidence(engine, 7, NULL, NULL, 0));
	CHECK(class_of(bytes, 7) == REACH_INTERFACE_WIRED_ETHERNET);
	tell(bytes, "wlp7s0", "\002\0\0\0\0\011");
	CHECK(reach_engine_wants_evidence(engine) == 7);
}

/* A message that is longer than its datagram counts, as event and as answer. */
static void malformed_messages_count(struct bytes *bytes)
{
	static const uint32_t cut[8] = { 40, RTM_NEWLINK };
	const uint64_t before = bytes_stats(bytes).malformed;

	CHECK(!reach_engine_events(bytes->engine, cut, sizeof(cut)));
	CHECK(bytes_stats(bytes).malformed == before + 1);
	CHECK(!reach_engine_answers(bytes->engine, cut, sizeof(cut)));
	CHECK(bytes_stats(bytes).malformed == before + 2);
}

void test_input(void)
{
	SCOPED_BYTES bytes = { .look_up = bytes_no_route };

	bytes_open(&bytes, BYTES_SECOND);
	CHECK(!reach_engine_wants_evidence(bytes.engine));
	bytes_settle(&bytes);
	/* eth0's class is that of a device, which sysfs describes. */
	CHECK(reach_links_find(&bytes.engine->links, 2)->evidence_asked);
	CHECK(!reach_engine_wants_evidence(bytes.engine));
	evidence_goes(&bytes);
	evidence_is_asked_for(&bytes);
	malformed_messages_count(&bytes);
}
