/* SPDX-License-Identifier: MIT */
/* The walk over attributes. The kernel doesn't promise their order, number, or
 * size. These cases cover mistakes that a change of the walk could make. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/if_tunnel.h>
#include <linux/rtnetlink.h>

#include <reach/internal/message.h>

#include "check.h"

/* The message under test, and what decode() makes of it. */
static struct {
	_Alignas(8) uint8_t bytes[4096];
	struct nlmsghdr *nlh;
} sample;

static struct reach_message message;
static const struct reach_route_message *const route = &message.u.route;
static const struct reach_link_message *const linked = &message.u.link;

static const uint8_t near[16] = { 10, 0, 0, 1, 5, 6, 7, 8 };
static const uint8_t far[32] = { 10, 0, 0, 2, 9, 9, 9, 9 };

static void *begin(uint16_t type, size_t fixed)
{
	memset(sample.bytes, 0, sizeof(sample.bytes));
	sample.nlh = mnl_nlmsg_put_header(sample.bytes);
	sample.nlh->nlmsg_type = type;
	return mnl_nlmsg_put_extra_header(sample.nlh, fixed);
}

static void begin_route(uint8_t family)
{
	struct rtmsg *rtm = begin(RTM_NEWROUTE, sizeof(*rtm));

	rtm->rtm_family = family;
	rtm->rtm_table = 254;
	rtm->rtm_dst_len = 24;
	rtm->rtm_flags = 0x01020304;
}

/* Decodes a copy in a heap block of its exact size, so that the sanitizer
 * reports reads beyond it. No byte of the result is zero beforehand. */
static int decode(void)
{
	const size_t size = sample.nlh->nlmsg_len;
	void *copy = malloc(size);
	size_t offset = 0;
	int result;

	if (!copy)
		return -ENOMEM;
	memcpy(copy, sample.bytes, size);
	memset(&message, 0xa5, sizeof(message));
	result = reach_message_decode(copy, size, &offset, &message);
	free(copy);
	return offset == size ? result : -EIO;
}

static bool is_address(const struct reach_address *address, uint8_t family,
		       const uint8_t *bytes)
{
	struct reach_address want = { .family = family };

	memcpy(want.bytes, bytes, family == AF_INET ? 4 : 16);
	return memcmp(address, &want, sizeof(want)) == 0;
}

static void check_calls(void)
{
	_Alignas(8) uint8_t bytes[64] = { 0 };
	size_t offset = 0;

	CHECK(reach_message_decode(bytes + 1, 32, &offset, &message) ==
	      -EINVAL);
	CHECK(reach_message_decode(bytes, (size_t)INT32_MAX + 1, &offset,
				   &message) == -EINVAL);
	CHECK(reach_message_decode(bytes, 0, &offset, &message) == 0);
	CHECK(reach_message_decode(bytes, 32, &offset, &message) == -EBADMSG);
	CHECK(offset == 32);
	offset = 33;
	CHECK(reach_message_decode(bytes, 32, &offset, &message) == -EINVAL);
	offset = 2;
	CHECK(reach_message_decode(bytes, 32, &offset, &message) == -EINVAL);
	CHECK(offset == 2);
}

/* A message has a whole header, and ends in its datagram. */
static void check_header(size_t size)
{
	uint32_t *copy = calloc(1, size);

	for (uint32_t said = 15; copy && said <= 32; said++) {
		const bool whole = said >= NLMSG_HDRLEN && said <= size;
		size_t offset = 0;

		memcpy(copy, &said, size < 4 ? size : 4);
		CHECK(reach_message_decode(copy, size, &offset, &message) ==
		      (whole ? 1 : -EBADMSG));
	}
	free(copy);
}

/* Members of absent attributes are zero. Of several attributes of one type, the
 * last counts. */
static void check_values(uint8_t family, size_t size)
{

	begin_route(family);
	CHECK(decode() == 1);
	CHECK(route->present == 0 && route->output == 0);
	CHECK(route->table == 254 && route->flags == 0x01020304);
	CHECK(route->destination.family == 0 && route->reserved == 0);
	mnl_attr_put_u32(sample.nlh, RTA_OIF, 7);
	mnl_attr_put(sample.nlh, RTA_DST, size, near);
	mnl_attr_put_u32(sample.nlh, RTA_TABLE | NLA_F_NET_BYTEORDER, 1000);
	mnl_attr_put(sample.nlh, RTA_DST, size, far);
	mnl_attr_put_u32(sample.nlh, RTA_OIF | NLA_F_NESTED, 8);
	mnl_attr_put_u8(sample.nlh, RTA_PREF, 1);
	CHECK(decode() == 1);
	CHECK(route->present == (REACH_ROUTE_OUTPUT | REACH_ROUTE_DESTINATION |
				 REACH_ROUTE_TABLE));
	CHECK(route->output == 8 && route->table == 1000);
	CHECK(is_address(&route->destination, family, far));
	CHECK(route->gateway.family == 0 && route->flags == 0x01020304);
	CHECK(route->family == family);
}

/* An address has the size of its family. A number has 32 bits or more. A message
 * may lack its final padding, but nothing else. */
static void check_sizes(void)
{
	static const struct {
		uint16_t type, size;
		int result;
	} rows[] = {
		{ RTA_DST, 4, 1 },	  { RTA_DST, 5, -EBADMSG },
		{ RTA_OIF, 3, -EBADMSG }, { RTA_OIF, 4, 1 },
		{ RTA_OIF, 5, 1 },	  { RTA_CACHEINFO, 31, -EBADMSG },
		{ RTA_CACHEINFO, 32, 1 }, { RTA_PREF, 0, 1 },
		{ RTA_MAX + 9, 3, 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		begin_route(AF_INET);
		mnl_attr_put(sample.nlh, rows[i].type, rows[i].size, far);
		CHECK(decode() == rows[i].result);
	}
	/* The last one has a padding of a byte. */
	sample.nlh->nlmsg_len--;
	CHECK(decode() == 1);
	sample.nlh->nlmsg_len--;
	CHECK(decode() == -EBADMSG);
}

/* An error of the kernel is an errno. */
static void check_errors(void)
{
	static const int rows[][2] = { { -4095, 1 },
				       { -4096, -EBADMSG },
				       { 4096, -EBADMSG } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct nlmsgerr *error = begin(NLMSG_ERROR, sizeof(*error));

		error->error = rows[i][0];
		CHECK(decode() == rows[i][1]);
		CHECK(i || message.u.error.error == 4095);
	}
}

static void put_via(uint16_t family, const uint8_t *bytes, size_t size)
{
	uint8_t via[2 + 16];

	memcpy(via, &family, 2);
	memcpy(via + 2, bytes, size);
	mnl_attr_put(sample.nlh, RTA_VIA, 2 + size, via);
}

/* RTA_VIA and RTA_GATEWAY in either order. */
static void check_via(void)
{

	begin_route(AF_INET);
	put_via(AF_INET6, far, 16);
	CHECK(decode() == 1);
	CHECK(route->present == REACH_ROUTE_GATEWAY);
	CHECK(is_address(&route->gateway, AF_INET6, far));
	mnl_attr_put(sample.nlh, RTA_GATEWAY, 4, near);
	CHECK(decode() == 1);
	CHECK(is_address(&route->gateway, AF_INET, near));
	put_via(AF_INET6, far, 16);
	/* An unknown family is ignored: the previous gateway stays. */
	put_via(AF_UNIX, near, 3);
	CHECK(decode() == 1);
	CHECK(is_address(&route->gateway, AF_INET6, far));
	put_via(AF_INET6, far, 15);
	CHECK(decode() == -EBADMSG);
	begin_route(AF_INET);
	put_via(AF_UNIX, near, 3);
	CHECK(decode() == 1);
	CHECK(route->present == 0 && route->gateway.family == 0);
}

/* Legs beyond REACH_LEGS_MAX are counted and validated, but not kept. */
static void check_legs(void)
{
	struct rtnexthop *hop = NULL;
	struct nlattr *nest;
	int i;

	begin_route(AF_INET);
	nest = mnl_attr_nest_start(sample.nlh, RTA_MULTIPATH);
	for (i = 0; i < REACH_LEGS_MAX + 2; i++) {
		hop = mnl_nlmsg_get_payload_tail(sample.nlh);
		*hop = (struct rtnexthop){ .rtnh_len = sizeof(*hop) + 8,
					   .rtnh_ifindex = i + 1 };
		sample.nlh->nlmsg_len += sizeof(*hop);
		mnl_attr_put(sample.nlh, RTA_GATEWAY, 4, far);
	}
	mnl_attr_nest_end(sample.nlh, nest);
	mnl_attr_put_u32(sample.nlh, RTA_PRIORITY, 7);
	CHECK(decode() == 1);
	CHECK(route->leg_count == REACH_LEGS_MAX + 2);
	CHECK(route->present == (REACH_ROUTE_MULTIPATH | REACH_ROUTE_PRIORITY));
	for (i = 0; i < REACH_LEGS_MAX; i++)
		CHECK(route->legs[i].interface_index == (uint32_t)i + 1 &&
		      is_address(&route->legs[i].gateway, AF_INET, far));
	hop->rtnh_len = sizeof(*hop) + 9;
	CHECK(decode() == -EBADMSG);
	/* The last attribute of the last leg is too short. */
	hop->rtnh_len = sizeof(*hop) + 8;
	((struct nlattr *)(hop + 1))->nla_len = 7;
	CHECK(decode() == -EBADMSG);
}

/* A string ends at its NUL, at its attribute's end, or after 15 bytes. */
static void check_link(void)
{
	struct nlattr *info, *port, *names;
	int i;

	begin(RTM_NEWLINK, sizeof(struct ifinfomsg));
	mnl_attr_put(sample.nlh, IFLA_IFNAME, 24, "a-name-that-is-too-long-");
	mnl_attr_put(sample.nlh, IFLA_IFNAME, 6, "eth0\0x");
	mnl_attr_put_u32(sample.nlh, 64, 1);
	info = mnl_attr_nest_start(sample.nlh, IFLA_LINKINFO);
	port = mnl_attr_nest_start(sample.nlh, IFLA_INFO_SLAVE_DATA);
	mnl_attr_put_u8(sample.nlh, IFLA_BOND_SLAVE_STATE, 1);
	mnl_attr_nest_end(sample.nlh, port);
	mnl_attr_put(sample.nlh, IFLA_INFO_SLAVE_KIND, 4, "bond");
	mnl_attr_nest_end(sample.nlh, info);
	mnl_attr_put(sample.nlh, IFLA_ADDRESS, 40, sample.bytes);
	mnl_attr_put(sample.nlh, IFLA_WIRELESS, 0, NULL);
	mnl_attr_put_u8(sample.nlh, IFLA_CARRIER, 1);
	names = mnl_attr_nest_start(sample.nlh, IFLA_PROP_LIST);
	mnl_attr_put_strz(sample.nlh, IFLA_ALT_IFNAME, "enx00aabbccddeeff");
	for (i = 0; i <= REACH_ALTERNATIVES_MAX; i++)
		mnl_attr_put_strz(sample.nlh, IFLA_ALT_IFNAME,
				  i ? "enp2s1" : "enx00aabbccddee");
	mnl_attr_nest_end(sample.nlh, names);
	CHECK(decode() == 1);
	CHECK(memcmp(linked->name, "eth0\0\0\0\0\0\0\0\0\0\0\0", 16) == 0);
	CHECK(linked->slave_state == 1 && linked->kind[0] == 0);
	CHECK(linked->hardware_address_length == 32);
	CHECK(linked->alternative_count == REACH_ALTERNATIVES_MAX);
	CHECK(strcmp(linked->alternatives[0], "enx00aabbccddee") == 0);
	CHECK(strcmp(linked->alternatives[7], "enp2s1") == 0);
	CHECK(linked->present ==
	      (REACH_LINK_NAME | REACH_LINK_INFO | REACH_LINK_SLAVE_STATE |
	       REACH_LINK_HARDWARE_ADDRESS | REACH_LINK_WIRELESS |
	       REACH_LINK_CARRIER));
	CHECK(linked->carrier == 1);
	mnl_attr_put_u8(sample.nlh, IFLA_MTU, 1);
	CHECK(decode() == -EBADMSG);
}

/* Decodes a link with IFLA_INFO_DATA before the kind. */
static int decode_tunnel(const char *kind, uint16_t local, uint16_t remote,
			 uint16_t number)
{
	const uint8_t far6[16] = { 0x20, 1, 0xd, 0xb8 };
	const uint8_t none[16] = { 0 };
	struct nlattr *info, *data;

	begin(RTM_NEWLINK, sizeof(struct ifinfomsg));
	info = mnl_attr_nest_start(sample.nlh, IFLA_LINKINFO);
	data = mnl_attr_nest_start(sample.nlh, IFLA_INFO_DATA);
	mnl_attr_put(sample.nlh, 0, 4, far);
	mnl_attr_put(sample.nlh, local, 4, near);
	mnl_attr_put(sample.nlh, local, 4, none);
	mnl_attr_put(sample.nlh, remote, 16, far6);
	mnl_attr_put(sample.nlh, remote, 16, none);
	mnl_attr_put(sample.nlh, remote, 8, far6);
	mnl_attr_put_u32(sample.nlh, number, 7);
	mnl_attr_nest_end(sample.nlh, data);
	mnl_attr_put_strz(sample.nlh, IFLA_INFO_KIND, kind);
	mnl_attr_nest_end(sample.nlh, info);
	return decode();
}

static void check_tunnel(void)
{
	static const struct {
		const char *kind;
		uint16_t local, remote, mark, link;
	} rows[] = {
		{ "gre", IFLA_GRE_LOCAL, IFLA_GRE_REMOTE, IFLA_GRE_FWMARK, 0 },
		{ "ip6tnl", IFLA_IPTUN_LOCAL, IFLA_IPTUN_REMOTE,
		  IFLA_IPTUN_FWMARK, 0 },
		{ "vti", IFLA_VTI_LOCAL, IFLA_VTI_REMOTE, IFLA_VTI_FWMARK, 0 },
		{ "vxlan", IFLA_VXLAN_LOCAL6, IFLA_VXLAN_GROUP, 0,
		  IFLA_VXLAN_LINK },
		{ "vxlan", IFLA_VXLAN_LOCAL, IFLA_VXLAN_GROUP6, 0,
		  IFLA_VXLAN_LINK },
	};
	const struct reach_tunnel *tunnel = &message.u.link.tunnel;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CHECK(decode_tunnel(rows[i].kind, rows[i].local, rows[i].remote,
				    rows[i].mark + rows[i].link) == 1);
		CHECK(is_address(&tunnel->local, AF_INET, near));
		CHECK(tunnel->remote.family == AF_INET6 &&
		      tunnel->remote.bytes[0] == 0x20);
		CHECK(tunnel->mark == (rows[i].mark ? 7 : 0) &&
		      tunnel->link == (rows[i].link ? 7 : 0));
	}
	CHECK(decode_tunnel("geneve", IFLA_GENEVE_TOS, IFLA_GENEVE_REMOTE,
			    IFLA_GENEVE_TTL) == 1);
	CHECK(tunnel->remote.family == AF_INET6 && tunnel->local.family == 0 &&
	      tunnel->mark == 0);
	CHECK(decode_tunnel("gre2", IFLA_GRE_LOCAL, IFLA_GRE_REMOTE,
			    IFLA_GRE_FWMARK) == 1);
	CHECK(tunnel->remote.family == 0 && tunnel->mark == 0);
}

/* On a point-to-point link, IFA_LOCAL is the address, and IFA_ADDRESS the
 * peer's. */
static void check_own_address(void)
{
	const struct reach_address_message *address = &message.u.address;
	struct ifaddrmsg *ifa = begin(RTM_NEWADDR, sizeof(struct ifaddrmsg));

	ifa->ifa_family = AF_INET;
	ifa->ifa_flags = 0x80;
	mnl_attr_put(sample.nlh, IFA_ADDRESS, 4, far);
	CHECK(decode() == 1);
	CHECK(address->flags == 0x80);
	CHECK(is_address(&address->address, AF_INET, far));
	CHECK(address->peer.family == 0);
	CHECK(address->scope == 0);
	mnl_attr_put(sample.nlh, IFA_LOCAL, 4, near);
	mnl_attr_put_u32(sample.nlh, IFA_FLAGS, 0x10000);
	CHECK(decode() == 1);
	CHECK(is_address(&address->address, AF_INET, near));
	CHECK(is_address(&address->peer, AF_INET, far));
	CHECK(address->flags == 0x10000);
	CHECK(address->present ==
	      (REACH_ADDRESS_ADDRESS | REACH_ADDRESS_LOCAL));
	mnl_attr_put(sample.nlh, IFA_BROADCAST, 4, far);
	CHECK(decode() == 1);
	CHECK(is_address(&address->broadcast, AF_INET, far));
	CHECK(address->present == (REACH_ADDRESS_ADDRESS | REACH_ADDRESS_LOCAL |
				   REACH_ADDRESS_BROADCAST));
	mnl_attr_put(sample.nlh, IFA_LOCAL, 3, near);
	CHECK(decode() == -EBADMSG);
}

/* Link attributes that are shorter or longer than the structs of today's
 * headers: older and newer kernels send them. Those that the library reads have
 * at least the size of their number, or the message is invalid. */
static void check_link_lengths(void)
{
	static const struct {
		uint16_t type;
		uint16_t size;
		int result;
	} cases[] = {
		/* Linux 4.4 sent 184 bytes of statistics. */
		{ IFLA_STATS64, 184, 1 },
		{ IFLA_STATS, 92, 1 },
		{ IFLA_XDP, 3, 1 },
		{ IFLA_OPERSTATE, 4, 1 },
		{ IFLA_OPERSTATE, 0, -EBADMSG },
		{ IFLA_CARRIER, 0, -EBADMSG },
		{ IFLA_MTU, 2, -EBADMSG },
		{ IFLA_MASTER, 8, 1 },
		{ IFLA_ADDRESS, 0, 1 },
		{ IFLA_ADDRESS, 64, 1 },
		{ IFLA_LINKINFO, 3, 1 },
		{ IFLA_IFNAME, 4, 1 },
		{ IFLA_IFNAME, 40, 1 },
	};
	static const char ones[200] = "eth0eth0eth0eth0eth0";

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {

		(void)begin(RTM_NEWLINK, sizeof(struct ifinfomsg));
		mnl_attr_put(sample.nlh, cases[i].type, cases[i].size, ones);
		if (!CHECK(decode() == cases[i].result))
			fprintf(stderr, "attribute %u of %u bytes\n",
				cases[i].type, cases[i].size);
		/* Cut to IFNAMSIZ with its NUL, which may be missing. */
		if (cases[i].type == IFLA_IFNAME)
			CHECK(strlen(message.u.link.name) ==
			      (cases[i].size < 15 ? cases[i].size : 15));
	}
}

/* Each number has a member and a bit of its own. */
struct number {
	uint16_t type;
	uint16_t place;
	uint32_t bit;
};

#define LINK(type, member, bit)                                                \
	{ type, offsetof(struct reach_link_message, member), bit }
#define ROUTE(type, member, bit)                                               \
	{ type, offsetof(struct reach_route_message, member), bit }

static const struct number link_numbers[] = {
	LINK(IFLA_MTU, mtu, REACH_LINK_MTU),
	LINK(IFLA_MASTER, master, REACH_LINK_MASTER),
	LINK(IFLA_LINK, lower, REACH_LINK_LOWER),
	LINK(IFLA_LINK_NETNSID, lower_netns, REACH_LINK_LOWER_NETNS),
	LINK(IFLA_GROUP, group, REACH_LINK_GROUP),
};
static const struct number route_numbers[] = {
	ROUTE(RTA_OIF, output, REACH_ROUTE_OUTPUT),
	ROUTE(RTA_IIF, input, REACH_ROUTE_INPUT),
	ROUTE(RTA_PRIORITY, priority, REACH_ROUTE_PRIORITY),
	ROUTE(RTA_NH_ID, nexthop_id, REACH_ROUTE_NEXTHOP_ID),
	ROUTE(RTA_MARK, mark, REACH_ROUTE_MARK),
	ROUTE(RTA_UID, uid, REACH_ROUTE_UID),
};

static void check_numbers(bool is_link, const struct number *numbers,
			  size_t count)
{
	const uint8_t *body = (const void *)&message.u;
	uint32_t present = 0, value;
	size_t i;

	if (is_link)
		(void)begin(RTM_NEWLINK, sizeof(struct ifinfomsg));
	else
		begin_route(AF_INET);
	for (i = 0; i < count; i++) {
		mnl_attr_put_u32(sample.nlh, numbers[i].type,
				 100 + (uint32_t)i);
		present |= numbers[i].bit;
	}
	CHECK(decode() == 1);
	/* `present` is the first member of both. */
	CHECK(message.u.link.present == present);
	for (i = 0; i < count; i++) {
		memcpy(&value, body + numbers[i].place, sizeof(value));
		if (!CHECK(value == 100 + i))
			fprintf(stderr, "attribute %u\n", numbers[i].type);
	}
}

/* Only a bond's ports have this state: another master's attribute of the same
 * number means something else. */
static void check_other_port(void)
{
	struct nlattr *info, *port;

	(void)begin(RTM_NEWLINK, sizeof(struct ifinfomsg));
	info = mnl_attr_nest_start(sample.nlh, IFLA_LINKINFO);
	port = mnl_attr_nest_start(sample.nlh, IFLA_INFO_SLAVE_DATA);
	mnl_attr_put_u8(sample.nlh, IFLA_BOND_SLAVE_STATE, 1);
	mnl_attr_nest_end(sample.nlh, port);
	mnl_attr_put_strz(sample.nlh, IFLA_INFO_SLAVE_KIND, "bridge");
	mnl_attr_nest_end(sample.nlh, info);
	CHECK(decode() == 1);
	CHECK(message.u.link.present == REACH_LINK_INFO &&
	      !message.u.link.slave_state);
}

void test_decoder(void)
{
	check_calls();
	check_header(2);
	check_header(8);
	check_header(28);
	check_values(AF_INET, 4);
	check_values(AF_INET6, 16);
	check_sizes();
	check_errors();
	check_via();
	check_legs();
	check_link();
	check_tunnel();
	check_link_lengths();
	check_own_address();
	check_numbers(true, link_numbers,
		      sizeof(link_numbers) / sizeof(*link_numbers));
	check_numbers(false, route_numbers,
		      sizeof(route_numbers) / sizeof(*route_numbers));
	check_other_port();
}
