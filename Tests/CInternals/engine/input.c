/* SPDX-License-Identifier: MIT */
/* Whether the engine says that it needs something from its caller besides
 * answers: evidence here; second_lookup.c checks the sources. */

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

void test_input(struct check *check)
{
	struct bytes bytes = { .look_up = bytes_no_route };

	if (!CHECK(check, bytes_open(&bytes, BYTES_SECOND)))
		return;
	CHECK(check, !reach_engine_wants_input(bytes.engine));
	bytes_settle(&bytes);
	/* eth0's class is that of a device, which sysfs describes. */
	CHECK(check, reach_links_find(&bytes.engine->links, 2)->evidence_asked);
	CHECK(check, !reach_engine_wants_input(bytes.engine));
	evidence_goes(check, &bytes);
	bytes_close(&bytes);
}
