/* SPDX-License-Identifier: MIT */
/* What a caller reads of a tunnel: its ends, its mark, and the link below. */
#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/if_tunnel.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include <libmnl/libmnl.h>

#include "bytes.h"

#define NOWHERE UINT32_MAX

static void begin(struct nlmsghdr *nlh)
{
	struct ifinfomsg *ifi = mnl_nlmsg_put_extra_header(nlh, sizeof(*ifi));

	nlh->nlmsg_type = RTM_NEWLINK;
	ifi->ifi_index = 7;
	ifi->ifi_flags = BYTES_UP;
	mnl_attr_put_strz(nlh, IFLA_IFNAME, "t0");
}

/* A tunnel changes; without @remote, it has none. @netns: the id of the namespace
 * it came from, or NOWHERE. */
static void tell(struct bytes *bytes, const char *kind, const char *remote,
		 uint32_t lower, uint32_t netns)
{
	const bool is_vxlan = strcmp(kind, "vxlan") == 0;
	uint32_t buffer[128];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buffer);
	struct nlattr *info, *data;

	begin(nlh);
	mnl_attr_put_u8(nlh, IFLA_OPERSTATE, IF_OPER_UP);
	if (lower && !is_vxlan)
		mnl_attr_put_u32(nlh, IFLA_LINK, lower);
	if (netns != NOWHERE)
		mnl_attr_put_u32(nlh, IFLA_LINK_NETNSID, netns);
	info = mnl_attr_nest_start(nlh, IFLA_LINKINFO);
	mnl_attr_put_strz(nlh, IFLA_INFO_KIND, kind);
	data = mnl_attr_nest_start(nlh, IFLA_INFO_DATA);
	if (remote)
		mnl_attr_put(nlh, is_vxlan ? IFLA_VXLAN_GROUP : IFLA_GRE_REMOTE,
			     4, remote);
	mnl_attr_put(nlh, is_vxlan ? IFLA_VXLAN_LOCAL : IFLA_GRE_LOCAL, 4,
		     "\012\0\0\002");
	if (is_vxlan)
		mnl_attr_put_u32(nlh, IFLA_VXLAN_LINK, lower);
	else
		mnl_attr_put_u32(nlh, IFLA_GRE_FWMARK, 9);
	mnl_attr_nest_end(nlh, data);
	mnl_attr_nest_end(nlh, info);
	reach_engine_events(bytes->engine, buffer, nlh->nlmsg_len);
}

/* An event of the wireless extensions, which has a name alone. */
static void tell_part(struct bytes *bytes)
{
	uint32_t buffer[128];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buffer);

	begin(nlh);
	mnl_attr_put(nlh, IFLA_WIRELESS, 0, NULL);
	reach_engine_events(bytes->engine, buffer, nlh->nlmsg_len);
}

/* Whether interfaces changed since the last call. */
static bool changed(const struct bytes *bytes, uint64_t *last)
{
	const uint64_t now = bytes_stats(bytes).interface_changes;
	const bool differs = now != *last;

	*last = now;
	return differs;
}

static struct reach_interface tunnel(const struct bytes *bytes)
{
	struct reach_interface ret = { .size = sizeof(ret) };

	reach_engine_interface(bytes->engine, 6, &ret);
	return ret;
}

static void try(struct bytes *bytes)
{
	uint64_t last = bytes_stats(bytes).interface_changes;
	struct reach_interface link;

	tell(bytes, "gre", "\300\0\002\011", 0, NOWHERE);
	link = tunnel(bytes);
	CHECK(changed(bytes, &last));
	CHECK(link.remote.family == AF_INET && link.mark == 9 &&
	      memcmp(link.remote.bytes, "\300\0\002\011", 4) == 0);
	CHECK(link.local.bytes[3] == 2 && link.lower == 0 &&
	      link.lower_elsewhere == 0);
	tell(bytes, "gre", "\300\0\002\011", 0, NOWHERE);
	tell_part(bytes);
	CHECK(!changed(bytes, &last));
	CHECK(tunnel(bytes).mark == 9);
	tell(bytes, "gre", "\300\0\002\012", 0, NOWHERE);
	CHECK(changed(bytes, &last));
	tell(bytes, "gre", "\300\0\002\012", 2, NOWHERE);
	CHECK(changed(bytes, &last));
	CHECK(tunnel(bytes).remote.bytes[3] == 10 && tunnel(bytes).lower == 2);
	tell(bytes, "gre", NULL, 2, 0);
	CHECK(changed(bytes, &last));
	CHECK(tunnel(bytes).remote.family == 0 &&
	      tunnel(bytes).lower_elsewhere == 1);
	tell(bytes, "vxlan", "\300\0\002\011", 2, NOWHERE);
	link = tunnel(bytes);
	CHECK(link.lower == 2 && link.mark == 0 && link.lower_elsewhere == 0);
	/* The kernel reports no IFLA_LINK of a vxlan. */
	tell(bytes, "vxlan", "\300\0\002\011", 0, 0);
	CHECK(tunnel(bytes).lower == 0 && tunnel(bytes).lower_elsewhere == 1);
}

void test_tunnels(void)
{
	SCOPED_BYTES bytes = { .look_up = bytes_no_route };

	bytes_open(&bytes, BYTES_SECOND);
	bytes_settle(&bytes);
	try(&bytes);
}
