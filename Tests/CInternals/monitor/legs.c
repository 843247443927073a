/* SPDX-License-Identifier: MIT */
/*
 * Routes with two legs, and rules by protocol. The judge is a TCP socket that
 * connects: the link where its SYN is seen, and its source. The links have no
 * ARP, so that no leg fails.
 */
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "monitor/answer.h"
#include "monitor/judge_wire.h"

#define TARGETS 40
#define PORT	9
/* The longest time that a packet takes from a link to its peer. */
#define PACKET_MS 1000

#define LEGS4                                                                  \
	"route add default nexthop via 10.9.0.2 dev e0 onlink "                \
	"nexthop via 10.9.1.2 dev e1 onlink"
#define LEGS6                                                                  \
	"-6 route add default nexthop via 2001:db8:0::2 "                      \
	"nexthop via 2001:db8:1::2"

#define CABLES                                                                 \
	"link set lo up", "link add e0 type veth peer name p0",                \
		"link add e1 type veth peer name p1",                          \
		"link set p0 arp off up", "link set p1 arp off up",            \
		"link set e0 arp off up", "link set e1 arp off up",            \
		"-6 addr add 2001:db8:0::1/64 dev e0 nodad",                   \
		"-6 addr add 2001:db8:1::1/64 dev e1 nodad"
#define ONE_SOURCE CABLES, "addr add 10.1.1.1/32 dev lo", LEGS4
#define TWO_SOURCES                                                            \
	CABLES, "addr add 10.9.0.1/24 dev e0", "addr add 10.9.1.1/24 dev e1",  \
		LEGS4

static const struct row {
	struct topology topology;
	bool inet6;
	/* The carrier of e1 is lost. */
	bool dead;
	/* No lookup shows the leg: any usable one makes a target reachable. */
	bool hidden;
	/* fib_multipath_hash_policy, or NULL. */
	const char *policy;
} rows[] = {
	{ { "IPv4, a source per leg", { TWO_SOURCES } }, .inet6 = false },
	{ { "IPv4, one source", { ONE_SOURCE } }, .inet6 = false },
	{ { "IPv4, one source, one leg dead", { ONE_SOURCE } }, .dead = true },
	{ { "IPv4, hashing by ports, one leg dead", { ONE_SOURCE } },
	  .dead = true,
	  .hidden = true,
	  .policy = "1" },
	/* The default fields are addresses and protocol, without ports. */
	{ { "IPv4, hashing by fields, one leg dead", { ONE_SOURCE } },
	  .dead = true,
	  .hidden = true,
	  .policy = "3" },
	{ { "IPv4, rules by source",
	    { ONE_SOURCE, "rule add from 10.2.2.2 prohibit" } },
	  .inet6 = false },
	{ { "IPv6", { CABLES, LEGS6 } }, .inet6 = true },
	{ { "IPv6, one leg dead", { CABLES, LEGS6 } },
	  .inet6 = true,
	  .dead = true },
	/* It doesn't leave a dead leg. */
	{ { "IPv6, a router, one leg dead",
	    { CABLES, LEGS6, "=ipv6/conf/all/forwarding 1" } },
	  .inet6 = true,
	  .dead = true },
	{ { "IPv6, hashing by ports, one leg dead",
	    { CABLES, LEGS6, "link set e0 mtu 1400" } },
	  .inet6 = true,
	  .dead = true,
	  .hidden = true,
	  .policy = "1" },
};

struct judge {
	/* Packet sockets at p0 and p1. */
	int seen[2];
	struct reach_monitor *monitor;
	uint64_t ids[TARGETS];
};

static struct reach_address address_of(bool inet6, unsigned int i)
{
	struct reach_address address;
	char text[64];

	snprintf(text, sizeof(text), inet6 ? "2600::%u" : "192.0.2.%u", i + 1);
	(void)reach_address_parse(text, &address);
	return address;
}

/* Whether a packet to @address was seen at end @i. */
static bool look(const struct judge *judge, int i,
		 const struct reach_address *address)
{
	const size_t at = address->family == AF_INET ? 16 : 24;
	const size_t size = address->family == AF_INET ? 4 : 16;
	uint8_t packet[256];
	bool found = false;

	while (recv(judge->seen[i], packet, sizeof(packet), 0) > 0)
		found |= memcmp(packet + at, address->bytes, size) == 0;
	return found;
}

/* Connects. @return the link where the packet was seen, -1 for none, or a
 * negative errno below that. */
static int connect_to(const struct judge *judge,
		      const struct reach_address *address, bool expected,
		      struct reach_address *source)
{
	struct sockaddr_storage place;
	socklen_t size = judge_place(address, PORT, &place);
	const int fd = socket(address->family,
			      SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct pollfd ends[2] = { { .fd = judge->seen[0], .events = POLLIN },
				  { .fd = judge->seen[1], .events = POLLIN } };
	int link = -1, i;

	if (connect(fd, (struct sockaddr *)&place, size) &&
	    errno != EINPROGRESS) {
		const int err = -errno;

		close(fd);
		return err;
	}
	(void)getsockname(fd, (struct sockaddr *)&place, &size);
	(void)reach_address_from_sockaddr((struct sockaddr *)&place, size,
					  source);
	/* A veth hands packets over within connect(), unless the softirq is
	 * left to ksoftirqd. */
	do
		for (i = 0; i < 2; i++)
			if (look(judge, i, address))
				link = i;
	while (link < 0 && expected && poll(ends, 2, PACKET_MS) > 0);
	close(fd);
	return link;
}

/* Whether no lookup shows the leg: since Linux 7.3, each TCP connection of IPv6
 * has a leg of its own (ip6_ecmp_set_mp_hash()). */
static bool is_hidden(const struct row *row)
{
	return row->hidden || (row->inet6 && answer_is_since(703));
}

static bool is_usable(const struct row *row, int link)
{
	return link == 0 || (link == 1 && !row->dead);
}

static bool is_right(const struct judge *judge, const struct row *row,
		     unsigned int i)
{
	const struct reach_address address = address_of(row->inet6, i);
	struct reach_state state = { .size = sizeof(state) };
	struct reach_address source = { 0 };
	struct reach_target target = check_target(REACH_TARGET_ADDRESS, NULL);
	int link;

	target.remote = address;
	if (reach_monitor_state(judge->monitor, judge->ids[i], &state))
		return false;
	CHECK(state.next_hops == 2 && state.usable_next_hops == 2U - row->dead);
	if (i % 10 == 0)
		CHECK(answer_agrees(&target));
	link = connect_to(judge, &address, state.flags, &source);
	if (is_hidden(row))
		return state.flags &&
		       (!row->dead || !strcmp(state.interface_name, "e0"));
	if (!is_usable(row, link))
		return !state.flags;
	return state.flags &&
	       !strcmp(state.interface_name, link ? "e1" : "e0") &&
	       reach_address_equal(&state.source, &source);
}

/* Chooses what the kernel hashes. 3, chosen fields, came with Linux 5.12. */
static bool choose_hash(const char *policy)
{
	char inet[64], inet6[64];

	snprintf(inet, sizeof(inet), "=ipv4/fib_multipath_hash_policy %s",
		 policy);
	snprintf(inet6, sizeof(inet6), "=ipv6/fib_multipath_hash_policy %s",
		 policy);
	return answer_ip(inet) && answer_ip(inet6);
}

static bool watch(struct judge *judge, const struct row *row)
{
	struct reach_target target;
	unsigned int i;

	if (reach_monitor_open(&judge->monitor, NULL))
		return false;
	for (i = 0; i < TARGETS; i++) {
		target = check_target(REACH_TARGET_ADDRESS, NULL);
		target.remote = address_of(row->inet6, i);
		target.report = REACH_REPORT_PATH;
		if (reach_monitor_add(judge->monitor, &target, &judge->ids[i]))
			return false;
	}
	return answer_await_link(judge->monitor, "e0") &&
	       answer_await_link(judge->monitor, "e1");
}

/* Dispatches until the monitor has noticed the pulled cable. */
static bool pull(const struct judge *judge)
{
	if (!answer_ip("link set p1 down"))
		return false;
	while (answer_state(judge->monitor, judge->ids[0]).usable_next_hops !=
	       1)
		if (!answer_step(judge->monitor))
			return false;
	return true;
}

static void legs(void *context)
{
	const struct row *row = context;
	struct judge judge = { .seen = { -1, -1 } };
	unsigned int i, wrong = 0;

	if (row->policy && !choose_hash(row->policy)) {
		/* Hashing by ports is older than all kernels tested. */
		if (CHECK(*row->policy == '3' && errno == EINVAL))
			check_skip(row->topology.name, -EINVAL);
		return;
	}
	if (!CHECK(watch(&judge, row)))
		return;
	judge.seen[0] = judge_packets("p0", SOCK_DGRAM);
	judge.seen[1] = judge_packets("p1", SOCK_DGRAM);
	CHECK(!row->dead || pull(&judge));
	/* A packet that doesn't come takes all of the patience. */
	for (i = 0; i < TARGETS && !wrong; i++)
		wrong += !is_right(&judge, row, i);
	if (!CHECK(!wrong))
		fprintf(stderr, "target %u\n", i);
	close(judge.seen[0]);
	close(judge.seen[1]);
	reach_monitor_close(judge.monitor);
}

/* Rules that forbid a protocol. The verdicts of both families are those of TCP,
 * and so are the explained rules. */
static void protocols(void *context)
{
	static const char *const targets[] = { "192.0.2.1", "2600::1" };
	const bool *forbidden = context;

	for (size_t i = 0; i < 2; i++) {
		const struct judge judge = { .seen = { -1, -1 } };
		struct reach_state state = { .size = sizeof(state) };
		struct reach_address source;
		const struct reach_target target =
			check_target(REACH_TARGET_ADDRESS, targets[i]);

		CHECK(answer_agrees(&target));
		CHECK(answer_monitored(&target, &state));
		CHECK((connect_to(&judge, &target.remote, false, &source) ==
		       -EACCES) == *forbidden);
		CHECK((state.reason == REACH_REASON_PROHIBITED) == *forbidden);
	}
}

#define NO_PROTOCOL(number)                                                    \
	{ TWO_SOURCES, "-6 route add default via 2001:db8:0::2",               \
	  "rule add pref 50 ipproto " number " prohibit",                      \
	  "-6 rule add pref 50 ipproto " number " prohibit" }

void test_legs(void)
{
	static const struct topology no_udp = { "no UDP", NO_PROTOCOL("17") };
	static const struct topology no_tcp = { "no TCP", NO_PROTOCOL("6") };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		answer_in(&rows[i].topology, legs, (void *)&rows[i]);
	answer_in(&no_udp, protocols, &(bool){ false });
	answer_in(&no_tcp, protocols, &(bool){ true });
}
