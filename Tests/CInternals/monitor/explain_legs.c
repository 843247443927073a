/* SPDX-License-Identifier: MIT */
/* Explanations of routes with several next hops have the route's table and
 * prefix, and its policy rule. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/rtnetlink.h>

#include "engine/engine.h"
#include "monitor/answer.h"

#define TARGETS 20

#define MANY                                                                   \
	"nexthop via 10.9.0.10 nexthop via 10.9.0.11 nexthop via 10.9.0.12 "   \
	"nexthop via 10.9.0.13 nexthop via 10.9.0.14 nexthop via 10.9.0.15 "   \
	"nexthop via 10.9.0.16 nexthop via 10.9.0.17 "                         \
	"nexthop via 10.9.1.2 weight 200"

static const char *const cables[] = {
	"link set lo up",
	/* Sockets look up twice, and only the second match counts. */
	"rule add pref 50 from 10.2.2.2 prohibit",
	"-6 rule add pref 50 from 2001:db8:f::2 prohibit",
	"link add e0 type veth peer name p0",
	"link add e1 type veth peer name p1",
	"link set p0 up",
	"link set p1 up",
	"link set e0 up",
	"link set e1 up",
	"addr add 10.9.0.1/24 dev e0",
	"addr add 10.9.1.1/24 dev e1",
	"-6 addr add 2001:db8:0::1/64 dev e0 nodad",
	"-6 addr add 2001:db8:1::1/64 dev e1 nodad",
};

static const struct row {
	const char *what;
	const char *commands[4];
	/* Messages of a route with a nexthop object name only that. */
	bool compact;
	bool inet6;
	uint32_t table;
	uint32_t priority;
} rows[] = {
	{ .what = "IPv4",
	  .commands = { "route add default nexthop via 10.9.0.2 "
			"nexthop via 10.9.1.2" },
	  .table = RT_TABLE_MAIN,
	  .priority = 32766 },
	{ .what = "IPv4, more than are decoded",
	  .commands = { "route add default " MANY },
	  .table = RT_TABLE_MAIN,
	  .priority = 32766 },
	{ .what = "IPv4, in a table of a rule",
	  .commands = { "route add default table 77 nexthop via 10.9.0.2 "
			"nexthop via 10.9.1.2",
			"rule add pref 100 lookup 77" },
	  .table = 77,
	  .priority = 100 },
	{ .what = "IPv6",
	  .commands = { "-6 route add default nexthop via 2001:db8:0::2 "
			"nexthop via 2001:db8:1::2" },
	  .inet6 = true,
	  .table = RT_TABLE_MAIN,
	  .priority = 32766 },
	{ .what = "IPv4, nexthop objects",
	  .commands = { "nexthop add id 1 via 10.9.0.2 dev e0",
			"nexthop add id 2 via 10.9.1.2 dev e1",
			"nexthop add id 9 group 1/2",
			"route add default nhid 9" },
	  .compact = true,
	  .table = RT_TABLE_MAIN,
	  .priority = 32766 },
	{ .what = "IPv6, nexthop objects",
	  .commands = { "nexthop add id 1 via 2001:db8:0::2 dev e0",
			"nexthop add id 2 via 2001:db8:1::2 dev e1",
			"nexthop add id 9 group 1/2",
			"-6 route add default nhid 9" },
	  .compact = true,
	  .inet6 = true,
	  .table = RT_TABLE_MAIN,
	  .priority = 32766 },
};

static bool set_compact(void)
{
	const int fd = open("/proc/sys/net/ipv4/nexthop_compat_mode",
			    O_WRONLY | O_CLOEXEC);
	const bool done = fd >= 0 && write(fd, "0", 1) == 1;

	close(fd);
	return done;
}

static bool build(const struct row *row)
{
	size_t i;

	for (i = 0; i < sizeof(cables) / sizeof(*cables); i++)
		if (!answer_ip(cables[i]))
			return false;
	for (i = 0; i < 4 && row->commands[i]; i++)
		if (!answer_ip(row->commands[i]))
			return false;
	return !row->compact || set_compact();
}

static bool is_explained(struct reach_monitor *monitor, const struct row *row,
			 unsigned int i)
{
	struct reach_explanation found = { .size = sizeof(found) };
	struct reach_target target;
	char text[64];
	uint64_t id;

	snprintf(text, sizeof(text), row->inet6 ? "2600::%u" : "192.0.2.%u",
		 i + 1);
	reach_target_init(&target, REACH_TARGET_ADDRESS);
	return !reach_address_parse(text, &target.remote) &&
	       !reach_monitor_add(monitor, &target, &id) &&
	       reach_monitor_dispatch(monitor) >= 0 &&
	       !reach_monitor_explain(monitor, id, REACH_EXPLAIN_DECIDING,
				      &found) &&
	       found.route_type == RTN_UNICAST && found.prefix_length == 0 &&
	       found.table == row->table && found.policy_action &&
	       found.policy_priority == row->priority;
}

struct scene {
	struct check *check;
	const struct row *row;
};

static int explain(void *context)
{
	const struct scene *scene = context;
	struct check *check = scene->check;
	struct reach_monitor *monitor;
	unsigned int i;

	if (!CHECK(check, !unshare(CLONE_NEWNET)) ||
	    !CHECK(check, build(scene->row)) ||
	    !CHECK(check, !reach_monitor_open(&monitor, NULL)))
		return 0;
	for (i = 0; i < TARGETS; i++)
		if (!CHECK(check, is_explained(monitor, scene->row, i)))
			fprintf(stderr, "%s: target %u\n", scene->row->what, i);
	reach_monitor_close(monitor);
	return 0;
}

/* No rule selects by source, which is known before a second lookup. */
static int explain_a_pulled_cable(void *context)
{
	static const struct topology pulled = {
		"no carrier",
		{ "link set lo up", CABLE, DEFAULTS, "link set p0 down" }
	};
	struct reach_explanation found = { .size = sizeof(found) };
	struct check *check = context;
	struct reach_monitor *monitor;
	struct reach_target target;
	uint64_t id;

	if (!CHECK(check, !unshare(CLONE_NEWNET)) ||
	    !CHECK(check, answer_build(&pulled)) ||
	    !CHECK(check, !reach_monitor_open(&monitor, NULL)))
		return 0;
	reach_target_init(&target, REACH_TARGET_ADDRESS);
	(void)reach_address_parse("192.0.2.1", &target.remote);
	CHECK(check, !reach_monitor_add(monitor, &target, &id));
	CHECK(check, reach_monitor_dispatch(monitor) >= 0);
	CHECK(check, !reach_monitor_explain(monitor, id, REACH_EXPLAIN_DECIDING,
					    &found));
	CHECK(check, found.rule == REACH_RULE_LINK_DOWN && found.lookups == 1);
	reach_monitor_close(monitor);
	return 0;
}

void test_explain_legs(struct check *check)
{
	struct scene scene = { .check = check };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		scene.row = &rows[i];
		(void)check_on_thread(explain, &scene);
	}
	(void)check_on_thread(explain_a_pulled_cable, check);
}
