/* SPDX-License-Identifier: MIT */
/* What kernels announce, and what they don't: the stories that the field guide
 * (Tests/KernelTests/README.md) names. */
#include <stddef.h>

#include "monitor/story.h"

/* The verdicts on hosts behind the default routes. */
#define FAR4 "192.0.2.1 -> far e0 via 10.9.0.2"
#define FAR6 "2600::1 -> far e0 via 2001:db8:9::2"

/* The same by the gateway of the second link, or none, and without carrier. */
#define MORE4 "192.0.2.1 -> far e1 via 10.8.0.2"
#define MORE6 "2600::1 -> far e1 via 2001:db8:8::2"
#define NONE4 "192.0.2.1 -> noRoute"
#define NONE6 "2600::1 -> noRoute"
#define DOWN4 "192.0.2.1 -> linkDown"
#define DOWN6 "2600::1 -> linkDown"

/* What refuses, by routes and by rules of this priority, and the verdicts. */
#define ROUTES(change, type)                                                   \
	"route " change " " type " 192.0.2.0/24",                              \
		"route " change " " type " 2600::/48"
#define RULES(number, type)                                                    \
	"rule add pref " number " to 192.0.2.0/24 " type,                      \
		"-6 rule add pref " number " to 2600::/48 " type
#define NO_RULES(number) "rule del pref " number, "-6 rule del pref " number
#define REFUSED(reason)	 "192.0.2.1 -> " reason, "2600::1 -> " reason

/* Default routes over nexthop objects. */
#define NEXTHOPS                                                               \
	ADDRESS4, ADDRESS6, IPV4_MORE, "nexthop add id 1 via 10.9.0.2 dev e0", \
		"nexthop add id 2 via 10.8.0.2 dev e1",                        \
		"nexthop add id 61 via 2001:db8:9::2 dev e0",                  \
		"route add default nhid 1", "route add ::/0 nhid 61"

#define NEXTHOPS_CHANGE                                                        \
	FAR4, FAR6, "nexthop replace id 1 via 10.8.0.2 dev e1", MORE4,         \
		"nexthop replace id 1 blackhole", "192.0.2.1 -> blackhole",    \
		"-6 nexthop replace id 61 blackhole", "2600::1 -> blackhole",  \
		"nexthop replace id 1 via 10.9.0.2 dev e0",                    \
		"nexthop replace id 61 via 2001:db8:9::2 dev e0", FAR4, FAR6,  \
		"nexthop add id 10 group 1/2",                                 \
		"route replace default nhid 10",                               \
		"nexthop replace id 10 group 2", MORE4,                        \
		"nexthop replace id 10 group 1", FAR4, "nexthop del id 1",     \
		NONE4, "nexthop del id 61", NONE6

#define LINK_DOWN FAR4, FAR6, "link set e0 down", NONE4, NONE6

/* A device over e0, or over both cables, and its default route. */
#define OVER(name)                                                             \
	"link set " name " up", "addr add 10.9.0.1/24 dev " name,              \
		"route add default via 10.9.0.2"
#define PORTS(name)                                                            \
	"link set e0 down", "link set e1 down", "link set e0 master " name,    \
		"link set e1 master " name, "link set e0 up",                  \
		"link set e1 up", "addr add 10.7.0.1/24 dev e0", OVER(name)
/* A link that is over another one loses its carrier with that one. */
#define LOSE_CARRIER(name)                                                     \
	"192.0.2.1 -> far " name " via 10.9.0.2", "link set p0 down", DOWN4,   \
		"link set p0 up", "192.0.2.1 -> far " name " via 10.9.0.2"
/* A link over ports loses it with the last one. */
#define LOSE_PORTS(name)                                                       \
	"192.0.2.1 -> far " name " via 10.9.0.2", "link set p0 down",          \
		"10.7.0.2 -> linkDown",                                        \
		"192.0.2.1 -> far " name " via 10.9.0.2", "link set p1 down",  \
		DOWN4, "link set p0 up",                                       \
		"192.0.2.1 -> far " name " via 10.9.0.2"

/* An address that fits better than the network's. */
#define BETTER	     "2a00::9/16 dev e0 nodad noprefixroute"
#define BEST_SOURCE  "2a00::1 -> far e0 via 2001:db8:9::2 source 2a00::9"
#define PLAIN_SOURCE "2a00::1 -> far e0 via 2001:db8:9::2 source 2001:db8:9::1"

static const struct story stories[] = {
	/* ---- removals ---- */
	{ .name = "a link goes down and up",
	  .steps = { IPV4, IPV6, FAR4, FAR6, "10.9.0.2 -> direct e0",
		     "10.9.0.1 -> own e0", "2001:db8:9::1 -> own e0",
		     "link set e0 down", NONE4, NONE6, "10.9.0.2 -> noRoute",
		     /* IPv4 keeps the address. */
		     "10.9.0.1 -> own e0", "2001:db8:9::1 -> noRoute",
		     "link set e0 up", "10.9.0.2 -> direct e0", NONE4, NONE6,
		     ADDRESS6, "2001:db8:9::1 -> own e0",
		     "route add default via 10.9.0.2",
		     "route add ::/0 via 2001:db8:9::2", FAR4, FAR6 } },
	{ .name = "the other end of a link is deleted",
	  .steps = { IPV4, IPV6, FAR4, FAR6, "10.9.0.1 -> own e0",
		     "link del p0", NONE4, NONE6, "10.9.0.1 -> noRoute" } },
	{ .name = "the only IPv4 address goes",
	  .steps = { IPV4, FAR4, "10.9.0.1 -> own e0", "10.9.0.2 -> direct e0",
		     "addr del 10.9.0.1/24 dev e0", NONE4,
		     "10.9.0.1 -> noRoute", "10.9.0.2 -> noRoute", ADDRESS4,
		     "10.9.0.1 -> own e0", "10.9.0.2 -> direct e0",
		     "route add default via 10.9.0.2", FAR4 } },
	{ .name = "one of two addresses goes",
	  .steps = { IPV4, "addr add 10.9.7.1/24 dev e0",
		     "192.0.2.1 -> far e0 via 10.9.0.2 source 10.9.0.1",
		     "192.0.2.1 from 10.9.0.1 -> far e0 via 10.9.0.2",
		     "192.0.2.1 from 10.9.7.1 -> far e0 via 10.9.0.2",
		     "addr del 10.9.0.1/24 dev e0",
		     "192.0.2.1 -> far e0 via 10.9.0.2 source 10.9.7.1",
		     "192.0.2.1 from 10.9.0.1 -> notLocal",
		     "192.0.2.1 from 10.9.7.1 -> far e0 via 10.9.0.2" } },
	{ .name = "a route goes with its preferred source",
	  .steps = { ADDRESS4, "addr add 10.9.7.1/24 dev e0",
		     "route add default via 10.9.0.2 src 10.9.7.1",
		     "192.0.2.1 -> far e0 via 10.9.0.2 source 10.9.7.1",
		     "addr del 10.9.7.1/24 dev e0", NONE4 } },
	{ .name = "the lifetime of an address ends",
	  .steps = { IPV4, FAR4,
		     "addr change 10.9.0.1/24 dev e0 valid_lft 1 "
		     "preferred_lft 1",
		     NONE4 } },
	{ .name = "nexthop objects change and go",
	  .steps = { NEXTHOPS, NEXTHOPS_CHANGE } },
	{ .name = "they do so, and their routes aren't announced",
	  .steps = { NEXTHOPS, "=ipv4/nexthop_compat_mode 0",
		     NEXTHOPS_CHANGE } },
	{ .name = "nexthop objects go with the link",
	  .steps = { NEXTHOPS, LINK_DOWN } },
	{ .name = "they do so, and IPv6 routes aren't announced",
	  .steps = { NEXTHOPS, "=ipv4/nexthop_compat_mode 0", LINK_DOWN } },
	{ .name = "nexthop objects go with the carrier for good",
	  .steps = { NEXTHOPS, FAR4, FAR6, "10.9.0.2 -> direct e0",
		     "link set p0 down", NONE4, NONE6, "10.9.0.2 -> linkDown",
		     "link set p0 up", "10.9.0.2 -> direct e0", NONE4 } },
	{ .name = "IPv6 doesn't announce the routes of a link that is down",
	  .steps = { IPV4, IPV6, "=ipv6/route/skip_notify_on_dev_down 1",
		     "2001:db8:9::2 -> direct e0", LINK_DOWN,
		     "2001:db8:9::2 -> noRoute" } },
	{ .name = "IPv6 is disabled",
	  .steps = { IPV4, IPV6, FAR4, FAR6, "=ipv6/conf/e0/disable_ipv6 1",
		     NONE6, FAR4 } },
	/* ---- changes ---- */
	{ .name = "a route is added, replaced, and deleted",
	  .steps = { ADDRESS4, IPV4_MORE, NONE4, "internet -> noRoute",
		     "route add default via 10.9.0.2", FAR4,
		     "internet -> far e0 via 10.9.0.2",
		     "route replace default via 10.8.0.2", MORE4,
		     "internet -> far e1 via 10.8.0.2",
		     "route add 192.0.2.0/24 dev e0", "192.0.2.1 -> direct e0",
		     "route del 192.0.2.0/24", MORE4, "route del default",
		     NONE4, "internet -> noRoute" } },
	{ .name = "settings that concern no verdict",
	  .steps = { IPV4, IPV6, FAR4, FAR6, "internet -> far e0 via 10.9.0.2",
		     "link set e0 mtu 1400", "link set e0 alias uplink",
		     "link set e0 txqueuelen 77", "link set e0 promisc on",
		     "link set e0 promisc off",
		     "route add 203.0.113.0/24 via 10.9.0.2",
		     "route add 2001:db8:eeee::/48 via 2001:db8:9::2",
		     "=ipv4/conf/all/rp_filter 2", "-> no change" } },
	{ .name = "IPv4 follows ignore_routes_with_linkdown",
	  .steps = { IPV4, IPV4_MORE, "route add default via 10.8.0.2 metric 9",
		     FAR4, "link set p0 down", DOWN4,
		     "=ipv4/conf/e0/ignore_routes_with_linkdown 1", MORE4,
		     "=ipv4/conf/e0/ignore_routes_with_linkdown 0", DOWN4,
		     "=ipv4/conf/e0/ignore_routes_with_linkdown 1", MORE4,
		     "link set p0 up", FAR4 } },
	/* A router doesn't change over by itself, and 5.10 doesn't announce the
	 * setting of one link. */
	{ .name = "IPv6 follows ignore_routes_with_linkdown",
	  .steps = { "=ipv6/conf/all/forwarding 1", ADDRESS6, IPV6_MORE,
		     "-6 route add default via 2001:db8:9::2 metric 100",
		     "-6 route add default via 2001:db8:8::2 metric 2000", FAR6,
		     "link set p0 down", DOWN6,
		     "=ipv6/conf/all/ignore_routes_with_linkdown 1", MORE6,
		     "=ipv6/conf/all/ignore_routes_with_linkdown 0", DOWN6,
		     "=ipv6/conf/all/ignore_routes_with_linkdown 1", MORE6,
		     "link set p0 up", FAR6 } },
	{ .name = "a leg of an IPv6 route is deleted",
	  .steps = { "=ipv6/conf/all/forwarding 1", ADDRESS6, IPV6_MORE, LEGS6,
		     "2600::1 in e0 -> far e0 via 2001:db8:9::2",
		     "-6 route del default via 2001:db8:9::2",
		     "2600::1 in e0 -> noRoute", MORE6,
		     "2600::2 -> far e1 via 2001:db8:8::2",
		     "2600::3 -> far e1 via 2001:db8:8::2" } },
	{ .name = "the links of both legs go down",
	  .steps = { ADDRESS4, IPV4_MORE, LEGS4,
		     "192.0.2.1 in e0 -> far e0 via 10.9.0.2",
		     "link set e0 down", MORE4,
		     "192.0.2.2 -> far e1 via 10.8.0.2",
		     "192.0.2.3 -> far e1 via 10.8.0.2", "link set e1 down",
		     NONE4, "192.0.2.2 -> noRoute" } },
	{ .name = "a leg comes back with its link",
	  .steps = { ADDRESS4, IPV4_MORE, LEGS4,
		     "192.0.2.1 in e1 -> far e1 via 10.8.0.2",
		     "link set p0 down", "link set e1 down",
		     "192.0.2.1 in e1 -> noRoute", "link set e1 up",
		     "192.0.2.1 in e1 -> far e1 via 10.8.0.2" } },
	{ .name = "a link leaves a bridge",
	  .steps = { IPV4, "link add br0 type bridge", FAR4,
		     "link set e0 master br0", "-> no change",
		     "link set e0 nomaster", "-> no change", FAR4 } },
	{ .name = "another link takes the index",
	  .steps = { "link add e8 index 700 type veth peer name p8",
		     "link set p8 up", "link set e8 up",
		     "addr add 10.9.0.1/24 dev e8",
		     "route add default via 10.9.0.2",
		     "192.0.2.1 -> far e8 via 10.9.0.2", "link del e8",
		     "link add e9 index 700 type veth peer name p9",
		     "link set e9 up", "addr add 10.9.0.1/24 dev e9",
		     "route add default via 10.9.0.2", DOWN4, "link set p9 up",
		     "192.0.2.1 -> far e9 via 10.9.0.2" } },
	{ .name = "a link is renamed",
	  .since = 602,
	  .steps = { IPV4, FAR4, "192.0.2.1 in e0 -> far e0 via 10.9.0.2",
		     "192.0.2.1 in lan0 -> noInterface",
		     "link set e0 name lan0",
		     "192.0.2.1 in lan0 -> far lan0 via 10.9.0.2",
		     "192.0.2.1 in e0 -> noInterface",
		     "192.0.2.1 -> far lan0 via 10.9.0.2",
		     "link set lan0 name e0",
		     "192.0.2.1 in e0 -> far e0 via 10.9.0.2",
		     "192.0.2.1 in lan0 -> noInterface", FAR4 } },
	/* Alone, and the last of several names, one of which is too long for a
	 * socket. */
	{ .name = "a link has alternative names",
	  .since = 505,
	  .steps = { IPV4, "192.0.2.1 in enp2s1 -> noInterface",
		     "link property add dev e0 altname enp2s1",
		     "192.0.2.1 in enp2s1 -> far e0 via 10.9.0.2",
		     "link property del dev e0 altname enp2s1",
		     "192.0.2.1 in enp2s1 -> noInterface",
		     "link property add dev e0 altname enx00aabbccddeeff00 "
		     "altname a altname enp2s1",
		     "192.0.2.1 in enp2s1 -> far e0 via 10.9.0.2" } },
	{ .name = "an IPv6 address gets a peer",
	  .steps = { IPV6, "addr add fd00::7/64 dev e0 nodad",
		     "2600::1 from fd00::7 -> far e0 via 2001:db8:9::2",
		     "addr change fd00::7 peer fd00:1::1/64 dev e0",
		     "-> no change",
		     "addr del fd00::7 peer fd00:1::1/64 dev e0",
		     "2600::1 from fd00::7 -> notLocal",
		     "addr add fd00::7/64 dev e0 nodad",
		     "2600::1 from fd00::7 -> far e0 via 2001:db8:9::2" } },
	/* ---- what drops packets ---- */
	{ .name = "routes stay without the carrier",
	  .steps = { IPV4, IPV6, "=ipv6/conf/all/forwarding 1", FAR4, FAR6,
		     "link set p0 down", DOWN4, DOWN6, "link set p0 up", FAR4,
		     FAR6 } },
	{ .name = "a link waits for 802.1X",
	  .steps = { IPV4, FAR4, "link set e0 mode dormant", "link set p0 down",
		     DOWN4, "link set p0 up",
		     "192.0.2.1 -> dormant e0 via 10.9.0.2",
		     /* A supplicant has finished. */
		     "link set e0 state up", FAR4 } },
	{ .name = "no global IPv6 address",
	  .steps = { IPV6, FAR6, "addr del 2001:db8:9::1/64 dev e0",
		     "2600::1 -> noSource", "-6 addr flush dev e0",
		     "-> no change", ADDRESS6,
		     "2600::1 -> far e0 via 2001:db8:9::2 source "
		     "2001:db8:9::1" } },
	{ .name = "an address is tentative",
	  .steps = { "addr add 2001:db8:7::1/64 dev e2 nodad",
		     "route add ::/0 via 2001:db8:7::2",
		     "addr del 2001:db8:7::1/64 dev e2",
		     "route replace ::/0 via fe80::2 dev e2",
		     "2600::1 -> noSource", "addr add 2001:db8:7::7/64 dev e2",
		     "2600::1 -> far e2 via fe80::2 source "
		     "2001:db8:7::7" } },
	{ .name = "an address stays while the link is down",
	  .steps = { "=ipv6/conf/e2/keep_addr_on_down 1",
		     "addr add 2001:db8:7::7/64 dev e2",
		     "route add ::/0 dev e2",
		     "2600::1 -> direct e2 source 2001:db8:7::7",
		     "link set e2 down", NONE6, "link set e2 up",
		     "route add ::/0 dev e2",
		     "2600::1 -> direct e2 source 2001:db8:7::7" } },
	{ .name = "a tunnel has no address",
	  .tun = "t0",
	  .steps = { "link set t0 up", "route add default dev t0",
		     "-6 route add default dev t0", "-6 addr flush dev t0",
		     "192.0.2.1 -> noSource", "2600::1 -> noSource",
		     "addr add 10.7.0.1/32 dev t0",
		     "addr add 2001:db8:7::1/128 dev t0 nodad",
		     "192.0.2.1 -> tunnel t0", "2600::1 -> tunnel t0",
		     "addr del 10.7.0.1/32 dev t0", NONE4 } },
	{ .name = "a tunnel borrows the address of lo",
	  .tun = "t0",
	  .steps = { "link set t0 up", "route add default dev t0",
		     "192.0.2.1 -> noSource", "addr add 10.7.0.1/32 dev lo",
		     "192.0.2.1 -> tunnel t0 source 10.7.0.1" } },
	{ .name = "a persistent tunnel has no reader",
	  .steps = { "tuntap add dev t0 mode tun", "link set t0 up",
		     "addr add 10.7.0.1/24 dev t0", "route add default dev t0",
		     DOWN4 } },
	{ .name = "a bridge loses its ports",
	  .device = "br0 type bridge",
	  .steps = { PORTS("br0"), LOSE_PORTS("br0") } },
	{ .name = "a team loses its ports",
	  .device = "team0 type team",
	  .steps = { PORTS("team0"), LOSE_PORTS("team0") } },
	{ .name = "a bond changes over, and loses its ports",
	  .device = "bond0 type bond mode active-backup miimon 50",
	  .steps = { PORTS("bond0"), LOSE_PORTS("bond0") } },
	{ .name = "a macvlan link loses its carrier",
	  .device = "top0 link e0 type macvlan",
	  .steps = { OVER("top0"), LOSE_CARRIER("top0") } },
	{ .name = "an ipvlan link loses its carrier",
	  .device = "top0 link e0 type ipvlan mode l2",
	  .steps = { OVER("top0"), LOSE_CARRIER("top0") } },
	{ .name = "an ipvlan link of mode l3 loses its carrier",
	  .device = "top0 link e0 type ipvlan mode l3",
	  .steps = { OVER("top0"), LOSE_CARRIER("top0") } },
	{ .name = "a macsec link loses its carrier",
	  .device = "top0 link e0 type macsec",
	  .steps = { OVER("top0"), LOSE_CARRIER("top0") } },
	{ .name = "a capture link",
	  .device = "n0 type nlmon",
	  .steps = { OVER("n0"), DOWN4, "internet -> linkDown" } },
	{ .name = "an unreachable default route of the last metric",
	  .steps = { IPV6, "-6 route add unreachable default metric 4294967295",
		     FAR6, "-6 route del default via 2001:db8:9::2",
		     "2600::1 -> unreachable" } },
	{ .name = "routes that refuse",
	  .steps = { IPV4, IPV6, FAR4, FAR6, ROUTES("add", "unreachable"),
		     REFUSED("unreachable"), ROUTES("replace", "prohibit"),
		     REFUSED("prohibited"), ROUTES("replace", "blackhole"),
		     REFUSED("blackhole"), ROUTES("replace", "throw"),
		     REFUSED("noRoute"), ROUTES("del", "throw"), FAR4, FAR6 } },
	{ .name = "rules that refuse",
	  .steps = { IPV4, IPV6, FAR4, FAR6, RULES("9", "unreachable"),
		     REFUSED("noRoute"), RULES("8", "prohibit"),
		     REFUSED("prohibited"), RULES("7", "blackhole"),
		     REFUSED("blackhole"), NO_RULES("7"), NO_RULES("8"),
		     NO_RULES("9"), FAR4, FAR6 } },
	/* The verdicts are those of TCP. */
	{ .name = "rules by protocol",
	  .steps = { IPV4, IPV6, FAR4, FAR6,
		     "rule add pref 9 ipproto 6 prohibit",
		     "-6 rule add pref 9 ipproto 6 prohibit",
		     REFUSED("prohibited"), NO_RULES("9"), FAR4, FAR6,
		     "rule add pref 9 ipproto 17 prohibit",
		     "-6 rule add pref 9 ipproto 17 prohibit", FAR4, FAR6 } },
	/* ---- detours ---- */
	{ .name = "two routes of half the internet each",
	  .steps = { ADDRESS4, "route add 0.0.0.0/1 via 10.9.0.2",
		     "11.0.0.1 -> far e0 via 10.9.0.2",
		     "203.0.113.1 -> noRoute", "internet -> noRoute",
		     "route add 128.0.0.0/1 via 10.9.0.2",
		     "203.0.113.1 -> far e0 via 10.9.0.2",
		     "internet -> far e0 via 10.9.0.2", "route del 0.0.0.0/1",
		     "11.0.0.1 -> noRoute", "internet -> noRoute" } },
	{ .name = "a table that no rule names",
	  .steps = { ADDRESS4, NONE4, "internet -> noRoute",
		     "route add default via 10.9.0.2 table 100", "-> no change",
		     "rule add lookup 100", FAR4,
		     "internet -> far e0 via 10.9.0.2",
		     "route del default table 100", NONE4,
		     "route add default via 10.9.0.2 table 100", FAR4,
		     "rule del lookup 100", NONE4, "internet -> noRoute" } },
	{ .name = "the rules of wg-quick",
	  .steps = { IPV4, IPV4_MORE, FAR4, "10.9.0.9 -> direct e0",
		     "192.0.2.1 mark 7 -> far e0 via 10.9.0.2",
		     "route add default via 10.8.0.2 table 7", "-> no change",
		     "rule add not fwmark 7 lookup 7",
		     /* All traffic, until the next rule. */
		     MORE4, "10.9.0.9 -> far e1 via 10.8.0.2",
		     "rule add lookup main suppress_prefixlength 0",
		     "10.9.0.9 -> direct e0", MORE4,
		     "192.0.2.1 mark 7 -> far e0 via 10.9.0.2",
		     "link set p1 down", DOWN4,
		     "rule del not fwmark 7 lookup 7", FAR4 } },
	{ .name = "the rules of wg-quick, IPv6",
	  .steps = { IPV6, IPV6_MORE, FAR6,
		     "2600::1 mark 7 -> far e0 via 2001:db8:9::2",
		     "route add ::/0 via 2001:db8:8::2 table 7",
		     "-6 rule add not fwmark 7 lookup 7", MORE6,
		     "-6 rule add lookup main suppress_prefixlength 0",
		     "2001:db8:9::9 -> direct e0", MORE6,
		     "2600::1 mark 7 -> far e0 via 2001:db8:9::2" } },
	{ .name = "a shorter prefix in an earlier table",
	  .steps = { IPV4, IPV4_MORE, FAR4,
		     "route add 192.0.2.0/28 via 10.9.0.2 table 100",
		     "rule add pref 100 lookup 100",
		     "route add 192.0.2.1/32 dev e1", "-> no change",
		     "route del 192.0.2.0/28 table 100",
		     "192.0.2.1 -> direct e1",
		     "route add 192.0.0.0/8 via 10.9.0.2 table 100", FAR4 } },
	{ .name = "rules by mark and by user",
	  .steps = { ADDRESS4, NONE4, "192.0.2.1 mark 7 -> noRoute",
		     "192.0.2.1 uid 1000 -> noRoute",
		     "route add default via 10.9.0.2 table 100",
		     "rule add fwmark 7 lookup 100",
		     "192.0.2.1 mark 7 -> far e0 via 10.9.0.2", NONE4,
		     "rule add uidrange 1000-1000 lookup 100",
		     "192.0.2.1 uid 1000 -> far e0 via 10.9.0.2", NONE4 } },
	/* A lookup with the interface alone would invent an answer. */
	{ .name = "a socket of an interface without a route",
	  .steps = { IPV4, IPV4_MORE, "192.0.2.1 in e1 -> noRoute",
		     "192.0.2.1 in e0 -> far e0 via 10.9.0.2",
		     "route add default via 10.8.0.2 metric 500",
		     "192.0.2.1 in e1 -> far e1 via 10.8.0.2",
		     "link set p1 down", "192.0.2.1 in e1 -> linkDown" } },
	{ .name = "a default route by source",
	  .steps = { ADDRESS6, NONE6, "internet -> noRoute",
		     "route add ::/0 from 2001:db8:9::/64 via 2001:db8:9::2",
		     FAR6, "internet -> far e0 via 2001:db8:9::2",
		     /* The only address in the source's prefix. */
		     "addr del 2001:db8:9::1/64 dev e0", NONE6,
		     "internet -> noRoute" } },
	{ .name = "a rule by the source of the first lookup",
	  .steps = { IPV4, IPV4_MORE, FAR4, "rule add from 10.9.0.1 prohibit",
		     "192.0.2.1 -> prohibited",
		     "route add default via 10.8.0.2 table 77",
		     "rule add pref 5 from 10.9.0.0/24 lookup 77", MORE4,
		     "rule del pref 5", "192.0.2.1 -> prohibited",
		     /* No rule names the source of this one. */
		     "route replace default via 10.8.0.2", MORE4 } },
	{ .name = "a rule by source, and a socket of an interface",
	  .steps = { ADDRESS4, "192.0.2.1 in e0 -> noRoute",
		     "route add default via 10.9.0.2 table 77",
		     "rule add from 10.9.0.1 lookup 77",
		     "192.0.2.1 in e0 -> far e0 via 10.9.0.2",
		     "route del default table 77",
		     "192.0.2.1 in e0 -> noRoute" } },
	{ .name = "multicast leaves over the link with the source",
	  .steps = { IPV4, "route add 224.0.0.0/4 dev e1",
		     "224.0.0.251 -> direct e0 source 10.9.0.1",
		     "route del default", "-> no change", "link set e1 down",
		     "224.0.0.251 -> noRoute" } },
	{ .name = "own addresses, neighbors, and hosts behind a router",
	  .steps = { IPV4, IPV6, "127.0.0.1 -> loopback lo",
		     "127.9.9.9 -> loopback lo", "::1 -> loopback lo",
		     "10.9.0.1 -> own e0", "::ffff:10.9.0.1 -> own e0",
		     "::ffff:192.0.2.1 -> far e0 via 10.9.0.2",
		     "10.9.0.2 -> direct e0", "10.9.0.255 -> direct e0",

		     "224.0.0.251 -> direct e0", "2001:db8:9::2 -> direct e0",
		     FAR4, FAR6 } },
	{ .name = "lo goes down and up",
	  .steps = { ADDRESS4, ADDRESS6, "link set lo down",
		     "127.0.0.1 -> linkDown", "127.1.2.3 -> linkDown",
		     "::1 -> noRoute", "10.9.0.1 -> linkDown",
		     "2001:db8:9::1 -> linkDown", "link set lo up",
		     "127.0.0.1 -> loopback lo", "127.1.2.3 -> loopback lo",
		     "::1 -> loopback lo", "10.9.0.1 -> own e0",
		     "2001:db8:9::1 -> own e0",
		     "127.1.2.3 from 127.0.0.1 -> loopback lo",
		     "10.9.0.1 from 127.0.0.1 -> own e0",
		     "127.0.0.1 from 10.9.0.1 -> loopback lo",
		     "2001:db8:9::1 from ::1 -> own e0",
		     "::1 from 2001:db8:9::1 -> loopback lo" } },
	{ .name = "multicast and broadcast",
	  .steps = { "link set e2 down", "224.0.0.251 in e2 -> noRoute",
		     "239.1.1.1 -> noRoute", "255.255.255.255 -> noRoute",
		     "ff02::fb in e2 -> noRoute", "link set e2 up",
		     "224.0.0.251 in e2 -> direct e2",
		     "255.255.255.255 in e2 -> direct e2",
		     "ff02::fb in e2 -> noSource",
		     "addr add 10.9.0.1/24 dev e2",
		     "224.0.0.251 in e2 -> direct e2",
		     "255.255.255.255 in e2 -> direct e2",
		     "255.255.255.255 -> noRoute", "239.1.1.1 -> noRoute",
		     /* The address is tentative, and stays so. */
		     "=ipv6/conf/e2/dad_transmits 600",
		     "addr add fe80::9/64 dev e2", "ff02::fb in e2 -> noSource",
		     "addr add 2001:db8:7::1/64 dev e2 nodad",
		     "ff0e::1234 in e2 -> direct e2",
		     "route add default via 10.9.0.2",
		     "224.0.0.251 -> direct e2", "255.255.255.255 -> direct e2",
		     "route add unreachable 239.0.0.0/8",
		     "route add prohibit 224.0.0.0/4",
		     "224.0.0.251 -> prohibited", "239.1.1.1 -> unreachable",
		     "224.0.0.251 in e2 -> direct e2",
		     "addr del 10.9.0.1/24 dev e2",
		     "224.0.0.251 in e2 -> direct e2" } },
	/* By RFC 6724, rules 3 and 6. The kernel announces no label. */
	{ .name = "the source that fits best",
	  .steps = { IPV6,
		     IPV6_MORE,
		     "link add br0 type bridge",
		     PLAIN_SOURCE,
		     "addr add " BETTER,
		     BEST_SOURCE,
		     "addr change " BETTER " preferred_lft 0",
		     PLAIN_SOURCE,
		     "addr change " BETTER " preferred_lft forever",
		     BEST_SOURCE,
		     "addrlabel add prefix 2a00::9/128 label 77",
		     "-6 rule add fwmark 9 lookup 100",
		     PLAIN_SOURCE,
		     "addrlabel del prefix 2a00::9/128 label 77",
		     "-6 rule del fwmark 9 lookup 100",
		     BEST_SOURCE,
		     "route replace ::/0 via 2001:db8:9::2 src 2001:db8:9::1",
		     PLAIN_SOURCE,
		     "route replace ::/0 via 2001:db8:9::2",
		     BEST_SOURCE,
		     "link set e1 master br0",
		     "link set e1 nomaster",
		     BEST_SOURCE,
		     "-6 rule add unreachable priority 100",
		     "2a00::1 -> noRoute",
		     "-6 rule del priority 100",
		     BEST_SOURCE,
		     "addr del " BETTER,
		     PLAIN_SOURCE,
		     "route replace ::/0 via 2001:db8:8::2",
		     "2a00::1 -> far e1 via 2001:db8:8::2 source "
		     "2001:db8:8::1" } },
};

void test_behaviors(void)
{
	for (size_t i = 0; i < sizeof(stories) / sizeof(*stories); i++)
		story_play(&stories[i]);
}
