/* SPDX-License-Identifier: MIT */
/*
 * Routes with two legs. The judge is a TCP socket that connects: the link where
 * its SYN is seen, and its source. The links have no ARP, so that no leg fails.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "monitor/answer.h"
#include "monitor/judge_wire.h"

#define TARGETS 40
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
	struct judge_wire wire;
	struct reach_monitor *monitor;
	uint64_t ids[TARGETS];
};

static struct reach_target target_of(bool inet6, unsigned int i)
{
	char text[64];

	snprintf(text, sizeof(text), inet6 ? "2600::%u" : "192.0.2.%u", i + 1);
	return check_target(REACH_TARGET_ADDRESS, text);
}

/* Whether no lookup shows the leg: since Linux 7.3, each TCP connection of IPv6
 * has a leg of its own (ip6_ecmp_set_mp_hash()). */
static bool is_hidden(const struct row *row)
{
	return row->hidden || (row->inet6 && answer_is_since(703));
}

static bool is_right(struct judge *judge, const struct row *row, unsigned int i)
{
	const struct reach_target target = target_of(row->inet6, i);
	struct reach_state state = { .size = sizeof(state) };
	struct judge_trace trace;

	if (reach_monitor_state(judge->monitor, judge->ids[i], &state))
		return false;
	CHECK(state.next_hops == 2 && state.usable_next_hops == 2U - row->dead);
	if (i % 10 == 0)
		CHECK(answer_agrees(&target));
	if (is_hidden(row))
		return state.flags &&
		       (!row->dead || !strcmp(state.interface_name, "e0"));
	trace = judge_send(&judge->wire, &target, state.flags ? PACKET_MS : 0);
	if (!trace.count)
		return !state.flags;
	return state.flags &&
	       !strcmp(state.interface_name, judge_links[trace.ways->link]) &&
	       !memcmp(state.source.bytes, trace.source, 16);
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

	judge->monitor = answer_open(NULL, NULL);
	for (i = 0; i < TARGETS; i++) {
		target = target_of(row->inet6, i);
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
	struct judge judge = { .monitor = NULL };
	unsigned int i, wrong = 0;

	if (row->policy && !choose_hash(row->policy)) {
		/* Hashing by ports is older than all kernels tested. */
		if (CHECK(*row->policy == '3' && errno == EINVAL))
			check_skip(row->topology.name, -EINVAL);
		return;
	}
	if (!CHECK(watch(&judge, row)))
		return;
	/* There is no e2. */
	(void)judge_wire_open(&judge.wire, false);
	CHECK(!row->dead || pull(&judge));
	/* A packet that doesn't come takes all of the patience. */
	for (i = 0; i < TARGETS && !wrong; i++)
		wrong += !is_right(&judge, row, i);
	if (!CHECK(!wrong))
		fprintf(stderr, "target %u\n", i);
	judge_wire_close(&judge.wire);
	reach_monitor_close(judge.monitor);
}

void test_legs(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		answer_in(&rows[i].topology, legs, (void *)&rows[i]);
}
