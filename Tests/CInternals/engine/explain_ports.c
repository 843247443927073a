/* SPDX-License-Identifier: MIT */
/* Explanations of a route over a bridge: the port that they name is the one
 * that gives the bridge its class. */
#include <stdio.h>

#include <linux/if.h>
#include <linux/rtnetlink.h>

#include "bytes.h"

#define BRIDGE 2
#define PORTS  2
#define WIRED  REACH_INTERFACE_WIRED_ETHERNET
#define WIFI   REACH_INTERFACE_WIFI

/* The ports have the indices 3 and 4. */
static const struct row {
	struct {
		bool up;
		bool wireless;
	} ports[PORTS];
	/* The class of the bridge and of the port that is named. */
	enum reach_interface_class class;
	uint32_t named;
} rows[] = {
	{ { { true, false }, { true, false } }, WIRED, 3 },
	{ { { false, false }, { true, false } }, WIRED, 4 },
	{ { { true, false }, { false, false } }, WIRED, 3 },
	{ { { false, false }, { false, false } }, WIRED, 3 },
	{ { { true, true }, { true, false } }, WIRED, 4 },
	{ { { false, false }, { true, true } }, WIFI, 4 },
};

static void build(struct bytes *bytes, const struct row *row)
{
	static const struct bytes_link bridge = { .index = BRIDGE,
						  .kind = "bridge",
						  .flags = BYTES_UP };

	bytes_tell_of(bytes, RTM_NEWLINK, &bridge);
	for (uint32_t i = 0; i < PORTS; i++) {
		const struct bytes_link port = { .index = BRIDGE + 1 + i,
						 .flags = row->ports[i].up
								  ? BYTES_UP
								  : IFF_UP,
						 .master = BRIDGE };

		bytes_tell_of(bytes, RTM_NEWLINK, &port);
		CHECK(!reach_engine_set_evidence(bytes->engine, port.index, "",
						 "", row->ports[i].wireless));
	}
}

static void the_port_named_gives_the_class(const struct row *row)
{
	SCOPED_BYTES bytes = { .look_up = bytes_route };
	struct reach_explanation of;
	uint64_t id = bytes_begin(&bytes, "192.0.2.1", 0);

	build(&bytes, row);
	of = bytes_explain(&bytes, id);
	CHECK(of.link_count == 2 && of.links[0].index == BRIDGE);
	CHECK(of.links[0].basis == REACH_CLASS_BASIS_PORTS);
	CHECK(of.links[0].interface_class == row->class);
	CHECK(of.links[1].interface_class == row->class);
	if (!CHECK(of.links[1].index == row->named))
		fprintf(stderr, "row %td: port %u\n", row - rows,
			of.links[1].index);
}

void test_explain_ports(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		the_port_named_gives_the_class(&rows[i]);
}
