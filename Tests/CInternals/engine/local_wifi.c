/* SPDX-License-Identifier: MIT */
/* The choice of local Wi-Fi (169.254.0.0) from the links of a namespace, and what
 * is left of a link that is gone or a bridge's port. */
#include <stdio.h>
#include <sys/socket.h>

#include <linux/if.h>
#include <linux/if_arp.h>
#include <linux/rtnetlink.h>

#include "bytes.h"

#define DIRECT (REACH_FLAG_REACHABLE | REACH_FLAG_IS_DIRECT)

/* The link is new or changes, and has the address 10.0.0.INDEX. */
static void tell_new(struct bytes *bytes, const struct bytes_link *link)
{
	char text[24];

	bytes_tell_of(bytes, RTM_NEWLINK, link);
	snprintf(text, sizeof(text), "10.0.0.%u", link->index);
	bytes_tell_address_of(bytes, link->index, RTM_NEWADDR, text);
}

/* A namespace that has only lo. */
static void open_bare(struct bytes *bytes)
{
	static const struct bytes_link eth0 = { .index = 2 };

	*bytes = (struct bytes){ .look_up = bytes_no_route, .bare = true };
	bytes_open(bytes, BYTES_SECOND);
	bytes_settle(bytes);
	bytes_tell_of(bytes, RTM_DELLINK, &eth0);
}

static uint64_t watch(struct bytes *bytes)
{
	return bytes_add_new(bytes, REACH_TARGET_LOCAL_WIFI, NULL);
}

static bool is_over(struct bytes *bytes, uint64_t id, uint32_t index)
{
	struct reach_state state = bytes_state(bytes, id);

	return state.flags == (index ? DIRECT : 0) &&
	       state.interface_index == index &&
	       (state.source.family != 0) == (index != 0);
}

/* A link whose other end, or lower link, is in another namespace. */
#define LINK_OF(container, up, hardware)                                       \
	{ .index = 5,                                                          \
	  .kind = container,                                                   \
	  .flags = up,                                                         \
	  .type = hardware,                                                    \
	  .lower = 6,                                                          \
	  .elsewhere = true }
#define CONTAINER(kind) LINK_OF(kind, BYTES_UP, ARPHRD_ETHER)
#define CARD(up)	{ .index = 7, .flags = up }

static const struct {
	const char *what;
	struct bytes_link links[3];
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
	  { { .index = 3, .kind = "vlan", .flags = BYTES_UP, .lower = 4 },
	    { .index = 4, .kind = "bridge" },
	    { .index = 5,
	      .kind = "veth",
	      .flags = BYTES_UP,
	      .lower = 6,
	      .elsewhere = true,
	      .master = 4 } },
	  3 },
	{ "both ends of a veth",
	  { { .index = 5, .kind = "veth", .flags = BYTES_UP, .lower = 6 } },
	  0 },
	{ "no carrier", { LINK_OF("veth", IFF_UP, ARPHRD_ETHER) }, 0 },
	{ "no Ethernet", { LINK_OF("netkit", BYTES_UP, ARPHRD_NONE) }, 0 },
	{ "a tunnel through another namespace", { CONTAINER("gretap") }, 0 },
	{ "a dummy", { CONTAINER("dummy") }, 0 },
	{ "beside a tunnel",
	  { CONTAINER("veth"),
	    { .index = 3,
	      .kind = "wireguard",
	      .flags = BYTES_UP,
	      .type = ARPHRD_NONE } },
	  5 },
	{ "beside a network card", { CONTAINER("veth"), CARD(BYTES_UP) }, 7 },
	{ "beside a network card that is down",
	  { CONTAINER("veth"), CARD(0) },
	  0 },
	{ "beside a modem",
	  { CONTAINER("veth"),
	    { .index = 7, .kind = "wwan", .type = ARPHRD_NONE } },
	  0 },
};

static void which(void)
{
	uint64_t id;
	size_t i, j;

	for (i = 0; i < sizeof(hosts) / sizeof(*hosts); i++) {
		SCOPED_BYTES bytes;

		open_bare(&bytes);
		for (j = 0; j < 3 && hosts[i].links[j].index; j++)
			tell_new(&bytes, &hosts[i].links[j]);
		id = watch(&bytes);
		if (!CHECK(is_over(&bytes, id, hosts[i].index)))
			fprintf(stderr, "%s\n", hosts[i].what);
		/* The class of a container's link is still virtual. */
		CHECK(hosts[i].index != 5 ||
		      bytes_state(&bytes, id).interface_class ==
			      REACH_INTERFACE_VIRTUAL);
	}
}

/* Events of a bridge's ports have the family AF_BRIDGE: a port that leaves looks
 * like a deleted link (br_ifinfo_notify(), net/bridge/br_netlink.c). The
 * RTM_NEWLINK that follows hides a mistake at once. */
static void ports(void)
{
	static const struct bytes_link bridge = { .index = 4,
						  .kind = "bridge",
						  .flags = BYTES_UP },
				       port = { .index = 5,
						.kind = "veth",
						.flags = BYTES_UP,
						.master = 4 },
				       unknown = { .index = 6,
						   .flags = BYTES_UP,
						   .master = 4,
						   .family = AF_BRIDGE },
				       left = { .index = 5,
						.kind = "veth",
						.flags = BYTES_UP,
						.master = 4,
						.family = AF_BRIDGE };
	SCOPED_BYTES bytes;

	open_bare(&bytes);
	bytes_tell_of(&bytes, RTM_NEWLINK, &bridge);
	bytes_tell_of(&bytes, RTM_NEWLINK, &port);
	bytes_tell_of(&bytes, RTM_NEWLINK, &unknown);
	CHECK(!reach_links_find(&bytes.engine->links, 6));
	bytes_tell_of(&bytes, RTM_DELLINK, &left);
	CHECK(reach_links_find(&bytes.engine->links, 5));
	bytes_tell_of(&bytes, RTM_DELLINK, &port);
	CHECK(!reach_links_find(&bytes.engine->links, 5));
}

/* An interface that is gone isn't named, nor one that nobody knows. */
static void gone(void)
{
	static const struct bytes_link card = CARD(BYTES_UP);
	struct bytes_way way = { .output = 7 };
	SCOPED_BYTES bytes = { .look_up = bytes_way, .context = &way };
	uint64_t id = bytes_begin(&bytes, "192.0.2.1", 0);
	struct reach_state state = bytes_state(&bytes, id);

	CHECK(state.flags == 0 && state.reason == REACH_REASON_LINK_DOWN);
	CHECK(state.interface_index == 0 && !state.gateway.family &&
	      !state.source.family);
	bytes_tell_of(&bytes, RTM_NEWLINK, &card);
	state = bytes_state(&bytes, id);
	CHECK(state.interface_index == 7 &&
	      state.interface_class == REACH_INTERFACE_WIRED_ETHERNET);
	/* Its next lookup waits for an answer. */
	bytes_tell_of(&bytes, RTM_DELLINK, &card);
	CHECK(bytes_ask(&bytes) > 0);
	CHECK(!reach_engine_state(bytes.engine, id, &state));
	CHECK(state.flags == 0 && state.interface_index == 0);
	CHECK(state.interface_class == REACH_INTERFACE_OTHER &&
	      !state.interface_name[0]);
}

void test_local_wifi(void)
{
	which();
	ports();
	gone();
}
