/* SPDX-License-Identifier: MIT */
/* Whether the engine says that it needs something from its caller besides
 * answers: evidence here; second_lookup.c checks the sources. */

#include "bytes.h"
#include "engine/engine.h"

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
	bytes_close(&bytes);
}
