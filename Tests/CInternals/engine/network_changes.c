/* SPDX-License-Identifier: MIT */
/* Which events are a change of network, after which names are resolved again. */
#include <linux/if.h>
#include <linux/rtnetlink.h>

#include "bytes.h"

static void tell_link(struct bytes *bytes, uint16_t type, uint32_t flags,
		      const char *kind, const char *name, uint32_t master)
{
	const struct bytes_link link = { .index = 7,
					 .name = name,
					 .kind = kind,
					 .flags = flags,
					 .master = master };

	bytes_tell_of(bytes, type, &link);
}

/* Whether there was a change since the last call. */
static bool changed(const struct bytes *bytes, uint64_t *last)
{
	const uint64_t now = bytes->engine->network_changes;
	const bool differs = now != *last;

	*last = now;
	return differs;
}

/* A link without an address, a name, and a link-local address of a container's
 * link (@counts: of another one) are no change. */
static void try(const char *kind, uint32_t master, bool counts)
{
	SCOPED_BYTES bytes = { .look_up = bytes_no_route };
	uint64_t last;

	bytes_open(&bytes, BYTES_SECOND);
	bytes_settle(&bytes);
	last = bytes.engine->network_changes;
	tell_link(&bytes, RTM_NEWLINK, 0, kind, "c0", 0);
	tell_link(&bytes, RTM_NEWLINK, 0, kind, "c0", master);
	tell_link(&bytes, RTM_NEWLINK, BYTES_UP, kind, "c0", master);
	CHECK(!changed(&bytes, &last));
	bytes_tell_address_of(&bytes, 7, RTM_NEWADDR, "fe80::7");
	CHECK(changed(&bytes, &last) == counts);
	tell_link(&bytes, RTM_NEWLINK, BYTES_UP, kind, "c1", master);
	CHECK(!changed(&bytes, &last));
	bytes_tell_address_of(&bytes, 7, RTM_NEWADDR, "10.7.0.1");
	CHECK(changed(&bytes, &last));
	tell_link(&bytes, RTM_NEWLINK, IFF_UP, kind, "c1", master);
	CHECK(changed(&bytes, &last));
	tell_link(&bytes, RTM_NEWLINK, BYTES_UP, kind, "c1", master);
	CHECK(changed(&bytes, &last));
	bytes_tell_address_of(&bytes, 7, RTM_DELADDR, "10.7.0.1");
	CHECK(changed(&bytes, &last));
	bytes_tell_address_of(&bytes, 7, RTM_DELADDR, "fe80::7");
	CHECK(changed(&bytes, &last) == counts);
	tell_link(&bytes, RTM_DELLINK, 0, kind, "c1", master);
	CHECK(!changed(&bytes, &last));
}

void test_network_changes(void)
{
	try("veth", 0, false);
	try("tun", 2, false);
	try("tun", 0, true);
}
