/* SPDX-License-Identifier: MIT */
/* Hosts as people report them. */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "monitor/answer.h"
#include "monitor/judge_host.h"
#include "monitor/story.h"

static const struct story hosts[] = {
	{ .name = "a container whose address is 169.254.79.1, behind a NAT "
		  "gateway",
	  .steps = { "addr add 169.254.79.1/32 dev e0",
		     "route add 169.254.79.2 dev e0 scope link",
		     "route add default via 169.254.79.2 dev e0",
		     "192.0.2.7 -> far e0 via 169.254.79.2",
		     "169.254.79.2 -> direct e0",
		     "internet -> far e0 via 169.254.79.2" } },
	{ .name = "a proxy's tunnel takes what has no source yet",
	  .tun = "t0",
	  .steps = { "addr add 192.168.1.5/24 dev e0",
		     "route add default via 192.168.1.1", "link set t0 up",
		     "addr add 198.18.0.1/30 dev t0",
		     "route add default dev t0 table 2022",
		     "rule add pref 9000 to 198.18.0.0/30 lookup 2022",
		     "rule add pref 9010 nop",
		     "rule add pref 9001 ipproto 1 goto 9010",
		     "rule add pref 9002 not dport 53 lookup main "
		     "suppress_prefixlength 0",
		     "rule add pref 9003 not iif lo lookup 2022",
		     "rule add pref 9004 from 0.0.0.0/32 iif lo lookup 2022",
		     "rule add pref 9005 from 198.18.0.0/30 iif lo lookup 2022",
		     "8.8.8.8 -> tunnel t0", "192.168.1.1 -> direct e0",
		     "192.168.1.9 -> direct e0",
		     "8.8.8.8 in e0 -> far e0 via 192.168.1.1", "link del t0",
		     "8.8.8.8 -> far e0 via 192.168.1.1" } },
	{ .name = "IPv6 alone",
	  .steps = { "addr add fe80::1/64 dev e0 nodad", ADDRESS6,
		     "route add default via fe80::2 dev e0",
		     "8.8.8.8 -> noRoute",
		     "64:ff9b::808:808 -> far e0 via fe80::2",
		     "internet -> far e0 via fe80::2",
		     /* As NetworkManager sets up 464XLAT. */
		     "addr add 192.0.0.5/32 dev e0",
		     "route add default src 192.0.0.5 mtu 1260 via inet6 "
		     "fe80::2 dev e0",
		     "8.8.8.8 -> far e0 via fe80::2" } },
	{ .name = "IPv4 through the tunnel of 464XLAT",
	  .tun = "t0",
	  .steps = { "addr add fe80::1/64 dev e0 nodad", ADDRESS6,
		     "route add default via fe80::2 dev e0", "link set t0 up",
		     "addr add 192.0.0.4/32 dev t0",
		     "route add default dev t0 metric 2048 mtu 1260",
		     "8.8.8.8 -> tunnel t0",
		     "64:ff9b::808:808 -> far e0 via fe80::2" } },
	{ .name = "WSL in mirrored mode, whose adapter is down",
	  .steps = { "link set e0 down", "link set e1 down",
		     "addr add 10.255.255.254/32 brd 10.255.255.254 dev lo",
		     "rule add pref 1 iif e2 ipproto 6 lookup 127",
		     "route add local 127.0.0.0/8 dev e2 table 127",
		     "route add 169.254.73.152 dev e2 scope link",
		     "rule del pref 0", "rule add pref 2 lookup local",
		     "8.8.8.8 -> noRoute", "internet -> noRoute",
		     "127.0.0.1 -> loopback lo", "10.255.255.254 -> own lo",
		     "link set e1 up", "addr add 192.168.1.50/24 dev e1",
		     "route add default via 192.168.1.1 dev e1",
		     "8.8.8.8 -> far e1 via 192.168.1.1",
		     "internet -> far e1 via 192.168.1.1" } },
	{ .name = "a node of Kubernetes, with routes per pod",
	  .steps = { "addr add 192.168.0.10/24 dev e0",
		     "route add default via 192.168.0.1",
		     "route add blackhole 10.244.1.0/26 proto 80",
		     "route add 10.244.1.5 dev e1 scope link",
		     "route add unreachable 10.244.1.9",
		     "route add 10.244.2.0/26 via 192.168.0.11 proto 80",
		     "rule add pref 512 to 10.244.1.5 lookup main",
		     "rule add pref 1536 from 10.244.1.5 lookup 2",
		     "route add default via 192.168.0.1 dev e0 table 2",
		     "10.244.1.5 -> direct e1", "10.244.1.7 -> blackhole",
		     "10.244.1.9 -> unreachable",
		     "10.244.2.3 -> far e0 via 192.168.0.11",
		     "internet -> far e0 via 192.168.0.1",
		     "route add 10.244.1.7 dev e1 scope link",
		     "route del 10.244.1.5 dev e1", "10.244.1.7 -> direct e1",
		     "10.244.1.5 -> blackhole" } },
	{ .name = "a DHCP client renews its lease, and gets another one",
	  .steps = { "addr add 10.9.0.1/24 brd + dev e0",
		     "route add default via 10.9.0.2",
		     "=ipv4/conf/e0/promote_secondaries 1",
		     "internet -> far e0 via 10.9.0.2", "10.9.0.2 -> direct e0",
		     "addr change 10.9.0.1/24 brd + dev e0 valid_lft 3600 "
		     "preferred_lft 3600",
		     "-> no change", "addr add 10.9.0.7/24 brd + dev e0",
		     "route replace default via 10.9.0.2 src 10.9.0.7",
		     "addr del 10.9.0.1/24 dev e0", "-> no change",
		     "addr del 10.9.0.7/24 dev e0",
		     "addr add 10.9.0.7/24 brd + dev e0",
		     "route add default via 10.9.0.2", "-> no change",
		     "internet -> far e0 via 10.9.0.2" } },
	{ .name = "a bridge whose port spanning tree opens after 4 s",
	  .steps = { "link add br0 type bridge stp_state 1 forward_delay 200",
		     "link set e0 master br0",
		     "link set br0 addrgenmode none up",
		     "addr add 10.9.0.1/24 dev br0",
		     "route add default via 10.9.0.2", "192.0.2.1 -> linkDown",
		     "192.0.2.1 -> far br0 via 10.9.0.2" } },
	{ .name = "an internal network of Docker",
	  .steps = { "addr add 10.1.0.2/24 dev e0", "internet -> noRoute",
		     "10.1.0.1 -> direct e0" } },
	{ .name = "a rule that suppresses routes of a group of links",
	  .since = 518,
	  .steps = { "addr add 192.168.1.5/24 dev e0",
		     "route add default via 192.168.1.1",
		     "rule add pref 100 lookup main suppress_ifgroup 5",
		     "rule del pref 32766", IPV6, "link set e0 group 5",
		     "-6 rule add pref 100 lookup main suppress_ifgroup 5",
		     "-6 rule del pref 32766", "8.8.8.8 -> noRoute",
		     "2600::1 -> noRoute", "link set e0 group 0",
		     "8.8.8.8 -> far e0 via 192.168.1.1",
		     "2600::1 -> far e0 via 2001:db8:9::2" } },
	{ .name = "the suppressed route goes with its address",
	  .steps = { "addr add 192.168.1.5/24 dev e0", IPV4_MORE,
		     "route add default via 192.168.1.1",
		     "route add default via 10.8.0.2 metric 500",
		     "link set e0 group 5",
		     "rule add pref 100 lookup main suppress_ifgroup 5",
		     "rule del pref 32766", "8.8.8.8 -> noRoute",
		     "addr del 192.168.1.5/24 dev e0",
		     "8.8.8.8 -> far e1 via 10.8.0.2" } },
	{ .name = "a router advertises a prefix without addresses",
	  .steps = { "addr add fe80::1/64 dev e0 nodad",
		     "route add 2001:db8:1::/64 dev e0",
		     "2001:db8:1::7 -> direct e0" } },
	{ .name = "a nexthop object on a link where IPv6 is disabled",
	  .steps = { ADDRESS6, IPV6_MORE,
		     "nexthop add id 1 via 2001:db8:9::2 dev e0",
		     "route add ::/0 nhid 1",
		     "2600::1 -> far e0 via 2001:db8:9::2",
		     "=ipv6/conf/e0/disable_ipv6 1", "2600::1 -> noSource" } },
	{ .name = "a nexthop object hides a route from a socket, and goes with "
		  "its carrier",
	  .steps = { ADDRESS4, IPV4_MORE,
		     "nexthop add id 8 via 10.9.0.2 dev e0",
		     "route add default nhid 8",
		     "route add default via 10.8.0.2 metric 500",
		     "8.8.8.8 in e1 -> noRoute", "link set p0 down",
		     "8.8.8.8 in e1 -> far e1 via 10.8.0.2" } },
	{ .name = "a socket on a leg without carrier has no other",
	  .steps = { ADDRESS4, IPV4_MORE, ADDRESS6, IPV6_MORE, LEGS4, LEGS6,
		     "8.8.8.8 in e0 -> far e0 via 10.9.0.2",
		     "8.8.8.8 in e1 -> far e1 via 10.8.0.2",
		     "2600::1 in e0 -> far e0 via 2001:db8:9::2",
		     "link set p0 down", "=ipv4/fib_multipath_hash_policy 1",
		     "8.8.8.8 in e0 -> linkDown",
		     "8.8.8.8 in e1 -> far e1 via 10.8.0.2",
		     "2600::1 in e0 -> linkDown",
		     "2600::1 in e1 -> far e1 via 2001:db8:8::2" } },
	{ .name = "hashing by ports, and a rule by the source of the legs",
	  .steps = { ADDRESS4, IPV4_MORE, "addr add 10.9.9.9/32 dev lo",
		     "route add default src 10.9.9.9 nexthop via 10.9.0.2 "
		     "nexthop via 10.8.0.2",
		     "8.8.8.8 in e1 -> far e1 via 10.8.0.2",
		     "=ipv4/fib_multipath_hash_policy 1",
		     "route add default via 10.9.0.2 table 77",
		     "rule add from 10.9.9.9 lookup 77", "link set p0 down",
		     "8.8.8.8 -> linkDown" } },
	{ .name = "a route by source hides the one of its prefix",
	  .steps = { ADDRESS6, IPV6_MORE, "route add ::/0 via 2001:db8:9::2",
		     "route add 2600::/48 via 2001:db8:8::2",
		     "route add prohibit 2600::/48 from 2001:db8:a::/64",
		     "2600::1 -> far e0 via 2001:db8:9::2",
		     "route del prohibit 2600::/48 from 2001:db8:a::/64",
		     "2600::1 -> far e1 via 2001:db8:8::2" } },
	{ .name = "multicast by a route with legs, whose source lo has",
	  .steps = { "addr add 10.9.9.9/32 dev lo", ADDRESS4, IPV4_MORE,
		     "route add default src 10.9.9.9 nexthop via 10.9.0.2 "
		     "nexthop via 10.8.0.2",
		     "8.8.8.8 in e1 -> far e1 via 10.8.0.2",
		     "224.0.0.251 -> direct lo", "addr del 10.9.0.1/24 dev e0",
		     "", "addr del 10.8.0.1/24 dev e1",
		     "224.0.0.251 -> noRoute" } },
	{ .name = "IPv4 without a source, then an IPv6 route by source",
	  .steps = { ADDRESS6, "route add 192.0.2.0/24 dev e0",
		     "route add ::/0 from 2001:db8:9::/64 via 2001:db8:9::2",
		     "192.0.2.7 -> noSource",
		     "2600::1 -> far e0 via 2001:db8:9::2" } },
	{ .name = "a VRF that nobody set up",
	  .device = "v0 type vrf table 88",
	  .steps = { "link set e1 master v0", IPV4_MORE, IPV6_MORE,
		     "route add default via 10.8.0.2 dev e1 table 88",
		     "route add ::/0 via 2001:db8:8::2 dev e1 table 88",
		     "192.0.2.1 in e1 -> linkDown",
		     "192.0.2.1 in v0 -> noRoute", "2600::1 in e1 -> linkDown",
		     "2600::1 in v0 -> linkDown", "link set v0 up",
		     "192.0.2.1 in e1 -> far e1 via 10.8.0.2",
		     "192.0.2.1 in v0 -> far e1 via 10.8.0.2",
		     "2600::1 in v0 -> far e1 via 2001:db8:8::2",
		     "192.0.2.1 -> noRoute", "2600::1 -> noRoute" } },
	{ .name = "a route that leaks packets into a VRF",
	  .device = "v0 type vrf table 88",
	  .since = 518,
	  .steps = { "link set v0 up",
		     "link set e1 master v0",
		     IPV4_MORE,
		     ADDRESS4,
		     IPV6_MORE,
		     "route add default via 10.9.0.2",
		     "route add 8.8.8.0/24 dev v0",
		     "route add 2600::/32 dev v0",
		     "route add default via 10.8.0.2 dev e1 table 88",
		     "route add ::/0 via 2001:db8:8::2 dev e1 table 88",
		     "route add 10.8.0.0/24 dev v0",
		     "route add unreachable 8.8.8.128/25 table 88",
		     "route add unreachable 2600:0:1::/48 table 88",
		     "8.8.8.8 -> far e1 via 10.8.0.2",
		     "2600::1 -> far e1 via 2001:db8:8::2",
		     "10.8.0.9 -> far e1",
		     "8.8.8.129 -> unreachable",
		     "2600:0:1::1 -> unreachable",
		     "route del default table 88",
		     "route del ::/0 table 88",
		     "8.8.8.8 -> noRoute",
		     "2600::1 -> noRoute",
		     "10.8.0.9 -> far e1" } },
	{ .name = "a route that leaks packets through one VRF into another",
	  .device = "v0 type vrf table 88",
	  .since = 518,
	  .steps = { "link add v1 type vrf table 89", "link set v0 up",
		     "link set v1 up", "link set e1 master v1", ADDRESS4,
		     IPV4_MORE, "addr add 10.7.0.1/32 dev v0",
		     "route add 8.8.8.0/24 dev v0",
		     "route add 8.8.8.0/24 dev v1 table 88",
		     "route add default via 10.8.0.2 dev e1 table 89",
		     "route add unreachable 8.8.8.128/25 table 89",
		     "8.8.8.8 -> far e1 via 10.8.0.2",
		     "8.8.8.129 -> unreachable", "route del default table 89",
		     "8.8.8.8 -> noRoute" } },
	{ .name = "a VRF with an unreachable default route",
	  .device = "v0 type vrf table 88",
	  .steps = { "link set v0 up", "link set e1 master v0", IPV4_MORE,
		     "route add unreachable default metric 4278198272 table 88",
		     "192.0.2.1 in v0 -> unreachable",
		     "route add default via 10.8.0.2 dev e1 table 88",
		     "192.0.2.1 in v0 -> far e1 via 10.8.0.2" } },
	{ .name = "a VRF without an IPv6 address",
	  .device = "v0 type vrf table 88",
	  .since = 518,
	  .steps = { "link set e1 addrgenmode none", "link set v0 up",
		     "link set e1 master v0", "addr flush dev e1",
		     "::1 in v0 -> noSource" } },
	{ .name = "a bond that doesn't watch its ports",
	  .device = "b0 type bond miimon 0",
	  .steps = { "link set e0 down", "link set e0 master b0",
		     "link set b0 up", "addr add 10.9.0.1/24 dev b0",
		     "route add default via 10.9.0.2",
		     "192.0.2.1 -> far b0 via 10.9.0.2", "link set p0 down",
		     "192.0.2.1 -> linkDown" } },
	{ .name = "an own anycast address, and groups of one interface",
	  .steps = { ADDRESS6, "=ipv6/conf/all/forwarding 1",
		     "2001:db8:9:: -> own lo", "ff01::1 in e0 -> noRoute" } },
	/* As dhcpcd sets it up. The socket connects, and asks its link for all
	 * addresses. */
	{ .name = "a self-assigned address and a default route",
	  .steps = { "addr add 169.254.9.200/16 brd + dev e0 noprefixroute",
		     "route add 169.254.0.0/16 dev e0 scope link src "
		     "169.254.9.200 metric 202",
		     "route add default dev e0 scope link src 169.254.9.200 "
		     "metric 202",
		     "8.8.8.8 -> noSource", "internet -> noSource",
		     "169.254.1.1 -> direct e0",
		     /* With a router, as from a DHCP server or in a cloud. */
		     "route replace default via 169.254.1.1 dev e0 src "
		     "169.254.9.200 metric 202",
		     "8.8.8.8 -> far e0 via 169.254.1.1",
		     "internet -> far e0 via 169.254.1.1" } },
	/* The kill switch of a VPN. */
	{ .name = "a default route into a device that drops packets",
	  .device = "sink0 type ifb",
	  .steps = { "link set sink0 up", "addr add 100.85.0.1/24 dev sink0",
		     "route add default via 100.85.0.2 dev sink0 metric 98",
		     "addr add fdeb:446c:912d:8da::/64 dev sink0 nodad",
		     "route add ::/0 via fdeb:446c:912d:8da::1 metric 95",
		     "8.8.8.8 -> linkDown", "2600::1 -> linkDown",
		     "100.85.0.2 -> linkDown", "internet -> linkDown",
		     "100.85.0.1 -> own sink0" } },
	/* Another host's addresses, out of lo; and a bridge. */
	{ .name = "routes that lead nowhere",
	  .device = "sink0 type ifb",
	  .steps = { "link set sink0 up", "addr add 10.9.0.1/24 dev sink0",
		     "addr add 2001:db8:9::1/64 dev sink0 nodad",
		     "route add 10.91.0.0/16 dev lo src 10.9.0.1",
		     "route add 2001:db8:91::/64 dev lo",
		     "link add br0 type bridge", "link set br0 up",
		     "addr add 10.57.0.1/24 dev br0",
		     "route add default via 10.57.0.2", "10.91.0.1 -> linkDown",
		     "2001:db8:91::1 -> linkDown", "10.57.0.2 -> linkDown",
		     "8.8.8.8 -> linkDown", "link set sink0 master br0",
		     "8.8.8.8 -> linkDown", "link set e0 master br0",
		     "8.8.8.8 -> far br0 via 10.57.0.2" } },
	/* As ifupdown2 and FRR have it. No route event follows. */
	{ .name = "an address revives a leg, while the other leg has no "
		  "carrier",
	  .steps = { ADDRESS4, IPV4_MORE, LEGS4, "addr del 10.8.0.1/24 dev e1",
		     "link set p0 down",
		     "=ipv4/conf/e0/ignore_routes_with_linkdown 1",
		     "192.0.2.1 -> noRoute", IPV4_MORE,
		     "192.0.2.1 -> far e1 via 10.8.0.2" } },
};

/* ---- a lease ---------------------------------------------------------- */

/* In a child, what a DHCP client does that has lost its lease for a moment. */
static int renew(void)
{
	static const char *const commands[] = {
		"addr del 10.9.0.7/24 dev e0",
		"addr add 10.9.0.7/24 brd + dev e0",
		"route add default via 10.9.0.2",
	};

	return !answer_batch(commands, 3);
}

/* Counts the changes of the internet, and of another target, until the child has
 * ended. */
static void count_changes(struct reach_monitor *monitor, pid_t child,
			  uint64_t internet, int counts[2])
{
	struct reach_change change = { .size = sizeof(change) };
	bool ended;

	do {
		ended = waitpid(child, NULL, WNOHANG) != 0;
		CHECK(reach_monitor_dispatch(monitor) >= 0);
		while (reach_monitor_next(monitor, &change) == 1)
			counts[change.id != internet]++;
	} while (!ended);
}

/* Each target changes twice at most, and is as reachable as before. */
static int watch_renewals(void *context)
{
	SCOPED_MONITOR *monitor = answer_open(NULL, NULL);
	uint64_t ids[2];

	(void)context;
	CHECK(judge_lay_cables() &&
	      answer_ip("addr add 10.9.0.7/24 brd + dev e0") &&
	      answer_ip("route add default via 10.9.0.2"));
	ids[0] = answer_watch(monitor, REACH_TARGET_INTERNET, NULL);
	ids[1] = answer_watch(monitor, REACH_TARGET_ADDRESS, "10.9.0.2");
	CHECK(answer_await_link(monitor, "e0"));
	(void)answer_changes(monitor);
	for (int i = 0; i < 20; i++) {
		const pid_t child = fork();
		int counts[2] = { 0 };

		if (child == 0)
			_exit(renew());
		count_changes(monitor, child, ids[0], counts);
		for (int n = 0; n < 2; n++) {
			CHECK(counts[n] <= 2);
			CHECK(answer_state(monitor, ids[n]).flags &
			      REACH_FLAG_REACHABLE);
		}
	}
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

static void change_servers(struct reach_monitor *monitor, const char *root)
{
	static const char *const public[] = { "far e0 via 10.9.0.2",
					      "noSuchName" };
	uint64_t ids[2];

	ids[0] = answer_watch(monitor, REACH_TARGET_NAME, "nas.test");
	ids[1] = answer_watch(monitor, REACH_TARGET_NAME, "only.test");
	for (int round = 0; round < 3; round++) {
		const bool is_up = round == 1;

		is_private = is_up;
		CHECK(write_servers(root, is_up ? "127.0.0.54" : "127.0.0.53",
				    is_up) &&
		      answer_ip(is_up ? "link set e1 up" : "link set e1 down"));
		if (is_up)
			CHECK(answer_ip("addr replace 192.168.77.2/24 dev e1"));
		for (int i = 0; i < 2; i++)
			CHECK(story_await(monitor, ids[i],
					  is_up ? "direct e1" : public[i]));
	}
}

/* A VPN brings a name server of its own, and takes it along. */
static int watch_names(void *context)
{
	char root[] = "/tmp/reach-hosts-XXXXXX";
	struct reach_monitor *monitor;
	struct reach_monitor_options options;

	(void)context;
	reach_monitor_options_init(&options);
	options.etc_root = mkdtemp(root);
	options.resolve = answer;
	CHECK(write_servers(root, "127.0.0.53", false));
	if (!CHECK(judge_lay_cables() &&
		   answer_ip("addr add 10.9.0.1/24 dev e0") &&
		   answer_ip("route add default via 10.9.0.2") &&
		   !reach_monitor_open(&monitor, &options)))
		return 0;
	change_servers(monitor, root);
	reach_monitor_close(monitor);
	check_remove_all(root);
	return 0;
}

void test_hosts(void)
{
	for (size_t i = 0; i < sizeof(hosts) / sizeof(*hosts); i++)
		story_play(&hosts[i]);
	check_in_netns("renewals", watch_renewals, NULL);
	check_in_netns("a VPN's name server", watch_names, NULL);
}
