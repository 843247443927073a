/* SPDX-License-Identifier: MIT */
/* Explanations of a route over a bridge: the port that they name is the one
 * that gives the bridge its class. */
#include <stdio.h>

#include <libmnl/libmnl.h>
#include <linux/if.h>
#include <linux/if_arp.h>
#include <linux/rtnetlink.h>

#include "bytes.h"
#include "engine/engine.h"

#define BRIDGE 2
#define PORTS  2

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
	{ { { true, false }, { true, false } },
	  REACH_INTERFACE_WIRED_ETHERNET,
	  3 },
	{ { { false, false }, { true, false } },
	  REACH_INTERFACE_WIRED_ETHERNET,
	  4 },
	{ { { true, false }, { false, false } },
	  REACH_INTERFACE_WIRED_ETHERNET,
	  3 },
	{ { { false, false }, { false, false } },
	  REACH_INTERFACE_WIRED_ETHERNET,
	  3 },
	{ { { true, true }, { true, false } },
	  REACH_INTERFACE_WIRED_ETHERNET,
	  4 },
	{ { { false, false }, { true, true } }, REACH_INTERFACE_WIFI, 4 },
};

static void tell(struct check *check, struct bytes *bytes, uint32_t index,
		 bool up)
{
	_Alignas(8) uint8_t buffer[256] = { 0 };
	struct nlmsghdr *header = mnl_nlmsg_put_header(buffer);
	struct ifinfomsg *body;
	struct nlattr *info;
	char name[8];

	header->nlmsg_type = RTM_NEWLINK;
	body = mnl_nlmsg_put_extra_header(header, sizeof(*body));
	body->ifi_index = (int)index;
	body->ifi_type = ARPHRD_ETHER;
	body->ifi_flags = IFF_UP | (up ? IFF_RUNNING | IFF_LOWER_UP : 0);
	snprintf(name, sizeof(name), "eth%u", index & 0xff);
	mnl_attr_put_strz(header, IFLA_IFNAME, name);
	if (index == BRIDGE) {
		info = mnl_attr_nest_start(header, IFLA_LINKINFO);
		mnl_attr_put_strz(header, IFLA_INFO_KIND, "bridge");
		mnl_attr_nest_end(header, info);
	} else {
		mnl_attr_put_u32(header, IFLA_MASTER, BRIDGE);
	}
	CHECK(check, reach_engine_events(bytes->engine, buffer,
					 header->nlmsg_len) == 0);
}

static void build(struct check *check, struct bytes *bytes,
		  const struct row *row)
{
	tell(check, bytes, BRIDGE, true);
	for (uint32_t i = 0; i < PORTS; i++) {
		tell(check, bytes, BRIDGE + 1 + i, row->ports[i].up);
		CHECK(check, !reach_engine_set_evidence(
				     bytes->engine, BRIDGE + 1 + i, "", "",
				     row->ports[i].wireless));
	}
}

static void the_port_named_gives_the_class(struct check *check,
					   const struct row *row)
{
	struct bytes bytes = { .look_up = bytes_route };
	struct reach_explanation of = { .size = sizeof(of) };
	uint64_t id;

	bytes_open(&bytes, BYTES_SECOND);
	id = bytes_watch(&bytes, "192.0.2.1", 0);
	bytes_settle(&bytes);
	build(check, &bytes, row);
	bytes_settle(&bytes);
	CHECK(check, reach_engine_explain(bytes.engine, id,
					  REACH_EXPLAIN_DECIDING, &of) == 0);
	CHECK(check, of.link_count == 2 && of.links[0].index == BRIDGE);
	CHECK(check, of.links[0].basis == REACH_CLASS_BASIS_PORTS);
	CHECK(check, of.links[0].interface_class == row->class);
	CHECK(check, of.links[1].interface_class == row->class);
	if (!CHECK(check, of.links[1].index == row->named))
		fprintf(stderr, "row %td: port %u\n", row - rows,
			of.links[1].index);
	bytes_close(&bytes);
}

void test_explain_ports(struct check *check)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		the_port_named_gives_the_class(check, &rows[i]);
}
