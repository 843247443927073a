/* SPDX-License-Identifier: MIT */
/* The choice of local Wi-Fi (169.254.0.0) from the links of a namespace, and what
 * is left of a link that is gone or a bridge's port. */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/if.h>
#include <linux/if_arp.h>
#include <linux/rtnetlink.h>

#include "bytes.h"
#include "engine/engine.h"

#define UP     (IFF_UP | IFF_RUNNING | IFF_LOWER_UP)
#define DIRECT (REACH_FLAG_REACHABLE | REACH_FLAG_IS_DIRECT)

struct link {
	uint32_t index;
	const char *kind;
	uint32_t flags;
	/* ARPHRD_*; 0 for Ethernet. */
	uint16_t type;
	/* The lower link, which is in another namespace if `elsewhere`. */
	uint32_t lower;
	bool elsewhere;
	uint32_t master;
};

static void tell(struct bytes *bytes, uint16_t type, uint8_t family,
		 const struct link *link)
{
	uint32_t buffer[128];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buffer);
	struct ifinfomsg *ifi = mnl_nlmsg_put_extra_header(nlh, sizeof(*ifi));
	struct nlattr *info;
	char name[16];

	nlh->nlmsg_type = type;
	ifi->ifi_family = family;
	ifi->ifi_type = link->type ? link->type : ARPHRD_ETHER;
	ifi->ifi_index = (int)link->index;
	ifi->ifi_flags = link->flags;
	snprintf(name, sizeof(name), "link%u", link->index);
	mnl_attr_put_strz(nlh, IFLA_IFNAME, name);
	mnl_attr_put_u8(nlh, IFLA_OPERSTATE, 0);
	if (link->master)
		mnl_attr_put_u32(nlh, IFLA_MASTER, link->master);
	if (link->lower)
		mnl_attr_put_u32(nlh, IFLA_LINK, link->lower);
	if (link->elsewhere)
		mnl_attr_put_u32(nlh, IFLA_LINK_NETNSID, 0);
	if (link->kind[0]) {
		info = mnl_attr_nest_start(nlh, IFLA_LINKINFO);
		mnl_attr_put_strz(nlh, IFLA_INFO_KIND, link->kind);
		mnl_attr_nest_end(nlh, info);
	}
	reach_engine_events(bytes->engine, buffer, nlh->nlmsg_len);
}

/* The link is new or changes, and has the address 10.0.0.INDEX. */
static void tell_new(struct bytes *bytes, const struct link *link)
{
	char text[16];

	tell(bytes, RTM_NEWLINK, AF_UNSPEC, link);
	snprintf(text, sizeof(text), "10.0.0.%u", link->index);
	bytes_tell_address_of(bytes, link->index, RTM_NEWADDR, text);
}

/* A namespace that has only lo. */
static void open_bare(struct bytes *bytes)
{
	static const struct link eth0 = { 2, "", 0, 0, 0, false, 0 };

	*bytes = (struct bytes){ .look_up = bytes_no_route, .bare = true };
	bytes_open(bytes, BYTES_SECOND);
	bytes_settle(bytes);
	tell(bytes, RTM_DELLINK, AF_UNSPEC, &eth0);
}

static uint64_t watch(struct bytes *bytes)
{
	struct reach_target target;

	reach_target_init(&target, REACH_TARGET_LOCAL_WIFI);
	return bytes_add(bytes, &target);
}

static bool is_over(struct bytes *bytes, uint64_t id, uint32_t index)
{
	struct reach_state state;

	bytes_settle(bytes);
	state = bytes_state(bytes, id);
	return state.flags == (index ? DIRECT : 0) &&
	       state.interface_index == index &&
	       (state.source.family != 0) == (index != 0);
}

#define CONTAINER(kind) { 5, kind, UP, 0, 6, true, 0 }
#define CARD(flags)	{ 7, "", flags, 0, 0, false, 0 }

static const struct {
	const char *what;
	struct link links[3];
	uint32_t index;
} hosts[] = {
	{ "a container on veth", { CONTAINER("veth") }, 5 },
	{ "a container on netkit", { CONTAINER("netkit") }, 5 },
	{ "a container on macvlan", { CONTAINER("macvlan") }, 5 },
	{ "a container on macvtap", { CONTAINER("macvtap") }, 5 },
	{ "a container on ipvlan", { CONTAINER("ipvlan") }, 5 },
	{ "a container on ipvtap", { CONTAINER("ipvtap") }, 5 },
	{ "a container on a VLAN", { CONTAINER("vlan") }, 5 },
	{ "a VLAN over a bridge over veth",
	  { { 3, "vlan", UP, 0, 4, false, 0 },
	    { 4, "bridge", 0, 0, 0, false, 0 },
	    { 5, "veth", UP, 0, 6, true, 4 } },
	  3 },
	{ "both ends of a veth", { { 5, "veth", UP, 0, 6, false, 0 } }, 0 },
	{ "no carrier", { { 5, "veth", IFF_UP, 0, 6, true, 0 } }, 0 },
	{ "no Ethernet", { { 5, "netkit", UP, ARPHRD_NONE, 6, true, 0 } }, 0 },
	{ "a tunnel through another namespace", { CONTAINER("gretap") }, 0 },
	{ "a dummy", { CONTAINER("dummy") }, 0 },
	{ "beside a tunnel",
	  { CONTAINER("veth"),
	    { 3, "wireguard", UP, ARPHRD_NONE, 0, false, 0 } },
	  5 },
	{ "beside a network card", { CONTAINER("veth"), CARD(UP) }, 7 },
	{ "beside a network card that is down",
	  { CONTAINER("veth"), CARD(0) },
	  0 },
	{ "beside a modem",
	  { CONTAINER("veth"), { 7, "wwan", 0, ARPHRD_NONE, 0, false, 0 } },
	  0 },
};

static void which(struct check *check)
{
	struct bytes bytes;
	size_t i, j;

	for (i = 0; i < sizeof(hosts) / sizeof(*hosts); i++) {
		open_bare(&bytes);
		for (j = 0; j < 3 && hosts[i].links[j].index; j++)
			tell_new(&bytes, &hosts[i].links[j]);
		if (!CHECK(check,
			   is_over(&bytes, watch(&bytes), hosts[i].index)))
			fprintf(stderr, "%s\n", hosts[i].what);
		bytes_close(&bytes);
	}
}

/* It follows a card that comes and goes, and the other end of a veth. */
static void follows(struct check *check)
{
	static const struct link veth = CONTAINER("veth"), card = CARD(UP),
				 unplugged = CARD(0),
				 here = { 5, "veth", UP, 0, 6, false, 0 };
	struct reach_interface link = { .size = sizeof(link) };
	struct bytes bytes;
	uint64_t id;

	open_bare(&bytes);
	tell_new(&bytes, &veth);
	id = watch(&bytes);
	CHECK(check, is_over(&bytes, id, 5));
	/* The class itself is still virtual. */
	CHECK(check, bytes_state(&bytes, id).interface_class ==
			     REACH_INTERFACE_VIRTUAL);
	CHECK(check, reach_engine_interface(bytes.engine, 4, &link) == 1 &&
			     link.interface_class == REACH_INTERFACE_VIRTUAL);
	tell(&bytes, RTM_NEWLINK, AF_UNSPEC, &unplugged);
	CHECK(check, is_over(&bytes, id, 0));
	tell_new(&bytes, &card);
	CHECK(check, is_over(&bytes, id, 7));
	tell(&bytes, RTM_DELLINK, AF_UNSPEC, &card);
	CHECK(check, is_over(&bytes, id, 5));
	tell(&bytes, RTM_NEWLINK, AF_UNSPEC, &here);
	CHECK(check, is_over(&bytes, id, 0));
	tell(&bytes, RTM_NEWLINK, AF_UNSPEC, &veth);
	CHECK(check, is_over(&bytes, id, 5));
	bytes_close(&bytes);
}

/* Events of a bridge's ports have the family AF_BRIDGE: a port that leaves looks
 * like a deleted link (br_ifinfo_notify(), net/bridge/br_netlink.c). The
 * RTM_NEWLINK that follows hides a mistake at once. */
static void ports(struct check *check)
{
	static const struct link bridge = { 4, "bridge", UP, 0, 0, false, 0 },
				 port = { 5, "veth", UP, 0, 0, false, 4 },
				 unknown = { 6, "", UP, 0, 0, false, 4 };
	struct bytes bytes;

	open_bare(&bytes);
	tell(&bytes, RTM_NEWLINK, AF_UNSPEC, &bridge);
	tell(&bytes, RTM_NEWLINK, AF_UNSPEC, &port);
	tell(&bytes, RTM_NEWLINK, AF_BRIDGE, &unknown);
	CHECK(check, !reach_links_find(&bytes.engine->links, 6));
	tell(&bytes, RTM_DELLINK, AF_BRIDGE, &port);
	CHECK(check, reach_links_find(&bytes.engine->links, 5));
	tell(&bytes, RTM_DELLINK, AF_UNSPEC, &port);
	CHECK(check, !reach_links_find(&bytes.engine->links, 5));
	bytes_close(&bytes);
}

static int look_up(struct bytes *bytes, const struct nlmsghdr *request,
		   struct nlmsghdr *ret)
{
	(void)bytes;
	(void)request;
	mnl_attr_put_u32(ret, RTA_OIF, 7);
	mnl_attr_put(ret, RTA_GATEWAY, 4, "\012\0\0\002");
	mnl_attr_put(ret, RTA_PREFSRC, 4, "\012\0\0\001");
	return 0;
}

/* An interface that is gone isn't named, nor one that nobody knows. */
static void gone(struct check *check)
{
	static const struct link card = CARD(UP);
	static _Alignas(8) uint8_t requests[REACH_REQUESTS_SIZE];
	struct bytes bytes = { .look_up = look_up };
	size_t size = 0;
	struct reach_state state;
	uint64_t id;

	bytes_open(&bytes, BYTES_SECOND);
	id = bytes_watch(&bytes, "192.0.2.1", 0);
	bytes_settle(&bytes);
	state = bytes_state(&bytes, id);
	CHECK(check,
	      state.flags == 0 && state.reason == REACH_REASON_LINK_DOWN);
	CHECK(check, state.interface_index == 0 && !state.gateway.family &&
			     !state.source.family);
	tell(&bytes, RTM_NEWLINK, AF_UNSPEC, &card);
	bytes_settle(&bytes);
	state = bytes_state(&bytes, id);
	CHECK(check,
	      state.interface_index == 7 &&
		      state.interface_class == REACH_INTERFACE_WIRED_ETHERNET);
	/* Its next lookup waits for an answer. */
	tell(&bytes, RTM_DELLINK, AF_UNSPEC, &card);
	CHECK(check, !reach_engine_requests(bytes.engine, requests,
					    sizeof(requests), &size) &&
			     size > 0);
	state = bytes_state(&bytes, id);
	CHECK(check, state.flags == 0 && state.interface_index == 0);
	CHECK(check, state.interface_class == REACH_INTERFACE_OTHER &&
			     !state.interface_name[0]);
	bytes_close(&bytes);
}

void test_local_wifi(struct check *check)
{
	which(check);
	follows(check);
	ports(check);
	gone(check);
}
