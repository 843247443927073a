/* SPDX-License-Identifier: MIT */
/* Hosts as people report them, with the verdicts that a socket gives: a watch, a
 * check, and a connection agree. */
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/if_tun.h>

#include "base/base.h"
#include "monitor/answer.h"
#include "monitor/judge_host.h"

#define FAR	 REACH_FLAG_REACHABLE
#define DIRECT	 (FAR | REACH_FLAG_IS_DIRECT)
#define OWN	 (DIRECT | REACH_FLAG_IS_LOCAL_ADDRESS)
#define LOOPBACK (FAR | REACH_FLAG_IS_LOCAL_ADDRESS)
#define TUNNEL	 (FAR | REACH_FLAG_TRANSIENT_CONNECTION)

struct expectation {
	/* NULL for the internet. */
	const char *remote;
	/* The interface that the socket is bound to, or NULL. */
	const char *bound;
	uint32_t flags;
	enum reach_reason reason;
	/* The interface and the gateway of the state, or NULL. */
	const char *link;
	const char *gateway;
};

struct host {
	const char *name;
	/* A tun device that a program has opened, or NULL. */
	const char *tun;
	/* A device that a kernel may have no kind for, or NULL. */
	const char *device;
	/* Linux 5.10 ignores suppress_ifgroup for IPv6, sockets too, and up to
	 * 5.17 a VRF falls back to table main (l3mdev_update_flow(),
	 * net/l3mdev/l3mdev.c). */
	bool since_5_18;
	/* Without options: those of one batch, then those with options, and
	 * files in /proc/sys/net (judge_set()). */
	const char *commands[16];
	struct expectation expected[8];
	/* A later change, and what it leads to. After an empty command, the
	 * monitor comes to rest. */
	const char *change[4];
	struct expectation later[4];
};

static const struct host hosts[] = {
	{ "a container whose address is 169.254.79.1, behind a NAT gateway",
	  NULL,
	  NULL,
	  false,
	  { "addr add 169.254.79.1/32 dev e0",
	    "route add 169.254.79.2 dev e0 scope link",
	    "route add default via 169.254.79.2 dev e0" },
	  { { "192.0.2.7", NULL, FAR, 0, "e0", "169.254.79.2" },
	    { "169.254.79.2", NULL, DIRECT, 0, "e0", NULL },
	    { NULL, NULL, FAR, 0, "e0", "169.254.79.2" } },
	  { NULL },
	  { { 0 } } },
	{ "a proxy's tunnel takes what has no source yet",
	  "t0",
	  NULL,
	  false,
	  { "addr add 192.168.1.5/24 dev e0",
	    "route add default via 192.168.1.1", "link set t0 up",
	    "addr add 198.18.0.1/30 dev t0",
	    "route add default dev t0 table 2022",
	    "rule add pref 9000 to 198.18.0.0/30 lookup 2022",
	    "rule add pref 9010 nop", "rule add pref 9001 ipproto 1 goto 9010",
	    "rule add pref 9002 not dport 53 lookup main "
	    "suppress_prefixlength 0",
	    "rule add pref 9003 not iif lo lookup 2022",
	    "rule add pref 9004 from 0.0.0.0/32 iif lo lookup 2022",
	    "rule add pref 9005 from 198.18.0.0/30 iif lo lookup 2022" },
	  { { "8.8.8.8", NULL, TUNNEL, 0, "t0", NULL },
	    { "192.168.1.1", NULL, DIRECT, 0, "e0", NULL },
	    { "192.168.1.9", NULL, DIRECT, 0, "e0", NULL },
	    { "8.8.8.8", "e0", FAR, 0, "e0", "192.168.1.1" } },
	  { "link del t0" },
	  { { "8.8.8.8", NULL, FAR, 0, "e0", "192.168.1.1" } } },
	{ "IPv6 alone",
	  NULL,
	  NULL,
	  false,
	  { "addr add fe80::1/64 dev e0 nodad",
	    "addr add 2001:db8:1::5/64 dev e0 nodad",
	    "route add default via fe80::2 dev e0" },
	  { { "8.8.8.8", NULL, 0, REACH_REASON_NO_ROUTE, NULL, NULL },
	    { "64:ff9b::808:808", NULL, FAR, 0, "e0", "fe80::2" },
	    { NULL, NULL, FAR, 0, "e0", "fe80::2" } },
	  /* As NetworkManager sets up 464XLAT. */
	  { "addr add 192.0.0.5/32 dev e0",
	    "route add default src 192.0.0.5 mtu 1260 via inet6 fe80::2 dev "
	    "e0" },
	  { { "8.8.8.8", NULL, FAR, 0, "e0", "fe80::2" } } },
	{ "IPv4 through the tunnel of 464XLAT",
	  "t0",
	  NULL,
	  false,
	  { "addr add fe80::1/64 dev e0 nodad",
	    "addr add 2001:db8:1::5/64 dev e0 nodad",
	    "route add default via fe80::2 dev e0", "link set t0 up",
	    "addr add 192.0.0.4/32 dev t0",
	    "route add default dev t0 metric 2048 mtu 1260" },
	  { { "8.8.8.8", NULL, TUNNEL, 0, "t0", NULL },
	    { "64:ff9b::808:808", NULL, FAR, 0, "e0", "fe80::2" } },
	  { NULL },
	  { { 0 } } },
	{ "WSL in mirrored mode, whose adapter is down",
	  NULL,
	  NULL,
	  false,
	  { "link set e0 down", "link set e1 down",
	    "addr add 10.255.255.254/32 brd 10.255.255.254 dev lo",
	    "rule add pref 1 iif e2 ipproto 6 lookup 127",
	    "route add local 127.0.0.0/8 dev e2 table 127",
	    "route add 169.254.73.152 dev e2 scope link", "rule del pref 0",
	    "rule add pref 2 lookup local" },
	  { { "8.8.8.8", NULL, 0, REACH_REASON_NO_ROUTE, NULL, NULL },
	    { NULL, NULL, 0, REACH_REASON_NO_ROUTE, NULL, NULL },
	    { "127.0.0.1", NULL, LOOPBACK, 0, "lo", NULL },
	    { "10.255.255.254", NULL, OWN, 0, "lo", NULL } },
	  { "link set e1 up", "addr add 192.168.1.50/24 dev e1",
	    "route add default via 192.168.1.1 dev e1" },
	  { { "8.8.8.8", NULL, FAR, 0, "e1", "192.168.1.1" },
	    { NULL, NULL, FAR, 0, "e1", "192.168.1.1" } } },
	{ "a node of Kubernetes, with routes per pod",
	  NULL,
	  NULL,
	  false,
	  { "addr add 192.168.0.10/24 dev e0",
	    "route add default via 192.168.0.1",
	    "route add blackhole 10.244.1.0/26 proto 80",
	    "route add 10.244.1.5 dev e1 scope link",
	    "route add unreachable 10.244.1.9",
	    "route add 10.244.2.0/26 via 192.168.0.11 proto 80",
	    "rule add pref 512 to 10.244.1.5 lookup main",
	    "rule add pref 1536 from 10.244.1.5 lookup 2",
	    "route add default via 192.168.0.1 dev e0 table 2" },
	  { { "10.244.1.5", NULL, DIRECT, 0, "e1", NULL },
	    { "10.244.1.7", NULL, 0, REACH_REASON_BLACKHOLE, NULL, NULL },
	    { "10.244.1.9", NULL, 0, REACH_REASON_UNREACHABLE, NULL, NULL },
	    { "10.244.2.3", NULL, FAR, 0, "e0", "192.168.0.11" },
	    { NULL, NULL, FAR, 0, "e0", "192.168.0.1" } },
	  { "route add 10.244.1.7 dev e1 scope link",
	    "route del 10.244.1.5 dev e1" },
	  { { "10.244.1.7", NULL, DIRECT, 0, "e1", NULL },
	    { "10.244.1.5", NULL, 0, REACH_REASON_BLACKHOLE, NULL, NULL } } },
	{ "a bridge whose port spanning tree opens after 4 s",
	  NULL,
	  NULL,
	  false,
	  { "link add br0 type bridge stp_state 1 forward_delay 200",
	    "link set e0 master br0", "link set br0 addrgenmode none up",
	    "addr add 10.9.0.1/24 dev br0", "route add default via 10.9.0.2" },
	  { { "192.0.2.1", NULL, 0, REACH_REASON_LINK_DOWN, NULL, NULL } },
	  { NULL },
	  { { "192.0.2.1", NULL, FAR, 0, "br0", "10.9.0.2" } } },
	{ "an internal network of Docker",
	  NULL,
	  NULL,
	  false,
	  { "addr add 10.1.0.2/24 dev e0" },
	  { { NULL, NULL, 0, REACH_REASON_NO_ROUTE, NULL, NULL },
	    { "10.1.0.1", NULL, DIRECT, 0, "e0", NULL } },
	  { NULL },
	  { { 0 } } },
	{ "a rule that suppresses routes of a group of links",
	  NULL,
	  NULL,
	  true,
	  { "addr add 192.168.1.5/24 dev e0",
	    "route add default via 192.168.1.1",
	    "rule add pref 100 lookup main suppress_ifgroup 5",
	    "rule del pref 32766", "addr add 2001:db8:1::5/64 dev e0 nodad",
	    "route add ::/0 via 2001:db8:1::1", "link set e0 group 5",
	    "-6 rule add pref 100 lookup main suppress_ifgroup 5",
	    "-6 rule del pref 32766" },
	  { { "8.8.8.8", NULL, 0, REACH_REASON_NO_ROUTE, NULL, NULL },
	    { "2600::1", NULL, 0, REACH_REASON_NO_ROUTE, NULL, NULL } },
	  { "link set e0 group 0" },
	  { { "8.8.8.8", NULL, FAR, 0, "e0", "192.168.1.1" },
	    { "2600::1", NULL, FAR, 0, "e0", "2001:db8:1::1" } } },
	{ "the suppressed route goes with its address",
	  NULL,
	  NULL,
	  false,
	  { "addr add 192.168.1.5/24 dev e0", "addr add 10.8.0.1/24 dev e1",
	    "route add default via 192.168.1.1",
	    "route add default via 10.8.0.2 metric 500", "link set e0 group 5",
	    "rule add pref 100 lookup main suppress_ifgroup 5",
	    "rule del pref 32766" },
	  { { "8.8.8.8", NULL, 0, REACH_REASON_NO_ROUTE, NULL, NULL } },
	  { "addr del 192.168.1.5/24 dev e0" },
	  { { "8.8.8.8", NULL, FAR, 0, "e1", "10.8.0.2" } } },
	{ "a nexthop object on a link where IPv6 is disabled",
	  NULL,
	  NULL,
	  false,
	  { "addr add 2001:db8:1::5/64 dev e0 nodad",
	    "addr add 2001:db8:2::5/64 dev e1 nodad",
	    "nexthop add id 1 via 2001:db8:1::1 dev e0",
	    "route add ::/0 nhid 1" },
	  { { "2600::1", NULL, FAR, 0, "e0", "2001:db8:1::1" } },
	  { "=ipv6/conf/e0/disable_ipv6 1" },
	  { { "2600::1", NULL, 0, REACH_REASON_NO_SOURCE, NULL, NULL } } },
	{ "a socket on a leg without carrier has no other",
	  NULL,
	  NULL,
	  false,
	  { "addr add 10.9.0.1/24 dev e0", "addr add 10.8.0.1/24 dev e1",
	    "addr add 2001:db8:1::5/64 dev e0 nodad",
	    "addr add 2001:db8:2::5/64 dev e1 nodad",
	    "route add default nexthop via 10.9.0.2 nexthop via 10.8.0.2",
	    "route add ::/0 nexthop via 2001:db8:1::1 nexthop via "
	    "2001:db8:2::1" },
	  { { "8.8.8.8", "e0", FAR, 0, "e0", "10.9.0.2" },
	    { "8.8.8.8", "e1", FAR, 0, "e1", "10.8.0.2" },
	    { "2600::1", "e0", FAR, 0, "e0", "2001:db8:1::1" } },
	  { "link set p0 down", "=ipv4/fib_multipath_hash_policy 1" },
	  { { "8.8.8.8", "e0", 0, REACH_REASON_LINK_DOWN, NULL, NULL },
	    { "8.8.8.8", "e1", FAR, 0, "e1", "10.8.0.2" },
	    { "2600::1", "e0", 0, REACH_REASON_LINK_DOWN, NULL, NULL },
	    { "2600::1", "e1", FAR, 0, "e1", "2001:db8:2::1" } } },
	{ "hashing by ports, and a rule by the source of the legs",
	  NULL,
	  NULL,
	  false,
	  { "addr add 10.9.0.1/24 dev e0", "addr add 10.8.0.1/24 dev e1",
	    "addr add 10.9.9.9/32 dev lo",
	    "route add default src 10.9.9.9 nexthop via 10.9.0.2 nexthop via "
	    "10.8.0.2" },
	  { { "8.8.8.8", "e1", FAR, 0, "e1", "10.8.0.2" } },
	  { "=ipv4/fib_multipath_hash_policy 1",
	    "route add default via 10.9.0.2 table 77",
	    "rule add from 10.9.9.9 lookup 77", "link set p0 down" },
	  { { "8.8.8.8", NULL, 0, REACH_REASON_LINK_DOWN, NULL, NULL } } },
	{ "a route by source hides the one of its prefix",
	  NULL,
	  NULL,
	  false,
	  { "addr add 2001:db8:1::5/64 dev e0 nodad",
	    "addr add 2001:db8:2::5/64 dev e1 nodad",
	    "route add ::/0 via 2001:db8:1::1",
	    "route add 2600::/48 via 2001:db8:2::1",
	    "route add prohibit 2600::/48 from 2001:db8:9::/64" },
	  { { "2600::1", NULL, FAR, 0, "e0", "2001:db8:1::1" } },
	  { "route del prohibit 2600::/48 from 2001:db8:9::/64" },
	  { { "2600::1", NULL, FAR, 0, "e1", "2001:db8:2::1" } } },
	{ "multicast by a route with legs, whose source lo has",
	  NULL,
	  NULL,
	  false,
	  { "addr add 10.9.9.9/32 dev lo", "addr add 10.9.0.1/24 dev e0",
	    "addr add 10.8.0.1/24 dev e1",
	    "route add default src 10.9.9.9 nexthop via 10.9.0.2 nexthop via "
	    "10.8.0.2" },
	  { { "8.8.8.8", "e1", FAR, 0, "e1", "10.8.0.2" },
	    { "224.0.0.251", NULL, DIRECT, 0, "lo", NULL } },
	  { "addr del 10.9.0.1/24 dev e0", "", "addr del 10.8.0.1/24 dev e1" },
	  { { "224.0.0.251", NULL, 0, REACH_REASON_NO_ROUTE, NULL, NULL } } },
	{ "IPv4 without a source, then an IPv6 route by source",
	  NULL,
	  NULL,
	  false,
	  { "addr add 2001:db8:1::5/64 dev e0 nodad",
	    "route add 192.0.2.0/24 dev e0",
	    "route add ::/0 from 2001:db8:1::/64 via 2001:db8:1::1" },
	  { { "192.0.2.7", NULL, 0, REACH_REASON_NO_SOURCE, NULL, NULL },
	    { "2600::1", NULL, FAR, 0, "e0", "2001:db8:1::1" } },
	  { NULL },
	  { { 0 } } },
	{ "a VRF that nobody set up",
	  NULL,
	  "v0 type vrf table 88",
	  false,
	  { "link set e1 master v0", "addr add 10.8.0.1/24 dev e1",
	    "addr add 2001:db8:8::1/64 dev e1 nodad",
	    "route add default via 10.8.0.2 dev e1 table 88",
	    "route add ::/0 via 2001:db8:8::2 dev e1 table 88" },
	  { { "192.0.2.1", "e1", 0, REACH_REASON_LINK_DOWN, NULL, NULL },
	    { "192.0.2.1", "v0", 0, REACH_REASON_NO_ROUTE, NULL, NULL },
	    { "2600::1", "e1", 0, REACH_REASON_LINK_DOWN, NULL, NULL },
	    { "2600::1", "v0", 0, REACH_REASON_LINK_DOWN, NULL, NULL } },
	  { "link set v0 up" },
	  { { "192.0.2.1", "e1", FAR, 0, "e1", "10.8.0.2" },
	    { "192.0.2.1", "v0", FAR, 0, "e1", "10.8.0.2" },
	    { "2600::1", "v0", FAR, 0, "e1", "2001:db8:8::2" } } },
	{ "a route that leaks packets into a VRF",
	  NULL,
	  "v0 type vrf table 88",
	  true,
	  { "link set v0 up", "link set e1 master v0",
	    "addr add 10.8.0.1/24 dev e1", "addr add 10.9.0.1/24 dev e0",
	    "addr add 2001:db8:8::1/64 dev e1 nodad",
	    "route add default via 10.9.0.2", "route add 8.8.8.0/24 dev v0",
	    "route add 2600::/32 dev v0",
	    "route add default via 10.8.0.2 dev e1 table 88",
	    "route add ::/0 via 2001:db8:8::2 dev e1 table 88",
	    "route add 10.8.0.0/24 dev v0",
	    "route add unreachable 8.8.8.128/25 table 88",
	    "route add unreachable 2600:0:1::/48 table 88" },
	  { { "8.8.8.8", NULL, FAR, 0, "e1", "10.8.0.2" },
	    { "2600::1", NULL, FAR, 0, "e1", "2001:db8:8::2" },
	    { "10.8.0.9", NULL, FAR, 0, "e1", NULL },
	    { "8.8.8.129", NULL, 0, REACH_REASON_UNREACHABLE, NULL, NULL },
	    { "2600:0:1::1", NULL, 0, REACH_REASON_UNREACHABLE, NULL, NULL } },
	  { "route del default table 88", "route del ::/0 table 88" },
	  { { "8.8.8.8", NULL, 0, REACH_REASON_NO_ROUTE, NULL, NULL },
	    { "2600::1", NULL, 0, REACH_REASON_NO_ROUTE, NULL, NULL },
	    { "10.8.0.9", NULL, FAR, 0, "e1", NULL } } },
	{ "a route that leaks packets through one VRF into another",
	  NULL,
	  "v0 type vrf table 88",
	  true,
	  { "link add v1 type vrf table 89", "link set v0 up", "link set v1 up",
	    "link set e1 master v1", "addr add 10.9.0.1/24 dev e0",
	    "addr add 10.8.0.1/24 dev e1", "addr add 10.7.0.1/32 dev v0",
	    "route add 8.8.8.0/24 dev v0",
	    "route add 8.8.8.0/24 dev v1 table 88",
	    "route add default via 10.8.0.2 dev e1 table 89",
	    "route add unreachable 8.8.8.128/25 table 89" },
	  { { "8.8.8.8", NULL, FAR, 0, "e1", "10.8.0.2" },
	    { "8.8.8.129", NULL, 0, REACH_REASON_UNREACHABLE, NULL, NULL } },
	  { "route del default table 89" },
	  { { "8.8.8.8", NULL, 0, REACH_REASON_NO_ROUTE, NULL, NULL } } },
	{ "a VRF with an unreachable default route",
	  NULL,
	  "v0 type vrf table 88",
	  false,
	  { "link set v0 up", "link set e1 master v0",
	    "addr add 10.8.0.1/24 dev e1",
	    "route add unreachable default metric 4278198272 table 88" },
	  { { "192.0.2.1", "v0", 0, REACH_REASON_UNREACHABLE, NULL, NULL } },
	  { "route add default via 10.8.0.2 dev e1 table 88" },
	  { { "192.0.2.1", "v0", FAR, 0, "e1", "10.8.0.2" } } },
	{ "a VRF without an IPv6 address",
	  NULL,
	  "v0 type vrf table 88",
	  true,
	  { "link set e1 addrgenmode none", "link set v0 up",
	    "link set e1 master v0", "addr flush dev e1" },
	  { { "::1", "v0", 0, REACH_REASON_NO_SOURCE, NULL, NULL } },
	  { NULL },
	  { { 0 } } },
	{ "a bond that doesn't watch its ports",
	  NULL,
	  "b0 type bond miimon 0",
	  false,
	  { "link set e0 down", "link set e0 master b0", "link set b0 up",
	    "addr add 10.9.0.1/24 dev b0", "route add default via 10.9.0.2" },
	  { { "192.0.2.1", NULL, FAR, 0, "b0", "10.9.0.2" } },
	  { "link set p0 down" },
	  { { "192.0.2.1", NULL, 0, REACH_REASON_LINK_DOWN, NULL, NULL } } },
	{ "an own anycast address, and groups of one interface",
	  NULL,
	  NULL,
	  false,
	  { "addr add 2001:db8:9::1/64 dev e0 nodad",
	    "=ipv6/conf/all/forwarding 1" },
	  { { "2001:db8:9::", NULL, OWN, 0, "lo", NULL },
	    { "ff01::1", "e0", 0, REACH_REASON_NO_ROUTE, NULL, NULL } },
	  { NULL },
	  { { 0 } } },
	/* As ifupdown2 and FRR have it. No route event follows. */
	{ "an address revives a leg, while the other leg has no carrier",
	  NULL,
	  NULL,
	  false,
	  { "addr add 10.9.0.1/24 dev e0", "addr add 10.8.0.1/24 dev e1",
	    "route add default nexthop via 10.9.0.2 nexthop via 10.8.0.2",
	    "addr del 10.8.0.1/24 dev e1", "link set p0 down",
	    "=ipv4/conf/e0/ignore_routes_with_linkdown 1" },
	  { { "192.0.2.1", NULL, 0, REACH_REASON_NO_ROUTE, NULL, NULL } },
	  { "addr add 10.8.0.1/24 dev e1" },
	  { { "192.0.2.1", NULL, FAR, 0, "e1", "10.8.0.2" } } },
};

struct trial {
	struct check *check;
	const struct host *host;
	struct judge_wire wire;
	struct reach_monitor *monitor;
};

/* Runs up to @most commands. */
static bool run(const char *const *commands, size_t most)
{
	size_t count = 0;
	bool done;

	while (count < most && commands[count] &&
	       !strchr("-=", *commands[count]))
		count++;
	done = answer_batch(commands, count);
	for (; count < most && commands[count]; count++)
		done = done &&
		       (*commands[count] == '=' ? judge_set(commands[count])
						: answer_ip(commands[count]));
	return done;
}

static void make_target(const struct expectation *expected,
			struct reach_target *ret)
{
	reach_target_init(ret, expected->remote ? REACH_TARGET_ADDRESS
						: REACH_TARGET_INTERNET);
	if (expected->remote)
		(void)reach_address_parse(expected->remote, &ret->remote);
	if (expected->bound)
		strcpy(ret->interface_name, expected->bound);
}

static bool is_as_expected(const struct expectation *expected,
			   const struct reach_state *state)
{
	struct reach_address gateway = { .family = 0 };

	if (expected->gateway)
		(void)reach_address_parse(expected->gateway, &gateway);
	return state->flags == expected->flags &&
	       state->reason == expected->reason &&
	       (!expected->flags ||
		(strcmp(state->interface_name, expected->link) == 0 &&
		 memcmp(&state->gateway, &gateway, sizeof(gateway)) == 0));
}

/* Connects until the packet is seen: before linkwatch has noticed a carrier,
 * packets are lost. Nobody sees those of a tunnel. */
static struct judge_trace send_until_seen(struct trial *trial,
					  const struct reach_target *target,
					  const struct reach_state *state)
{
	const bool waits = state->flags &&
			   strcmp(state->interface_name, "t0") != 0;
	struct judge_trace trace = judge_send(&trial->wire, target, 0);

	for (int i = 0; i < 40 && waits && !trace.count; i++)
		trace = judge_send(&trial->wire, target, 50);
	return trace;
}

/* Whether a connection takes the state's way. */
static bool connects(struct trial *trial, const struct reach_target *target,
		     const struct reach_state *state)
{
	const struct judge_trace trace = send_until_seen(trial, target, state);
	const struct judge_way *way = trace.ways;
	const char *link = state->interface_name;
	uint8_t mac[6];

	if (!state->flags)
		return !trace.count;
	if (strcmp(link, "t0") == 0)
		return !trace.error && !trace.count;
	/* A bridge's and a bond's packets leave through the port. */
	if (strcmp(link, "br0") == 0 || strcmp(link, "b0") == 0)
		link = "e0";
	judge_mac(state->gateway.family ? &state->gateway : &target->remote,
		  mac);
	return trace.count == 1 && strcmp(judge_links[way->link], link) == 0 &&
	       memcmp(way->source, state->source.bytes, 16) == 0 &&
	       (way->link >= JUDGE_CABLES ||
		memcmp(way->next_hop, mac, 6) == 0);
}

/* Dispatches until the state of @id is as expected. */
static void await(struct trial *trial, uint64_t id,
		  const struct expectation *expected, struct reach_state *state)
{
	while (reach_monitor_dispatch(trial->monitor) >= 0 &&
	       !reach_monitor_state(trial->monitor, id, state) &&
	       !is_as_expected(expected, state) &&
	       check_wait(reach_monitor_fd(trial->monitor)))
		;
}

static void verify(struct trial *trial, uint64_t id,
		   const struct expectation *expected)
{
	struct reach_state state = { .size = sizeof(state) };
	struct reach_target target;

	make_target(expected, &target);
	await(trial, id, expected, &state);
	if (CHECK(trial->check, is_as_expected(expected, &state)) &&
	    CHECK(trial->check, answer_agrees(&target)) &&
	    CHECK(trial->check,
		  !expected->remote || connects(trial, &target, &state)))
		return;
	fprintf(stderr, "%s: %s %s: %#x, reason %u, by '%s'\n",
		trial->host->name, expected->remote, expected->bound,
		state.flags, state.reason, state.interface_name);
}

static size_t count_of(const struct expectation *expected, size_t most)
{
	size_t count = 0;

	while (count < most &&
	       (expected[count].flags || expected[count].reason))
		count++;
	return count;
}

/* Lets the monitor dump rules and settings. Before it knows them, it looks up
 * more than it has to. */
static void let_idle(struct trial *trial)
{
	struct pollfd pollfd = { .fd = reach_monitor_fd(trial->monitor),
				 .events = POLLIN };

	while (poll(&pollfd, 1, 20) == 1)
		CHECK(trial->check,
		      reach_monitor_dispatch(trial->monitor) >= 0);
}

static void change(struct trial *trial)
{
	const char *const *commands = trial->host->change;
	size_t count = 0;

	while (count < 4 && commands[count] && *commands[count])
		count++;
	let_idle(trial);
	CHECK(trial->check, run(commands, count));
	if (count == 4 || !commands[count])
		return;
	let_idle(trial);
	CHECK(trial->check, run(commands + count + 1, 3 - count));
}

static void watch(struct trial *trial)
{
	const struct host *host = trial->host;
	const size_t count = count_of(host->expected, 8);
	const size_t later = count_of(host->later, 4);
	struct reach_stats stats = { .size = sizeof(stats) };
	struct reach_target target;
	uint64_t ids[12];

	for (size_t i = 0; i < count + later; i++) {
		make_target(i < count ? &host->expected[i]
				      : &host->later[i - count],
			    &target);
		CHECK(trial->check,
		      !reach_monitor_add(trial->monitor, &target, &ids[i]));
	}
	for (size_t i = 0; i < count; i++)
		verify(trial, ids[i], &host->expected[i]);
	change(trial);
	for (size_t i = 0; i < later; i++)
		verify(trial, ids[count + i], &host->later[i]);
	CHECK(trial->check, !reach_monitor_stats(trial->monitor, &stats));
	CHECK(trial->check, !stats.corrections);
}

static bool is_since_5_18(void)
{
	struct utsname system;
	int major = 0, minor = 0;

	return !uname(&system) &&
	       sscanf(system.release, "%d.%d", &major, &minor) == 2 &&
	       major * 100 + minor >= 518;
}

/* Adds the host's device. */
static bool is_supported(const struct host *host)
{
	char command[64];

	if (host->since_5_18 && !is_since_5_18())
		return false;
	if (!host->device)
		return true;
	snprintf(command, sizeof(command), "link add %s", host->device);
	return answer_ip(command);
}

/* Attaches to a new tun device, which has a carrier until @fd is closed. */
static bool open_tun(const char *name, int *fd)
{
	struct ifreq request = { .ifr_flags = IFF_TUN | IFF_NO_PI };

	strcpy(request.ifr_name, name);
	*fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
	return *fd >= 0 && !ioctl(*fd, TUNSETIFF, &request);
}

static int build_and_watch(void *context)
{
	struct trial *trial = context;
	const struct host *host = trial->host;
	int tun = -1;

	if (unshare(CLONE_NEWNET))
		return -errno;
	if (host->tun && !open_tun(host->tun, &tun))
		return -errno;
	if (!is_supported(host))
		return -EOPNOTSUPP;
	if (CHECK(trial->check,
		  judge_lay_cables() && run(host->commands, 16) &&
			  judge_wire_open(&trial->wire, false) &&
			  !reach_monitor_open(&trial->monitor, NULL))) {
		watch(trial);
		reach_monitor_close(trial->monitor);
		judge_wire_close(&trial->wire);
	}
	if (tun >= 0)
		close(tun);
	return 0;
}

/* ---- changes of one moment -------------------------------------------- */

/* A DHCP client that renews its lease. */
static const struct renewal {
	const char *commands[4];
	/* The most changes per target. */
	int most;
} renewals[] = {
	{ { "addr change 10.9.0.1/24 brd + dev e0 valid_lft 3600 "
	    "preferred_lft 3600" },
	  0 },
	{ { "addr add 10.9.0.7/24 brd + dev e0",
	    "route replace default via 10.9.0.2 src 10.9.0.7",
	    "addr del 10.9.0.1/24 dev e0" },
	  2 },
	{ { "addr del 10.9.0.7/24 dev e0", "addr add 10.9.0.7/24 brd + dev e0",
	    "route add default via 10.9.0.2" },
	  2 },
};

struct counted {
	uint64_t id;
	int changes;
	uint32_t flags;
};

/* Takes the changes so far. */
static void count_changes(struct trial *trial, struct counted targets[2])
{
	struct reach_change change = { .size = sizeof(change) };

	CHECK(trial->check, reach_monitor_dispatch(trial->monitor) >= 0);
	while (reach_monitor_next(trial->monitor, &change) == 1)
		for (int i = 0; i < 2; i++)
			if (targets[i].id == change.id) {
				targets[i].changes++;
				targets[i].flags = change.state.flags;
			}
}

static int renew(void *context)
{
	const struct renewal *renewal = context;

	return !run(renewal->commands, 4);
}

/* Renews at once, or while the monitor works (@is_parallel). Each target is as
 * reachable as before. */
static void count_renewal(struct trial *trial, const struct renewal *renewal,
			  struct counted targets[2], bool is_parallel)
{
	pid_t child = is_parallel ? fork() : 0;

	for (int i = 0; i < 2; i++)
		targets[i].changes = 0;
	if (is_parallel && child == 0)
		_exit(renew((void *)(uintptr_t)renewal));
	if (!is_parallel)
		CHECK(trial->check, !renew((void *)(uintptr_t)renewal));
	while (is_parallel && waitpid(child, NULL, WNOHANG) == 0)
		count_changes(trial, targets);
	count_changes(trial, targets);
	for (int i = 0; i < 2; i++) {
		CHECK(trial->check,
		      targets[i].changes <= (is_parallel ? renewal->most : 0));
		CHECK(trial->check, targets[i].flags & FAR);
	}
}

static int watch_renewals(void *context)
{
	static const char *const base[] = { "addr add 10.9.0.1/24 brd + dev e0",
					    "route add default via 10.9.0.2" };
	struct trial *trial = context;
	struct counted targets[2] = { { 0 } };
	struct reach_target target;

	if (unshare(CLONE_NEWNET))
		return -errno;
	if (!CHECK(trial->check,
		   judge_lay_cables() && answer_batch(base, 2) &&
			   judge_set("=ipv4/conf/e0/promote_secondaries 1") &&
			   !reach_monitor_open(&trial->monitor, NULL)))
		return 0;
	reach_target_init(&target, REACH_TARGET_INTERNET);
	CHECK(trial->check,
	      !reach_monitor_add(trial->monitor, &target, &targets[0].id));
	reach_target_init(&target, REACH_TARGET_ADDRESS);
	(void)reach_address_parse("10.9.0.2", &target.remote);
	CHECK(trial->check,
	      !reach_monitor_add(trial->monitor, &target, &targets[1].id));
	count_changes(trial, targets);
	for (size_t i = 0; i < sizeof(renewals) / sizeof(*renewals); i++)
		count_renewal(trial, &renewals[i], targets, false);
	/* The lease has the other address now. */
	for (int i = 0; i < 20; i++)
		count_renewal(trial, &renewals[2], targets, true);
	reach_monitor_close(trial->monitor);
	return 0;
}

/* ---- names ------------------------------------------------------------ */

/* Whether the VPN's name server answers. Static, because worker threads may
 * read it after a test has ended. */
static atomic_bool is_private;

/* The VPN's server has another address for nas.test, and knows only.test. */
static int answer(void *context, const char *name,
		  struct reach_address *addresses, size_t capacity)
{
	const bool is_both = strcmp(name, "nas.test") == 0;

	(void)context;
	(void)capacity;
	if (!is_private && !is_both)
		return -ENOENT;
	(void)reach_address_parse(is_private ? "192.168.77.10" : "203.0.113.80",
				  &addresses[0]);
	return 1;
}

/* Writes resolv.conf, by a rename if @renames. */
static bool write_servers(const char *root, const char *server, bool renames)
{
	char path[2][64];
	FILE *file;

	snprintf(path[0], 64, "%s/resolv.conf", root);
	snprintf(path[1], 64, "%s/%s", root, renames ? "new" : "resolv.conf");
	file = fopen(path[1], "we");
	return file && fprintf(file, "nameserver %s\n", server) > 0 &&
	       !fclose(file) && !rename(path[1], path[0]);
}

static void change_servers(struct trial *trial, const char *root,
			   const uint64_t ids[2])
{
	static const struct expectation public[2] = {
		{ "nas.test", NULL, FAR, 0, "e0", "10.9.0.2" },
		{ "only.test", NULL, 0, REACH_REASON_NO_SUCH_NAME, NULL, NULL },
	};
	static const struct expectation private[2] = {
		{ "nas.test", NULL, DIRECT, 0, "e1", NULL },
		{ "only.test", NULL, DIRECT, 0, "e1", NULL },
	};

	for (int round = 0; round < 3; round++) {
		const bool is_up = round == 1;
		const struct expectation *expected = is_up ? private : public;

		is_private = is_up;
		CHECK(trial->check,
		      write_servers(root, is_up ? "127.0.0.54" : "127.0.0.53",
				    is_up) &&
			      answer_ip(is_up ? "link set e1 up"
					      : "link set e1 down"));
		if (is_up)
			CHECK(trial->check,
			      answer_ip("addr replace 192.168.77.2/24 dev e1"));
		for (int i = 0; i < 2; i++) {
			struct reach_state state = { .size = sizeof(state) };

			await(trial, ids[i], &expected[i], &state);
			CHECK(trial->check,
			      is_as_expected(&expected[i], &state));
		}
	}
}

/* A VPN brings a name server of its own, and takes it along. */
static int watch_names(void *context)
{
	static const char *const base[] = { "addr add 10.9.0.1/24 dev e0",
					    "route add default via 10.9.0.2" };
	char root[] = "/tmp/reach-hosts-XXXXXX", path[64];
	struct trial *trial = context;
	struct reach_monitor_options options;
	struct reach_target target;
	uint64_t ids[2];

	if (unshare(CLONE_NEWNET))
		return -errno;
	reach_monitor_options_init(&options);
	options.etc_root = mkdtemp(root);
	options.resolve = answer;
	CHECK(trial->check, write_servers(root, "127.0.0.53", false));
	if (!CHECK(trial->check,
		   judge_lay_cables() && answer_batch(base, 2) &&
			   !reach_monitor_open(&trial->monitor, &options)))
		return 0;
	for (int i = 0; i < 2; i++) {
		reach_target_init(&target, REACH_TARGET_NAME);
		target.name = i ? "only.test" : "nas.test";
		CHECK(trial->check,
		      !reach_monitor_add(trial->monitor, &target, &ids[i]));
	}
	change_servers(trial, root, ids);
	reach_monitor_close(trial->monitor);
	snprintf(path, sizeof(path), "%s/resolv.conf", root);
	unlink(path);
	rmdir(root);
	return 0;
}

void test_hosts(struct check *check)
{
	static const struct {
		int (*work)(void *context);
		const char *what;
	} others[] = { { watch_renewals, "renewals" },
		       { watch_names, "a VPN's name server" } };
	struct trial trial = { .check = check };
	int err;

	for (size_t i = 0; i < sizeof(hosts) / sizeof(*hosts); i++) {
		memset(&trial.wire, 0, sizeof(trial.wire));
		trial.host = &hosts[i];
		err = check_on_thread(build_and_watch, &trial);
		if (err)
			check_skip(check, hosts[i].name, err);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		err = check_on_thread(others[i].work, &trial);
		if (err)
			check_skip(check, others[i].what, err);
	}
}
