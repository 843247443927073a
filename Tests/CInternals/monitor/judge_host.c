/* SPDX-License-Identifier: MIT */
#include "monitor/judge_host.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "monitor/answer.h"

#define COUNT(table) (sizeof(table) / sizeof(*(table)))

/* The link-local addresses of e0 and e1 come with the carrier, and may be used
 * at once. No other address comes by itself. The peers are in the same
 * namespace, have no addresses, and answer nothing. */
static const char *const cables[] = {
	"link set lo up",
	"link add e0 type veth peer name p0",
	"link add e1 type veth peer name p1",
	"link add e2 type veth peer name p2",
	"link set e0 up",
	"link set e1 up",
	"link set e2 addrgenmode none up",
	"link set p0 arp off addrgenmode none up",
	"link set p1 arp off addrgenmode none up",
	"link set p2 arp off addrgenmode none up",
};

static const char *const base[] = {
	"addr add 10.9.9.9/32 dev lo",
	"addr add 2001:db8:5::1/128 dev lo",
	"addr add 10.9.0.1/24 dev e0",
	"addr add 10.8.0.1/24 dev e1",
	"addr add fe80::1/64 dev e2 nodad",
	"addr add 2001:db8:9::1/64 dev e0 nodad",
	"addr add 2001:db8:8::1/64 dev e1 nodad",
	"addr add 2001:db8:7::1/64 dev e2 nodad",
	"route add 2001:db8:7:1::/64 via 2001:db8:7::2 dev e2",
};

/* Files in /proc/sys/net, and their values. A neighbor that doesn't answer
 * fails at once. */
static const char *const settings[] = {
	"=ipv6/conf/e2/accept_dad 1",
	"=ipv6/conf/p0/disable_ipv6 1",
	"=ipv6/conf/p1/disable_ipv6 1",
	"=ipv6/conf/p2/disable_ipv6 1",
	"=ipv4/neigh/e0/mcast_solicit 1",
	"=ipv4/neigh/e1/mcast_solicit 1",
	"=ipv4/neigh/e0/retrans_time_ms 10",
	"=ipv4/neigh/e1/retrans_time_ms 10",
	"=ipv6/neigh/e0/mcast_solicit 1",
	"=ipv6/neigh/e1/mcast_solicit 1",
	"=ipv6/neigh/e2/mcast_solicit 1",
	"=ipv6/neigh/e0/retrans_time_ms 10",
	"=ipv6/neigh/e1/retrans_time_ms 10",
	"=ipv6/neigh/e2/retrans_time_ms 10",
};

/* Unless neighbors are silent, an entry lasts until the judge has answered on a
 * machine under load. IPv6 chooses among routes by such entries
 * (rt6_check_neigh(), net/ipv6/route.c), which no event tells. */
static const char *const patience[] = {
	"=ipv4/neigh/e0/retrans_time_ms 100",
	"=ipv4/neigh/e1/retrans_time_ms 100",
	"=ipv6/neigh/e0/retrans_time_ms 100",
	"=ipv6/neigh/e1/retrans_time_ms 100",
	"=ipv6/neigh/e2/retrans_time_ms 100",
};

static const char *const vrf[] = {
	"link set v0 up",
	"link set e1 master v0",
	/* Restores the address, which a new master removes. */
	"addr replace 2001:db8:8::1/64 dev e1 nodad",
};

static const char *const optimistic[] = {
	"=ipv6/conf/e2/optimistic_dad 1",
	"=ipv6/conf/e2/use_optimistic 1",
};

static const char *const port_hashing[] = {
	"=ipv4/fib_multipath_hash_policy 1",
	"=ipv6/fib_multipath_hash_policy 1",
};

static const char *const router[] = { "=ipv6/conf/all/forwarding 1" };

/* A step is a command of ip(8), which may fail, or begins with
 *	=	a file in /proc/sys/net, and its value
 *	!	a router that stops answering, and whose neighbor entry ends
 *	*	the number of a cable whose router advertises itself
 *	+	all routers answer again
 *	&	the number of a cable that is laid, with its addresses
 *	^	a verb for hundreds of routes, and their table
 * One of the words in braces is chosen, and may be empty. */
static const char *const steps[] = {
	"route {replace|replace|del} default via 10.{9|8}.0.2 "
	"{|||metric 500|table 77}",
	"route {replace|replace|append|del} {192.0.2.0/24|192.0.2.0/25|"
	"203.0.113.0/24|192.0.2.1|192.0.0.0/8|128.0.0.0/1|0.0.0.0/1} {via "
	"10.8.0.2|via 10.9.0.2|dev e0 src 10.8.0.1|nhid 5|via 10.9.0.2 src "
	"10.8.0.1|via inet6 2001:db8:9::2 dev e0|via 10.9.0.2 dev e1 onlink} "
	"{||metric 5|table 77}",
	"route {replace|replace|del} {unreachable|prohibit|blackhole|throw} "
	"{192.0.2.128/25|198.51.100.0/24|192.0.2.0/24} {|table 77}",
	"route {add|del} 224.0.0.0/4 dev e1",
	"{|-6 }route flush table 77",
	"^{add|add|replace|del} {main|77|default}",
	"nexthop {del id 5|replace id 5 via 10.{8.0.2 dev e1|9.0.2 dev e0}}",
	"rule {add|add|del} {from 10.9.0.1|from 10.8.0.0/24|not from "
	"10.9.0.0/24|fwmark 7|uidrange 1000-1000|oif e1|to 198.51.100.0/24|from"
	" 10.8.0.1 fwmark 7} lookup 77",
	"rule {add|del} from 10.9.0.{1 prohibit|0/24 to 192.0.2.0/24 "
	"unreachable}",
	"{|-6 }rule {add|add|del} pref {100|200} {not fwmark 7|uidrange "
	"1000-1000|from all} {lookup 77|lookup main suppress_prefixlength "
	"0|blackhole|goto 32766}",
	"{|-6 }rule del pref {100|200}",
	"addr {replace|del} 10.9.0.{1|3}/24 dev e0",
	"addr {replace|del} 10.8.0.1/24 dev e1",
	"addr {add|del} {10.8.0.1/32|169.254.1.1/16 scope link} dev e{0|1|2}",
	/* Without a link-local address, known neighbors still get packets
	 * (ndisc_solicit(), net/ipv6/ndisc.c). */
	"{-4 addr flush|-6 addr flush scope global} dev e{0|1}",
	"-6 route {replace|replace|del} default {|from 2001:db8:9::/64 |from "
	"2001:db8:8::/64 }via 2001:db8:{9::2 dev e0|8::2 dev e1|7::2 dev e2} "
	"{|||metric 9|table 77}",
	"-6 route {replace|replace|del} {2001:db8:ffff::/48|2001:db8:aaaa::/48|"
	"2001:db8:ffff::/48 from 2001:db8:8::/64|2000::/3|2001:db8:ffff::1} "
	"{via 2001:db8:8::2 dev e1|via fe80::2 dev e0|dev e1|nhid 6} {||table "
	"77}",
	"-6 route {replace|del} {unreachable|prohibit} 2001:db8:aaaa::/48 {|"
	"from 2001:db8:9::/64}",
	"-6 nexthop {del id 6|replace id 6 via 2001:db8:8::2 dev e1}",
	"-6 rule {add|add|del} {from 2001:db8:9::/64|from 2001:db8:8::1|from "
	"2001:db8:7::/64|fwmark 7|uidrange 1000-1000|from 2001:db8:8::/64 "
	"fwmark 7} lookup 77",
	"-6 rule {add|del} from 2001:db8:9::1 prohibit",
	"-6 addr change 2001:db8:9::1/64 dev e0 preferred_lft {0|forever}",
	"-6 addr {replace|del} 2001:db8:{9::1/64 dev e0|9::5/64 dev e0|8::1/64 "
	"dev e1|7::1/64 dev e2}{| nodad| optimistic}",
	"-6 addr {replace|del} 2001:db8:7::{5|6}/64 dev e2{|| optimistic}",
	"-6 addr change {2600::9/16|2001:db8:ffff::9/64} dev e{0|1} nodad "
	"noprefixroute preferred_lft {forever|0}",
	"route {replace|replace|del} 203.0.113.0/24 encap ip id 7 dst "
	"10.9.0.2 dev e1",
	"-6 route {replace|del} 2001:db8:dddd::/48 encap ip6 id 7 dst "
	"2001:db8:9::2 dev e1",
	"link set {e0|e1|e1|e2|p0|p0|p1|lo|lo} {up|up|down}",
	"=ipv{4/conf/{all|e0|e1}|6/conf/all}/ignore_routes_with_linkdown {0|1}",
	"=ipv{6/route/skip_notify_on_dev_down|4/nexthop_compat_mode} {0|1}",
	/* Not e0, to whose IPv6 router IPv4 routes lead: nothing would ask for
	 * its link-layer address, and the kernel keeps the routes. */
	"=ipv6/conf/e1/disable_ipv6 {0|0|1}",
};

/* A host with a choice: the commands that build it, none of which may fail, and
 * its own steps. */
static const struct theme {
	const char *name;
	const char *prelude[8];
	const char *steps[12];
} themes[] = {
	{ "routes and rules by source",
	  { NULL },
	  { "route {replace|replace|del} default via 10.{9|8}.0.2 {|table 77}",
	    "-6 route {replace|replace|del} default {|from 2001:db8:9::/64 |"
	    "from 2001:db8:8::/64 }via 2001:db8:{9::2 dev e0|8::2 dev e1|7::2 "
	    "dev e2} {|table 77}",
	    "rule {add|add|del} from 10.{9.0.1|8.0.0/24} lookup 77",
	    "-6 rule {add|add|del} from 2001:db8:{9::/64|8::1|7::/64} lookup "
	    "77" } },
	{ "two IPv4 default routes of one metric",
	  { "route add default via 10.9.0.2",
	    "route append default via 10.8.0.2" },
	  { "{!10.9.0.2|!10.8.0.2|+}", "link set p{0|1} {down|down|up}",
	    "route {append|del} default via 10.{9|8}.0.2",
	    "=ipv4/conf/all/ignore_routes_with_linkdown {0|1}" } },
	{ "two IPv6 default routes, static or advertised",
	  { "-6 route add default via 2001:db8:9::2 metric 100",
	    "-6 route add default via 2001:db8:8::2 metric 200" },
	  { "{!2001:db8:9::2|!2001:db8:8::2|!fe80::a0|!fe80::a1|+}", "*{0|1}",
	    "link set p{0|1} {down|down|up}",
	    "-6 route {replace|del} default via 2001:db8:{9::2 metric "
	    "100|8::2 metric 200}" } },
	{ "ECMP, each leg with a source",
	  { "route add default nexthop via 10.9.0.2 nexthop via 10.8.0.2 "
	    "weight 3",
	    "-6 route add default nexthop via 2001:db8:9::2 nexthop via "
	    "2001:db8:8::2" },
	  { "link set p{0|1} {up|down}",
	    "=ipv{4|6}/conf/all/ignore_routes_with_linkdown {0|1}",
	    "-6 route append default via 2001:db8:7::2 dev e2" } },
	{ "ECMP, one source for all legs",
	  { "route add default src 10.9.9.9 nexthop via 10.9.0.2 nexthop via "
	    "10.8.0.2",
	    "-6 route add default src 2001:db8:5::1 nexthop via 2001:db8:9::2 "
	    "nexthop via 2001:db8:8::2" },
	  { "link set p{0|1} {up|down}",
	    "addr del 10.{9.0.1/24 dev e0|8.0.1/24 "
	    "dev e1}",
	    "route replace default nexthop via 10.9.0.2 dev e0 onlink nexthop "
	    "via 10.8.0.2 dev e1 onlink",
	    "rule {add|del} from 10.9.9.9 lookup 77" } },
	{ "groups of nexthop objects",
	  { "nexthop add id 8 via 10.9.0.2 dev e0",
	    "nexthop add id 9 via 10.8.0.2 dev e1",
	    "nexthop add id 10 group 8/9", "route add default nhid 10",
	    "nexthop add id 18 via 2001:db8:9::2 dev e0",
	    "nexthop add id 19 via 2001:db8:8::2 dev e1",
	    "nexthop add id 20 group 18/19", "-6 route add default nhid 20" },
	  { "nexthop replace id {10 group {8,3/9|9|8/9}|20 group "
	    "{18,2/19|19|18/19}}",
	    "nexthop replace id 8 {via 10.8.0.2 dev e1|via 10.9.0.2 dev "
	    "e0|blackhole}",
	    "nexthop del id {9|18}", "link set p{0|1} {up|down}",
	    "=ipv6/conf/e1/disable_ipv6 1" } },
	{ "a VRF",
	  { "route add default via 10.9.0.2",
	    "route add default via 10.8.0.2 dev e1 table 88",
	    "-6 route add default via 2001:db8:9::2",
	    "-6 route add default via 2001:db8:8::2 dev e1 table 88" },
	  { "link set {v0 down|v0 up|e1 nomaster|e1 master v0}",
	    "route replace 203.0.113.0/24 via 10.9.0.2 dev e0 table 88",
	    "{|-6 }route replace unreachable default metric 4278198272 table "
	    "88",
	    "route {replace|replace|del} {203.0.113.0/24|10.8.0.0/24|192.0.2.0/"
	    "25|2001:db8:aaaa::/48|2001:db8:8::/64} dev v0{| table 77}",
	    "link set p1 {up|down}" } },
	{ "rules by protocol",
	  { "route add default via 10.9.0.2",
	    "route add default via 10.8.0.2 table 77",
	    "rule add ipproto 6 lookup 77",
	    "-6 route add default via 2001:db8:9::2",
	    "-6 route add default via 2001:db8:8::2 table 77",
	    "-6 rule add ipproto 6 lookup 77" },
	  { "{|-6 }rule {add|del} ipproto {6|17} {lookup 77|prohibit}",
	    "rule {add|del} ipproto 6 from 10.9.0.1 prohibit" } },
	{ "rules that suppress routes of a group of links",
	  { "route add default via 10.9.0.2",
	    "route add default via 10.8.0.2 metric 500",
	    "-6 route add default via 2001:db8:9::2",
	    "rule add pref 100 lookup main suppress_ifgroup 5",
	    "-6 rule add pref 100 lookup main suppress_ifgroup 5",
	    "rule del pref 32766", "-6 rule del pref 32766" },
	  { "link set e{0|1} group {5|0}",
	    "{|-6 }rule {add|del} pref 32766 lookup main",
	    "rule {add|del} pref 101 lookup main suppress_prefixlength 0" } },
	{ "links that come and go",
	  { "link set br0 up", "route add default via 10.9.0.2",
	    "-6 route add default via 2001:db8:9::2" },
	  { "link set {br0|m0|l2|p{0|1|2}} {up|up|down}",
	    "link set e{0|1|2} {master br0|nomaster|mode dormant|mode default|"
	    "state up}",
	    "link {del {e{0|1|2}|m0|br0}|add br0 type bridge|add m0 link "
	    "e{0|1|2} type macvlan|set e2 name l2|set l2 name e2}",
	    "&{0|1|2}", "{|-6 }addr flush dev {e2|br0|m0}",
	    "addr {add|add|del} {10.{9|8}.0.{1|3}/24|10.8.0.1/32|169.254.1.1/16"
	    " scope link} dev {e{0|1|2}|br0|m0|lo}",
	    "-6 addr {add|add|del} 2001:db8:{9|8|7}::{1|3}/64 dev "
	    "{e{0|1|2}|br0|m0|lo} nodad",
	    "{|-6 }route {add|del} {192.0.2.0/24|2001:db8:ffff::/48} dev "
	    "{e2|l2|br0|m0|lo}",
	    "nexthop {del id {1|2|3|10|61|70}|replace id {1 via 10.{9.0.2 dev "
	    "e0|8.0.2 dev e1}|2 via 10.8.0.2 dev e1|3 {blackhole|dev e0}|10 "
	    "group {1|2|3}|61 via 2001:db8:{9::2 dev e0|8::2 dev e1}|70 group "
	    "61}}",
	    "route {replace|replace|del} {default|192.0.2.0/24|192.0.2.1} {nhid"
	    " {1|2|3|10}|nexthop via 10.9.0.2 nexthop via 10.8.0.2 weight 3}",
	    "-6 route {replace|replace|del} {2600::/16|2001:db8:ffff::/48} "
	    "{nhid {61|70}|nexthop via 2001:db8:9::2 nexthop via 2001:db8:8::2|"
	    "via 2001:db8:{9::2|8::2} metric 77 expires 1}",
	    "=ipv6/conf/e{0|1}/ignore_routes_with_linkdown {0|1}" } },
};

/* Positions: two routers, the VRF, and links that come and go. */
#define IPV4_THEME  1
#define IPV6_THEME  2
#define VRF_THEME   6
#define LINKS_THEME 9

uint32_t judge_random(struct judge_host *host, uint32_t below)
{
	host->random = host->random * UINT64_C(6364136223846793005) + 1;
	return (uint32_t)(host->random >> 33) % below;
}

void judge_choose(struct judge_host *host, unsigned long seed)
{
	const unsigned long bits = seed / COUNT(themes);

	host->random = seed;
	host->theme = seed % COUNT(themes);
	/* The other themes need e1 outside of it. */
	host->has_vrf = host->theme == VRF_THEME ||
			(host->theme == 0 && bits & 1);
	host->is_optimistic = bits & 2;
	host->is_router = bits & 4 || host->theme == LINKS_THEME;
	host->hashes_ports = bits & 8 &&
			     strncmp(themes[host->theme].name, "ECMP", 4) == 0;
	host->count = 0;
}

const char *judge_theme(size_t theme)
{
	return theme < COUNT(themes) ? themes[theme].name : NULL;
}

static size_t length(const char *const *table, size_t most)
{
	size_t count = 0;

	while (count < most && table[count])
		count++;
	return count;
}

/* Lays a cable of the theme of links, as far as it lacks. */
static void lay(char number)
{
	static const char *const commands[] = {
		"link add e# type veth peer name p#",
		"link set p# arp off addrgenmode none up",
		"link set e# up",
		"addr add 10.9.#.1/24 dev e#",
		"-6 addr add 2001:db8:9:#::1/64 dev e# nodad",
		"route add default via 10.9.#.2",
		"-6 route add default via 2001:db8:9:#::2",
	};
	char command[JUDGE_STEP];

	for (size_t i = 0; i < COUNT(commands); i++) {
		strcpy(command, commands[i]);
		for (char *at = command; (at = strchr(at, '#'));)
			*at = number;
		(void)answer_ip(command);
	}
}

/* Writes the prefix of a route: anywhere, or for some of the crowd. */
static void write_prefix(struct judge_host *host, uint32_t i, FILE *file)
{
	const uint32_t kind = judge_random(host, 4);
	char text[REACH_ADDRESS_TEXT_SIZE] = "";
	const struct reach_address *of;

	if (!host->crowd_count || kind == 0) {
		fprintf(file, "192.0.%u.%u", i / 250, i % 250);
	} else if (kind == 1) {
		fprintf(file, "2001:db8:%x::/48", i);
	} else {
		of = &host->crowd[judge_random(host,
					       (uint32_t)host->crowd_count)];
		(void)reach_address_format(of, text, sizeof(text));
		if (kind == 2)
			fprintf(file, "%s", text);
		else if (of->family == AF_INET6)
			fprintf(file, "%s/64", text);
		else
			fprintf(file, "%u.%u.%u.0/24", of->bytes[0],
				of->bytes[1], of->bytes[2]);
	}
}

/* Changes hundreds of routes with one process, which continues where the kernel
 * refuses one. */
static void flood(struct judge_host *host, const char *step)
{
	const char *table = strchr(step, ' ') + 1;
	const uint32_t count = host->crowd_count > 1000 ? 2000 : 600;
	FILE *file = popen("exec ip -force -batch - >/dev/null 2>&1", "we");

	for (uint32_t i = 0; file && i < count; i++) {
		fprintf(file, "route %.*s ", (int)(table - step - 2), step + 1);
		write_prefix(host, i, file);
		/* Not e1: IPv4 caches one route for all that are alike, be it
		 * for 224.0.0.0/4 (__mkroute_output(), net/ipv4/route.c). */
		fprintf(file, " dev e%u table %s\n", 2 * judge_random(host, 2),
			table);
	}
	if (file)
		pclose(file);
}

/* Up to some release, the kernel announces IPv6's ignore_routes_with_linkdown
 * only if it is set for all links (addrconf_fixup_linkdown(),
 * net/ipv6/addrconf.c). */
static bool is_announced(const char *step)
{
	return answer_is_since(618) || strncmp(step, "=ipv6/conf/e", 12) != 0 ||
	       !strstr(step, "linkdown");
}

static bool run(struct judge_host *host, const char *step)
{
	if (strchr("!+*^", *step))
		fprintf(host->log, "# %s\n", step);
	switch (*step) {
	case '!':
		judge_silence(&host->wire, step + 1);
		return answer_ip("neigh flush all");
	case '+':
		host->wire.silent_count = 0;
		return answer_ip("neigh flush all");
	case '*':
		judge_advertise(&host->wire, (size_t)(step[1] - '0'));
		return true;
	case '&':
		lay(step[1]);
		return true;
	case '^':
		flood(host, step);
		return true;
	default:
		return is_announced(step) && answer_ip(step);
	}
}

static bool run_all(struct judge_host *host, const char *const *table,
		    size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!run(host, table[i])) {
			fprintf(stderr, "refused: %s\n", table[i]);
			return false;
		}
	return true;
}

/* What not every kernel has. */
static bool build_options(struct judge_host *host)
{
	host->has_vrf = host->has_vrf &&
			answer_ip("link add v0 type vrf table 88");
	if (host->theme == VRF_THEME && !host->has_vrf)
		host->theme = 0;
	host->is_unseen = host->theme == LINKS_THEME &&
			  answer_ip("link add br0 type bridge") &&
			  answer_ip("link add m0 link e2 type macvlan");
	if (host->theme == LINKS_THEME && !host->is_unseen)
		host->theme = 0;
	host->is_optimistic = host->is_optimistic && answer_ip(optimistic[0]) &&
			      answer_ip(optimistic[1]);
	return !host->has_vrf || answer_batch(vrf, COUNT(vrf));
}

bool judge_lay_cables(void)
{
	bool done = answer_ip("=ipv6/conf/default/accept_dad 0") &&
		    answer_batch(cables, COUNT(cables));

	for (size_t i = 0; i < COUNT(settings); i++)
		done = done && answer_ip(settings[i]);
	return done;
}

/* Waits for the local routes of the four global IPv6 addresses, which the
 * kernel adds from a work queue (addrconf_dad_work, net/ipv6/addrconf.c). */
static void await_addresses(void)
{
	char line[256];
	int count = 0;

	while (count < 4) {
		FILE *routes = fopen("/proc/thread-self/net/ipv6_route", "re");

		count = 0;
		/* 0x80000000 is RTF_LOCAL (linux/ipv6_route.h). */
		while (routes && fgets(line, sizeof(line), routes))
			count += strncmp(line, "20010db8", 8) == 0 &&
				 strstr(line, " 80200001 ");
		if (routes)
			fclose(routes);
	}
}

static bool is_patient(const struct judge_host *host)
{
	return strncmp(themes[host->theme].steps[0], "{!", 2) != 0;
}

int judge_build(struct judge_host *host)
{
	const char *const *prelude;

	host->log = open_memstream(&host->commands, &host->size);
	answer_log = host->log;
	if (!judge_lay_cables() || !answer_batch(base, COUNT(base)) ||
	    !build_options(host) ||
	    (is_patient(host) && !run_all(host, patience, COUNT(patience))) ||
	    (host->is_router && !answer_ip(router[0])) ||
	    (host->hashes_ports && !run_all(host, port_hashing, 2)))
		return -EINVAL;
	await_addresses();
	prelude = themes[host->theme].prelude;
	if (!run_all(host, prelude, length(prelude, 8)))
		return -EINVAL;
	return judge_wire_open(&host->wire, host->has_vrf) ? 0 : -EOPNOTSUPP;
}

/* The part of @pattern before a | or } that belongs to it, not to braces in
 * it. */
static size_t word_length(const char *pattern)
{
	size_t length = 0, depth = 0;

	for (; depth || !strchr("|}", pattern[length]); length++)
		if (pattern[length] == '{')
			depth++;
		else if (pattern[length] == '}')
			depth--;
	return length;
}

/* Appends @pattern to @ret, with a word of each pair of braces, and a number for
 * each percent sign. */
static void expand(struct judge_host *host, const char *pattern, size_t size,
		   char *ret)
{
	const char *end = pattern + size;

	while (pattern < end) {
		const char *word = NULL;
		size_t length = 0;
		uint32_t count = 0;

		if (*pattern == '%') {
			snprintf(ret + strlen(ret), 4, "%u",
				 1 + judge_random(host, 254));
			pattern++;
			continue;
		}
		if (*pattern != '{') {
			strncat(ret, pattern++, 1);
			continue;
		}
		do {
			const size_t next = word_length(++pattern);

			/* Each of the words with the same probability. */
			if (judge_random(host, ++count) == 0) {
				word = pattern;
				length = next;
			}
			pattern += next;
		} while (*pattern == '|');
		pattern++;
		expand(host, word, length, ret);
	}
}

struct reach_address judge_address(struct judge_host *host)
{
	static const char pattern[] =
		"{192.0.{0|1|2|2}.%|198.51.100.%|203.0.113.%|8.%.8.8|10.{9|8}."
		"{0|1|2}.%|{11|45|99|150|200}.%.{1|2|3}.1|2001:db8:{ffff|aaaa|"
		"bbbb|dddd|9|8|9:1}::%|2600::%|2600:%::1|2a00::%}";
	char text[JUDGE_STEP] = "";

	expand(host, pattern, sizeof(pattern) - 1, text);
	return check_address(text);
}

bool judge_step(struct judge_host *host)
{
	const struct theme *theme = &themes[host->theme];
	const size_t own = length(theme->steps, COUNT(theme->steps));
	const char *pattern =
		own && judge_random(host, 2)
			? theme->steps[judge_random(host, (uint32_t)own)]
			: steps[judge_random(host, COUNT(steps))];
	char step[JUDGE_STEP] = "";

	expand(host, pattern, strlen(pattern), step);
	if (!run(host, step))
		return false;
	if (host->count < JUDGE_TAKEN)
		strcpy(host->taken[host->count++], step);
	return true;
}

bool judge_has_taken(const struct judge_host *host, const char *text)
{
	for (size_t i = 0; i < host->count; i++)
		if (strstr(host->taken[i], text))
			return true;
	return false;
}

const char *judge_last(const struct judge_host *host)
{
	return host->count ? host->taken[host->count - 1] : "";
}

bool judge_has_routers(const struct judge_host *host)
{
	const char *last = judge_last(host);

	return (host->theme == IPV4_THEME || host->theme == IPV6_THEME) &&
	       (*last == '!' || *last == '+' || host->count > 20 ||
		strncmp(last, "link set p", 10) == 0);
}

void judge_tell(const struct judge_host *host)
{
	fflush(host->log);
	fputs(host->commands, stderr);
}

void judge_forget(struct judge_host *host)
{
	fclose(host->log);
	free(host->commands);
}
