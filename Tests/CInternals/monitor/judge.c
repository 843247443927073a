/* SPDX-License-Identifier: MIT */
/*
 * A second judge, besides RTM_GETROUTE: both the library and `ip route get` use
 * that request. This test builds random configurations and sends one packet per
 * target from a connected UDP socket. A verdict is right if it names the link
 * and the source of the packet. If no packet comes out, "unreachable" is right.
 * Packets don't show the gateway, so it is compared with a lookup from the
 * packet's source.
 *
 * The peers of the links are in the same namespace and have no addresses. No
 * next hop has to answer: the links have no ARP, or static neighbors (e2).
 *
 * REACH_JUDGE is the number of configurations, REACH_JUDGE_SEED the first seed.
 * Odd seeds have a VRF, and every second pair of seeds uses optimistic
 * addresses as sources, if the kernel supports them.
 */
#include <errno.h>
#include <fcntl.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <linux/if_packet.h>

#include <linux/rtnetlink.h>

#include "base/base.h"
#include "monitor/answer.h"
#include "monitor/judge_lookup.h"

#define CONFIGURATIONS 20
#define STEPS	       12
#define PORT	       9
/* Ten seconds for changes that the kernel announces late. */
#define LATE_TRIES 200
#define TRY_MS	   50
/* The longest time that a packet takes from a link to its peer. */
#define PACKET_MS 1000

/* Links, and the interfaces at which their packets are seen. The VRF, if there
 * is one, is the loopback interface of its addresses. */
static const char *const names[] = { "e0", "e1", "e2", "lo", "v0" };
static const char *const ends[] = { "p0", "p1", "p2", "lo", "v0" };

#define LINKS (sizeof(names) / sizeof(*names))

static const char *const remotes[] = {
	"192.0.2.1",	      "192.0.2.200",	  "198.51.100.1",
	"10.9.0.2",	      "10.8.0.2",	  "10.9.0.1",
	"10.8.0.1",	      "2001:db8:ffff::1", "2001:db8:aaaa::1",
	"2001:db8:9::2",      "2001:db8:8::2",	  "2001:db8:8::1",
	"2001:db8:bbbb:1::1", "10.9.0.255",	  "224.0.0.251",
	"2001:db8:7:1::1",    "203.0.113.1",	  "2001:db8:dddd::1",
	"fe80::77",	      "ff02::fb",	  "ff05::fb",
	"ff0e::fb",
};

#define REMOTES (sizeof(remotes) / sizeof(*remotes))

/* The properties of the socket, besides the address. */
static const struct variant {
	const char *interface_name;
	uint32_t mark;
	uint32_t uid;
} variants[] = {
	{ "", 0, REACH_UID_CALLER },
	{ "", 7, REACH_UID_CALLER },
	{ "", 0, 1000 },
	{ "e0", 0, REACH_UID_CALLER },
	{ "e1", 0, REACH_UID_CALLER },
	{ "e2", 0, REACH_UID_CALLER },
	{ "lo", 0, REACH_UID_CALLER },
	{ "v0", 0, REACH_UID_CALLER },
};

#define VARIANTS (sizeof(variants) / sizeof(*variants))
#define TARGETS	 (REMOTES * VARIANTS)

/* More targets to watch, so that the engine has many. */
#define OTHERS 80

static const char *const base[] = {
	"link set lo up",
	"link add e0 type veth peer name p0",
	"link add e1 type veth peer name p1",
	"link set e0 arp off up",
	"link set e1 arp off up",
	"link set p0 arp off up",
	"link set p1 arp off up",
	"addr add 10.9.0.1/24 dev e0",
	"addr add 10.8.0.1/24 dev e1",
	"-6 addr add 2001:db8:9::1/64 dev e0 nodad",
	"-6 addr add 2001:db8:8::1/64 dev e1 nodad",
	/* With ARP, and so with duplicate address detection. No automatic
	 * addresses, because these could come at any moment. */
	"link add e2 type veth peer name p2",
	"link set p2 arp off up",
	"link set e2 addrgenmode none up",
	"-6 addr add fe80::1/64 dev e2 nodad",
	"-6 addr add 2001:db8:7::1/64 dev e2 nodad",
	"-6 neigh add 2001:db8:7::2 lladdr 2:0:0:0:0:2 nud permanent dev e2",
	"-6 neigh add fe80::77 lladdr 2:0:0:0:0:2 nud permanent dev e2",
	"-6 route add 2001:db8:7:1::/64 via 2001:db8:7::2 dev e2",
};

/* Keeps the peers from sending multicast. */
static const char *const mute[] = {
	"/proc/sys/net/ipv6/conf/p0/disable_ipv6",
	"/proc/sys/net/ipv6/conf/p1/disable_ipv6",
	"/proc/sys/net/ipv6/conf/p2/disable_ipv6",
};

/* Run before the steps of odd seeds. Not every kernel has VRFs. */
static const char *const vrf[] = {
	"link add v0 type vrf table 88",
	"link set v0 up",
	"link set e1 master v0",
	/* Restores the address, which a new master removes. */
	"-6 addr replace 2001:db8:8::1/64 dev e1 nodad",
};

/* Turned on before the steps of every second pair of seeds. */
static const char *const optimistic[] = {
	"/proc/sys/net/ipv6/conf/e2/optimistic_dad",
	"/proc/sys/net/ipv6/conf/e2/use_optimistic",
};

#define OPTIMISTIC (sizeof(optimistic) / sizeof(*optimistic))

/* Each step runs one of these. One that fails changes nothing. */
static const char *const steps[] = {
	"route replace default via 10.9.0.2",
	"route replace default via 10.8.0.2",
	"route del default",
	"route replace 192.0.2.0/24 via 10.8.0.2",
	"route replace 192.0.2.0/25 dev e0 src 10.8.0.1",
	"route replace prohibit 192.0.2.128/25",
	"route replace unreachable 198.51.100.0/24",
	"route replace blackhole 198.51.100.0/24",
	"route add 192.0.2.0/24 via 10.9.0.2 metric 5",
	"route add default via 10.8.0.2 metric 500",
	"route del 192.0.2.0/24 metric 5",
	"route add 224.0.0.0/4 dev e1",
	"route del 224.0.0.0/4",
	"nexthop add id 5 via 10.8.0.2 dev e1",
	"nexthop replace id 5 via 10.9.0.2 dev e0",
	"nexthop del id 5",
	"route replace 192.0.2.0/24 nhid 5",
	"route replace throw 192.0.2.0/24",
	"route del 192.0.2.0/24",
	"route del 192.0.2.0/25",
	"route del 198.51.100.0/24",
	"route replace default via 10.8.0.2 table 77",
	"route replace default via 10.9.0.2 table 77",
	"route replace 192.0.2.0/24 via 10.9.0.2 src 10.8.0.1 table 77",
	"route replace unreachable 198.51.100.0/24 table 77",
	"route flush table 77",
	"rule add from 10.9.0.1 lookup 77",
	"rule add from 10.8.0.0/24 lookup 77",
	"rule add from 10.9.0.1 prohibit",
	"rule add not from 10.9.0.0/24 lookup 77",
	"rule add from 10.8.0.1 fwmark 7 lookup 77",
	"rule add from 10.9.0.0/24 to 192.0.2.0/24 unreachable",
	"rule add fwmark 7 lookup 77",
	"rule add uidrange 1000-1000 lookup 77",
	"rule add oif e1 lookup 77",
	"rule add to 198.51.100.0/24 lookup 77",
	"rule del from 10.9.0.1 lookup 77",
	"rule del from 10.8.0.0/24 lookup 77",
	"rule del from 10.9.0.1 prohibit",
	"rule del not from 10.9.0.0/24 lookup 77",
	"rule del fwmark 7 lookup 77",
	"addr add 10.9.0.3/24 dev e0",
	"addr del 10.9.0.1/24 dev e0",
	"addr replace 10.9.0.1/24 dev e0",
	"addr del 10.8.0.1/24 dev e1",
	"addr replace 10.8.0.1/24 dev e1",
	"-6 route replace default via 2001:db8:9::2 dev e0",
	"-6 route replace default via 2001:db8:8::2 dev e1",
	"-6 route del default",
	"-6 route add default from 2001:db8:9::/64 via 2001:db8:9::2 dev e0",
	"-6 route add default from 2001:db8:8::/64 via 2001:db8:8::2 dev e1",
	"-6 route del default from 2001:db8:9::/64",
	"-6 route del default from 2001:db8:8::/64",
	"-6 route add 2001:db8:ffff::/48 from 2001:db8:8::/64 dev e1",
	"-6 route del 2001:db8:ffff::/48 from 2001:db8:8::/64",
	"-6 route replace 2001:db8:aaaa::/48 via 2001:db8:8::2 dev e1",
	"-6 route replace unreachable 2001:db8:aaaa::/48",
	"-6 route add default via 2001:db8:8::2 dev e1 metric 9",
	"-6 nexthop add id 6 via 2001:db8:8::2 dev e1",
	"-6 nexthop del id 6",
	"-6 route replace 2001:db8:aaaa::/48 nhid 6",
	"-6 route replace prohibit 2001:db8:aaaa::/48 from 2001:db8:9::/64",
	"-6 route del 2001:db8:aaaa::/48",
	"-6 route replace default via 2001:db8:8::2 dev e1 table 77",
	"-6 route replace default via 2001:db8:9::2 dev e0 table 77",
	"-6 route flush table 77",
	"-6 rule add from 2001:db8:9::/64 lookup 77",
	"-6 rule add from 2001:db8:8::1 lookup 77",
	"-6 rule add from 2001:db8:9::1 prohibit",
	"-6 rule add from 2001:db8:8::/64 fwmark 7 lookup 77",
	"-6 rule add fwmark 7 lookup 77",
	"-6 rule add uidrange 1000-1000 lookup 77",
	"-6 rule del from 2001:db8:9::/64 lookup 77",
	"-6 rule del from 2001:db8:8::1 lookup 77",
	"-6 rule del from 2001:db8:9::1 prohibit",
	"-6 rule del fwmark 7 lookup 77",
	"-6 addr change 2001:db8:9::1/64 dev e0 preferred_lft 0",
	"-6 addr change 2001:db8:9::1/64 dev e0 preferred_lft forever",
	"-6 addr del 2001:db8:8::1/64 dev e1",
	"-6 addr replace 2001:db8:8::1/64 dev e1 nodad",
	"-6 addr add 2001:db8:9::5/64 dev e0 nodad",
	"-6 addr del 2001:db8:9::1/64 dev e0",
	"-6 addr replace 2001:db8:9::1/64 dev e0 nodad",
	"route replace 203.0.113.0/24 nexthop via 10.9.0.2 nexthop via "
	"10.8.0.2",
	"route replace 203.0.113.0/24 encap ip id 7 dst 10.9.0.2 dev e1",
	"route del 203.0.113.0/24",
	"nexthop add id 8 via 10.9.0.2 dev e0",
	"nexthop add id 9 via 10.8.0.2 dev e1",
	"nexthop replace id 10 group 8/9",
	"route replace 203.0.113.0/24 nhid 10",
	"-6 route replace 2001:db8:dddd::/48 nexthop via 2001:db8:9::2 "
	"nexthop via 2001:db8:8::2",
	"-6 route replace 2001:db8:dddd::/48 encap ip6 id 7 dst 2001:db8:9::2 "
	"dev e1",
	"-6 route del 2001:db8:dddd::/48",
	"-6 addr add 2001:db8:7::5/64 dev e2",
	"-6 addr del 2001:db8:7::5/64 dev e2",
	"-6 addr add 2001:db8:7::6/64 dev e2 optimistic",
	"-6 addr del 2001:db8:7::6/64 dev e2",
	"-6 addr del 2001:db8:7::1/64 dev e2",
	"-6 addr replace 2001:db8:7::1/64 dev e2 nodad",
	"-6 route replace default via 2001:db8:7::2 dev e2",
	"-6 rule add from 2001:db8:7::/64 lookup 77",
	"-6 rule del from 2001:db8:7::/64 lookup 77",
	"link set e1 down",
	"link set e1 up",
	"link set p0 down",
	"link set p0 up",
	"link set lo down",
	"link set lo up",
};

#define COMMANDS (sizeof(steps) / sizeof(*steps))

struct judge {
	uint64_t random;
	struct reach_monitor *monitor;
	uint64_t ids[TARGETS];
	/* Packet sockets at the ends. */
	int seen[LINKS];
	/* The rtnetlink socket for lookups. */
	int lookups;
	/* The current packet's number, which is its payload. */
	uint32_t number;
	/* Properties of the configuration, if the kernel supports them. */
	bool has_vrf;
	bool is_optimistic;
	/* The steps taken so far. */
	const char *taken[STEPS];
	int count;
};

/* What became of a packet. */
struct trace {
	/* The errno of the socket, or 0. */
	int error;
	/* Where it was seen: a position in `names`; LINKS for nowhere. */
	size_t link;
	uint8_t source[16];
};

static uint32_t next_random(struct judge *judge, uint32_t below)
{
	judge->random = judge->random * UINT64_C(6364136223846793005) + 1;
	return (uint32_t)(judge->random >> 33) % below;
}

static void make_target(struct reach_target *target, size_t i)
{
	const struct variant *variant = &variants[i % VARIANTS];

	reach_target_init(target, REACH_TARGET_ADDRESS);
	(void)reach_address_parse(remotes[i / VARIANTS], &target->remote);
	strcpy(target->interface_name, variant->interface_name);
	target->mark = variant->mark;
	target->uid = variant->uid;
	target->report = REACH_REPORT_PATH;
}

/* ---- packets ---------------------------------------------------------- */

static int open_end(const char *name)
{
	struct sockaddr_ll place = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = (int)if_nametoindex(name),
	};
	int fd;

	/* An unbound socket would see the packets of all interfaces. */
	if (!place.sll_ifindex)
		return -1;
	fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
		    htons(ETH_P_ALL));
	if (fd >= 0 && bind(fd, (struct sockaddr *)&place, sizeof(place))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Whether the packet of @size bytes has the number @number. Sets @source to its
 * source. */
static bool is_ours(const uint8_t *packet, ssize_t size, uint32_t number,
		    uint8_t *source)
{
	const bool inet = size >= 32 && packet[0] >> 4 == 4;
	const ssize_t head = inet ? 20 : 40;

	if (size != head + 12 ||
	    memcmp(packet + head + 8, &number, sizeof(number)) != 0)
		return false;
	memset(source, 0, 16);
	memcpy(source, packet + (inet ? 12 : 8), inet ? 4 : 16);
	return true;
}

/* Looks for the packet at end @i without waiting. lo shows it twice. */
static bool look(struct judge *judge, size_t i, struct trace *ret)
{
	uint8_t packet[256];
	bool found = false;
	ssize_t size;

	while ((size = recv(judge->seen[i], packet, sizeof(packet), 0)) >= 0 ||
	       errno == EINTR || errno == ENETDOWN)
		if (is_ours(packet, size, judge->number, ret->source))
			found = true;
	if (found)
		ret->link = i;
	return found;
}

static socklen_t place_of(const struct reach_address *address,
			  struct sockaddr_storage *ret)
{
	struct sockaddr_in *inet = (void *)ret;
	struct sockaddr_in6 *inet6 = (void *)ret;

	memset(ret, 0, sizeof(*ret));
	ret->ss_family = address->family;
	if (address->family == AF_INET) {
		inet->sin_port = htons(PORT);
		memcpy(&inet->sin_addr, address->bytes, 4);
		return sizeof(*inet);
	}
	inet6->sin6_port = htons(PORT);
	memcpy(&inet6->sin6_addr, address->bytes, 16);
	return sizeof(*inet6);
}

static bool prepare_socket(int fd, const struct reach_target *target)
{
	const int on = 1;

	return !setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &on, sizeof(on)) &&
	       (!target->mark ||
		!setsockopt(fd, SOL_SOCKET, SO_MARK, &target->mark,
			    sizeof(target->mark))) &&
	       (target->uid == REACH_UID_CALLER ||
		!fchown(fd, target->uid, (gid_t)-1)) &&
	       (!target->interface_name[0] ||
		!setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE,
			    target->interface_name, IFNAMSIZ));
}

/* Waits for a packet at any end. */
static bool await_packet(const struct judge *judge)
{
	struct pollfd ends_seen[LINKS];

	for (size_t i = 0; i < LINKS; i++)
		ends_seen[i] = (struct pollfd){ .fd = judge->seen[i],
						.events = POLLIN };
	return poll(ends_seen, LINKS, PACKET_MS) > 0;
}

static void look_everywhere(struct judge *judge, struct trace *ret)
{
	for (size_t i = 0; i < LINKS; i++)
		if (look(judge, i, ret))
			return;
}

/* Sends one packet to @target. A veth hands it over within send(), unless the
 * softirq is left to ksoftirqd, as on a busy machine. So if the packet is
 * @expected, waits for it. */
static struct trace send_one(struct judge *judge,
			     const struct reach_target *target, bool expected)
{
	struct trace trace = { .link = LINKS };
	struct sockaddr_storage place;
	const socklen_t size = place_of(&target->remote, &place);
	const int fd =
		socket(target->remote.family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	judge->number++;
	if (!prepare_socket(fd, target) ||
	    connect(fd, (struct sockaddr *)&place, size) ||
	    send(fd, &judge->number, sizeof(judge->number), 0) < 0)
		trace.error = errno;
	close(fd);
	do
		look_everywhere(judge, &trace);
	while (expected && !trace.error && trace.link == LINKS &&
	       await_packet(judge));
	return trace;
}

/* ---- verdicts --------------------------------------------------------- */

/* For an own address, the state names the interface that has it, but packets
 * pass lo or the VRF. */
static bool is_link(const struct trace *trace, const struct reach_state *state)
{
	if (trace->link == LINKS)
		return false;
	if (state->flags & REACH_FLAG_IS_LOCAL_ADDRESS)
		return strcmp(names[trace->link], "lo") == 0 ||
		       strcmp(names[trace->link], "v0") == 0;
	return strcmp(names[trace->link], state->interface_name) == 0;
}

/* Whether the source is missing, or its scope is less than global. */
static bool is_narrow(const uint8_t *source, uint16_t family)
{
	struct reach_address address = { .family = family };

	memcpy(address.bytes, source, sizeof(address.bytes));
	return reach_address_is_any(&address) ||
	       reach_address_scope(&address) != REACH_SCOPE_GLOBAL;
}

/* Whether the route to @target has two legs, over e0 and e1. A packet may take
 * another leg than the verdict names: the hash includes the source, which a
 * lookup without source lacks, and for IPv6 the protocol. */
static bool is_split(const struct judge *judge,
		     const struct reach_target *target)
{
	const bool inet = target->remote.family == AF_INET;
	const char *prefix = inet ? "203.0.113.0/24" : "2001:db8:dddd::/48";
	const char *last = "";

	if (target->interface_name[0] ||
	    target->remote.bytes[inet ? 0 : 4] != (inet ? 203 : 0xdd))
		return false;
	for (int i = 0; i < judge->count; i++)
		if (strstr(judge->taken[i], prefix))
			last = judge->taken[i];
	return strstr(last, "nexthop via") || strstr(last, "nhid 10");
}

static bool is_running(const char *link)
{
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = { .ifr_flags = 0 };
	bool running;

	strcpy(request.ifr_name, link);
	running = !ioctl(fd, SIOCGIFFLAGS, &request) &&
		  request.ifr_flags & IFF_RUNNING;
	close(fd);
	return running;
}

/* Whether @source is an address of leg @leg: of 10.9.0.0/24 or 2001:db8:9::/64
 * for leg 0, of 10.8.0.0/24 or 2001:db8:8::/64 for leg 1. */
static bool is_of_leg(const uint8_t *source, uint16_t family, size_t leg)
{
	const uint8_t number = (uint8_t)(9 - leg);
	const uint8_t inet[3] = { 10, number, 0 };
	const uint8_t inet6[8] = { 0x20, 1, 0xd, 0xb8, 0, number, 0, 0 };

	return family == AF_INET ? memcmp(source, inet, sizeof(inet)) == 0
				 : memcmp(source, inet6, sizeof(inet6)) == 0;
}

/* Whether the verdict fits a leg: it has an address of the leg, and says that
 * the link is down if it has no carrier. */
static bool is_of_legs(const struct reach_state *state, uint16_t family)
{
	for (size_t leg = 0; leg < 2; leg++)
		if (strcmp(state->interface_name, names[leg]) == 0 &&
		    is_of_leg(state->source.bytes, family, leg))
			return is_running(names[leg])
				       ? state->flags & REACH_FLAG_REACHABLE
				       : !state->flags &&
						 state->reason ==
							 REACH_REASON_LINK_DOWN;
	return false;
}

/* Whether the verdict and the packet each took a leg. A packet over a leg
 * without carrier is lost. */
static bool took_legs(const struct judge *judge,
		      const struct reach_target *target,
		      const struct trace *trace,
		      const struct reach_state *state)
{
	const uint16_t family = target->remote.family;

	if (trace->error || !is_split(judge, target) ||
	    !is_of_legs(state, family))
		return false;
	if (trace->link == LINKS)
		return !is_running("e0") || !is_running("e1");
	return trace->link < 2 && (is_of_leg(trace->source, family, 0) ||
				   is_of_leg(trace->source, family, 1));
}

/* The packet's route. IPv4 looks it up with the packet's source. IPv6 does so
 * only if it finds no route without a source, or if the route's link isn't the
 * socket's, as in a VRF (ip6_sk_dst_check, net/ipv6/ip6_output.c). */
static struct judge_route route_of(const struct judge *judge,
				   const struct reach_target *target,
				   const struct trace *trace, uint32_t flags)
{
	struct judge_route route = { .link = 0 };

	if (target->remote.family == AF_INET6 &&
	    strcmp(target->interface_name, "v0") != 0)
		route = judge_lookup(judge->lookups, target, NULL, flags);
	if (!route.link)
		route = judge_lookup(judge->lookups, target, trace->source,
				     flags);
	return route;
}

/* Whether the flag IsDirect of @state is right. Up to Linux 5.17, the FIB match
 * shows a tunnel, but the plain answer does not. */
static bool is_direct_as(const struct judge *judge,
			 const struct reach_target *target,
			 const struct trace *trace,
			 const struct judge_route *route,
			 const struct reach_state *state)
{
	const bool to_many = target->remote.bytes[0] ==
			     (target->remote.family == AF_INET ? 224 : 0xff);
	const bool is_far =
		route->gateway.family || route->is_encapsulated ||
		(strcmp(state->interface_name, "lo") == 0 && !to_many);

	if (state->flags & REACH_FLAG_IS_DIRECT)
		return !is_far;
	return is_far ||
	       route_of(judge, target, trace, RTM_F_FIB_MATCH).is_encapsulated;
}

/* Whether the gateway is the lookup's. A lookup that answers with another link
 * than the packet's proves nothing. */
static bool is_next_hop(const struct judge *judge,
			const struct reach_target *target,
			const struct trace *trace,
			const struct reach_state *state)
{
	const struct judge_route route = route_of(judge, target, trace, 0);

	if (state->flags & REACH_FLAG_IS_LOCAL_ADDRESS)
		return state->flags & REACH_FLAG_IS_DIRECT &&
		       !state->gateway.family;
	if (route.link != state->interface_index)
		return true;
	return route.gateway.family == state->gateway.family &&
	       memcmp(route.gateway.bytes, state->gateway.bytes, 16) == 0 &&
	       is_direct_as(judge, target, trace, &route, state);
}

/* A packet whose source has too narrow a scope leaves, and gets no answer. If
 * there is no route, a bound IPv4 socket treats every destination as on the
 * link (ip_route_output_key_hash_rcu, net/ipv4/route.c), unless the source that
 * it then has gives it a route. */
static bool may_leave(const struct judge *judge,
		      const struct reach_target *target,
		      const struct trace *trace,
		      const struct reach_state *state)
{
	const uint16_t family = target->remote.family;

	if (state->reason == REACH_REASON_NO_SOURCE)
		return is_narrow(trace->source, family);
	return state->reason == REACH_REASON_NO_ROUTE && family == AF_INET &&
	       target->interface_name[0] &&
	       !judge_lookup(judge->lookups, target, trace->source,
			     RTM_F_FIB_MATCH)
			.link;
}

static bool is_right(const struct judge *judge,
		     const struct reach_target *target,
		     const struct trace *trace, const struct reach_state *state)
{
	if (took_legs(judge, target, trace, state))
		return true;
	if (!state->flags)
		return trace->link == LINKS ||
		       may_leave(judge, target, trace, state);
	return is_link(trace, state) &&
	       memcmp(trace->source, state->source.bytes, 16) == 0 &&
	       is_next_hop(judge, target, trace, state);
}

static void tell(const struct judge *judge, const char *who, size_t i,
		 const struct trace *trace, const struct reach_state *state)
{
	const struct variant *variant = &variants[i % VARIANTS];
	char text[3][REACH_ADDRESS_TEXT_SIZE] = { "", "", "" };
	struct reach_address source = { .family = AF_INET };

	if (strchr(remotes[i / VARIANTS], ':'))
		source.family = AF_INET6;
	memcpy(source.bytes, trace->source, sizeof(source.bytes));
	(void)reach_address_format(&source, text[0], sizeof(text[0]));
	(void)reach_address_format(&state->source, text[1], sizeof(text[1]));
	(void)reach_address_format(&state->gateway, text[2], sizeof(text[2]));
	for (size_t n = 0; n < sizeof(base) / sizeof(*base); n++)
		fprintf(stderr, "ip %s\n", base[n]);
	for (size_t n = 0; n < sizeof(mute) / sizeof(*mute); n++)
		fprintf(stderr, "echo 1 >%s\n", mute[n]);
	for (size_t n = 0; judge->has_vrf && n < sizeof(vrf) / sizeof(*vrf);
	     n++)
		fprintf(stderr, "ip %s\n", vrf[n]);
	for (size_t n = 0; judge->is_optimistic && n < OPTIMISTIC; n++)
		fprintf(stderr, "echo 1 >%s\n", optimistic[n]);
	for (int n = 0; n < judge->count; n++)
		fprintf(stderr, "ip %s\n", judge->taken[n]);
	fprintf(stderr,
		"%s, to %s interface '%s' mark %u uid %d: a packet: %s by %s "
		"from %s; verdict %#x reason %u by '%s' from %s via '%s'\n",
		who, remotes[i / VARIANTS], variant->interface_name,
		variant->mark, (int)variant->uid, strerror(trace->error),
		trace->link < LINKS ? names[trace->link] : "none", text[0],
		state->flags, state->reason, state->interface_name, text[1],
		text[2]);
}

/* Gets the state of target @i once the monitor has taken all events. */
static bool watched(struct judge *judge, size_t i, struct reach_state *ret)
{
	struct reach_change change = { .size = sizeof(change) };

	if (reach_monitor_dispatch(judge->monitor) < 0)
		return false;
	while (reach_monitor_next(judge->monitor, &change) == 1)
		;
	return !reach_monitor_state(judge->monitor, judge->ids[i], ret);
}

/* Whether the kernel may announce a step's change late: carriers within a
 * second (linkwatch, net/core/link_watch.c), routes of IPv6 addresses and the
 * end of their detection (addrconf_dad_work, net/ipv6/addrconf.c). Until then,
 * the verdict may be the previous one. On an emulated machine, that can take
 * several steps. */
static bool is_late(const struct judge *judge)
{
	for (int i = 0; i < judge->count; i++)
		if (strncmp(judge->taken[i], "link", 4) == 0 ||
		    strncmp(judge->taken[i], "-6 addr", 7) == 0)
			return true;
	return false;
}

static bool is_of_vrf(const char *interface_name)
{
	return strcmp(interface_name, "e1") == 0 ||
	       strcmp(interface_name, "v0") == 0;
}

/* Up to Linux 5.17, a socket bound to a VRF, or to a port of one, falls back to
 * table main if the VRF's table has no route. Its packets then leave through
 * interfaces outside the VRF (l3mdev_update_flow, net/l3mdev/l3mdev.c).
 * connect(), send(), and RTM_GETROUTE disagree about which interface. */
static bool is_leaky(const struct judge *judge,
		     const struct reach_target *target)
{
	struct utsname system;
	int major = 0, minor = 0;

	return judge->has_vrf && is_of_vrf(target->interface_name) &&
	       !uname(&system) &&
	       sscanf(system.release, "%d.%d", &major, &minor) == 2 &&
	       major * 100 + minor < 518;
}

/* A packet to an own address in a VRF is routed again when the VRF's device
 * sends it, without the socket's interface (vrf_process_v4_outbound(),
 * drivers/net/vrf.c). A rule by source may then send it out over another link,
 * which connect() and RTM_GETROUTE don't see. Such a rule precedes the VRF's
 * own rule, as rules of ip-rule(8) without a preference do. */
static bool is_routed_again(const struct judge *judge, size_t i)
{
	const char *remote = remotes[i / VARIANTS];

	if (!judge->has_vrf || (strcmp(remote, "10.8.0.1") != 0 &&
				strcmp(remote, "2001:db8:8::1") != 0))
		return false;
	for (int n = 0; n < judge->count; n++)
		if (strstr(judge->taken[n], "rule add") &&
		    strstr(judge->taken[n], "from"))
			return true;
	return false;
}

static bool agrees(struct judge *judge, size_t i, bool watch)
{
	struct reach_state state = { .size = sizeof(state) };
	struct pollfd pollfd = { .fd = reach_monitor_fd(judge->monitor),
				 .events = POLLIN };
	struct reach_target target;
	struct trace trace;
	const int most = is_late(judge) ? LATE_TRIES : 1;
	int tries;

	make_target(&target, i);
	if (is_leaky(judge, &target) || is_routed_again(judge, i))
		return true;
	for (tries = 0; tries < most; tries++) {
		const bool known =
			watch ? watched(judge, i, &state)
			      : !reach_check(&target, NULL, -1, &state);

		trace = send_one(judge, &target, state.flags);
		if (known && is_right(judge, &target, &trace, &state))
			return true;
		(void)poll(&pollfd, 1, TRY_MS);
	}
	tell(judge, watch ? "watched" : "asked", i, &trace, &state);
	return false;
}

/* ---- configurations --------------------------------------------------- */

static bool add_targets(struct judge *judge)
{
	const bool many = next_random(judge, 2);
	struct reach_target target;
	uint64_t id;
	uint32_t i;

	for (i = 0; i < TARGETS; i++) {
		make_target(&target, i);
		if (reach_monitor_add(judge->monitor, &target, &judge->ids[i]))
			return false;
	}
	for (i = 0; many && i < OTHERS; i++) {
		reach_target_init(&target, REACH_TARGET_ADDRESS);
		(void)reach_address_parse(i % 2 ? "192.0.2.7"
						: "2001:db8:ffff::7",
					  &target.remote);
		target.remote.bytes[i % 2 ? 3 : 15] = (uint8_t)(10 + i);
		if (reach_monitor_add(judge->monitor, &target, &id))
			return false;
	}
	return true;
}

static bool turn_on(const char *path)
{
	const int fd = open(path, O_WRONLY | O_CLOEXEC);
	const bool done = fd >= 0 && write(fd, "1", 1) == 1;

	if (fd >= 0)
		close(fd);
	return done;
}

static bool build(struct judge *judge)
{
	for (size_t i = 0; i < sizeof(base) / sizeof(*base); i++)
		if (!answer_ip(base[i]))
			return false;
	for (size_t i = 0; i < sizeof(mute) / sizeof(*mute); i++)
		if (!turn_on(mute[i]))
			return false;
	for (size_t i = 0; i < sizeof(vrf) / sizeof(*vrf); i++)
		judge->has_vrf = judge->has_vrf && answer_ip(vrf[i]);
	for (size_t i = 0; i < OPTIMISTIC; i++)
		judge->is_optimistic = judge->is_optimistic &&
				       turn_on(optimistic[i]);
	judge->lookups = judge_lookup_open();
	for (size_t i = 0; i < LINKS; i++)
		judge->seen[i] = open_end(ends[i]);
	for (size_t i = 0; i < LINKS - !judge->has_vrf; i++)
		if (judge->seen[i] < 0)
			return false;
	return true;
}

/* Runs a random command. If it succeeds, checks all targets. */
static bool step(struct judge *judge)
{
	const char *command = steps[next_random(judge, COMMANDS)];
	bool right = true;

	if (!answer_ip(command))
		return true;
	if (judge->count < STEPS)
		judge->taken[judge->count++] = command;
	for (size_t i = 0; right && i < TARGETS; i++)
		right = agrees(judge, i, true);
	return right;
}

static int judge_one(void *context)
{
	struct judge *judge = context;
	bool right = true;

	judge->count = 0;
	if (unshare(CLONE_NEWNET))
		return -errno;
	if (!build(judge))
		return -EOPNOTSUPP;
	if (reach_monitor_open(&judge->monitor, NULL))
		return -EIO;
	right = add_targets(judge);
	for (int i = 0; right && i < STEPS; i++)
		right = step(judge);
	for (size_t i = 0; right && i < TARGETS; i++)
		right = agrees(judge, i, false);
	reach_monitor_close(judge->monitor);
	for (size_t i = 0; i < LINKS; i++)
		close(judge->seen[i]);
	close(judge->lookups);
	return right;
}

static unsigned long setting(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoul(text, NULL, 10) : otherwise;
}

static void tell_share(const char *what, unsigned long count)
{
	fprintf(stderr, "judge: %lu of them with %s%s\n", count, what,
		count ? "" : ": SKIPPED, this kernel has none");
}

void test_judge(struct check *check)
{
	const unsigned long count = setting("REACH_JUDGE", CONFIGURATIONS);
	const unsigned long first =
		setting("REACH_JUDGE_SEED", (unsigned long)getpid() * 1000);
	unsigned long seed, vrfs = 0, optimists = 0;

	/* The timeout of all tests (main.c), and 2 s per configuration. */
	alarm(300 + 2 * (unsigned int)count);
	fprintf(stderr, "judge: %lu configurations from seed %lu\n", count,
		first);
	for (seed = first; seed < first + count; seed++) {
		struct judge judge = { .random = seed,
				       .has_vrf = seed & 1,
				       .is_optimistic = seed & 2 };
		const int ret = check_on_thread(judge_one, &judge);

		if (ret < 0) {
			check_skip(check, "judge", ret);
			return;
		}
		vrfs += judge.has_vrf;
		optimists += judge.is_optimistic;
		if (!CHECK(check, ret == 1))
			fprintf(stderr, "REACH_JUDGE=1 REACH_JUDGE_SEED=%lu\n",
				seed);
	}
	if (count < 4)
		return;
	tell_share("a VRF", vrfs);
	tell_share("optimistic addresses", optimists);
}
