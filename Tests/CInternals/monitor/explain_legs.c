/* SPDX-License-Identifier: MIT */
/* Explanations of routes with several next hops have the route's table and
 * prefix, and its policy rule. */
#include <stdio.h>

#include <linux/rtnetlink.h>

#include "monitor/answer.h"

#define TARGETS 20

#define MANY                                                                   \
	"nexthop via 10.9.0.10 nexthop via 10.9.0.11 nexthop via 10.9.0.12 "   \
	"nexthop via 10.9.0.13 nexthop via 10.9.0.14 nexthop via 10.9.0.15 "   \
	"nexthop via 10.9.0.16 nexthop via 10.9.0.17 "                         \
	"nexthop via 10.9.1.2 weight 200"

/* Sockets look up twice, and only the second match counts. */
#define CABLES                                                                 \
	"link set lo up", "rule add pref 50 from 10.2.2.2 prohibit",           \
		"-6 rule add pref 50 from 2001:db8:f::2 prohibit",             \
		"link add e0 type veth peer name p0",                          \
		"link add e1 type veth peer name p1", "link set p0 up",        \
		"link set p1 up", "link set e0 up", "link set e1 up",          \
		"addr add 10.9.0.1/24 dev e0", "addr add 10.9.1.1/24 dev e1",  \
		"-6 addr add 2001:db8:0::1/64 dev e0 nodad",                   \
		"-6 addr add 2001:db8:1::1/64 dev e1 nodad"

static const struct row {
	struct topology topology;
	bool inet6;
	/* Of the policy rule; 0 for table main, and its rule. */
	uint32_t table;
	uint32_t priority;
} rows[] = {
	{ { "IPv4",
	    { CABLES, "route add default nexthop via 10.9.0.2 "
		      "nexthop via 10.9.1.2" } },
	  .inet6 = false },
	{ { "IPv4, more than are decoded",
	    { CABLES, "route add default " MANY } },
	  .inet6 = false },
	{ { "IPv4, in a table of a rule",
	    { CABLES,
	      "route add default table 77 nexthop via 10.9.0.2 "
	      "nexthop via 10.9.1.2",
	      "rule add pref 100 lookup 77" } },
	  .table = 77,
	  .priority = 100 },
	{ { "IPv6",
	    { CABLES, "-6 route add default nexthop via 2001:db8:0::2 "
		      "nexthop via 2001:db8:1::2" } },
	  .inet6 = true },
	/* Messages of a route with a nexthop object name only that. */
	{ { "IPv4, nexthop objects",
	    { CABLES, "nexthop add id 1 via 10.9.0.2 dev e0",
	      "nexthop add id 2 via 10.9.1.2 dev e1",
	      "nexthop add id 9 group 1/2", "route add default nhid 9",
	      "=ipv4/nexthop_compat_mode 0" } },
	  .inet6 = false },
	{ { "IPv6, nexthop objects",
	    { CABLES, "nexthop add id 1 via 2001:db8:0::2 dev e0",
	      "nexthop add id 2 via 2001:db8:1::2 dev e1",
	      "nexthop add id 9 group 1/2", "-6 route add default nhid 9",
	      "=ipv4/nexthop_compat_mode 0" } },
	  .inet6 = true },
};

static bool is_explained(struct reach_monitor *monitor, const struct row *row,
			 unsigned int i)
{
	struct reach_explanation found = { .size = sizeof(found) };
	char text[64];
	uint64_t id;

	snprintf(text, sizeof(text), row->inet6 ? "2600::%u" : "192.0.2.%u",
		 i + 1);
	id = answer_watch(monitor, REACH_TARGET_ADDRESS, text);
	return reach_monitor_dispatch(monitor) >= 0 &&
	       !reach_monitor_explain(monitor, id, REACH_EXPLAIN_DECIDING,
				      &found) &&
	       found.route_type == RTN_UNICAST && found.prefix_length == 0 &&
	       found.table == (row->table ? row->table : RT_TABLE_MAIN) &&
	       found.policy_action &&
	       found.policy_priority == (row->priority ? row->priority : 32766);
}

static void explain(void *context)
{
	const struct row *row = context;
	SCOPED_MONITOR *monitor = answer_open(NULL, NULL);

	for (unsigned int i = 0; i < TARGETS; i++)
		if (!CHECK(is_explained(monitor, row, i)))
			fprintf(stderr, "target %u\n", i);
}

/* No rule selects by source, which is known before a second lookup. */
static void explain_a_pulled_cable(void *context)
{
	struct reach_explanation found = { .size = sizeof(found) };
	SCOPED_MONITOR *monitor = answer_open(NULL, NULL);
	uint64_t id;

	(void)context;
	id = answer_watch(monitor, REACH_TARGET_ADDRESS, "192.0.2.1");
	CHECK(reach_monitor_dispatch(monitor) >= 0);
	CHECK(!reach_monitor_explain(monitor, id, REACH_EXPLAIN_DECIDING,
				     &found));
	CHECK(found.rule == REACH_RULE_LINK_DOWN && found.lookups == 1);
}

void test_explain_legs(void)
{
	static const struct topology pulled = {
		"no carrier",
		{ "link set lo up", CABLE, DEFAULTS, "link set p0 down" }
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		answer_in(&rows[i].topology, explain, (void *)&rows[i]);
	answer_in(&pulled, explain_a_pulled_cable, NULL);
}
