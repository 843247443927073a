/* SPDX-License-Identifier: MIT */
// One lookup for a class of targets must give each the answer that its own
// lookup would. Random routes are added and deleted; after each step, the
// states of a monitor that saw them all must equal those of a new monitor.
#include <errno.h>
#include <net/if.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "monitor/answer.h"

#define TARGETS 120
#define STEPS	300

struct world {
	struct check *check;
	struct mnl_socket *socket;
	struct reach_monitor *monitor;
	uint64_t ids[TARGETS];
	uint64_t random;
	/* The link's index. */
	uint32_t index;
	uint8_t family;
};

static uint32_t next_random(struct world *world, uint32_t below)
{
	world->random ^= world->random << 13;
	world->random ^= world->random >> 7;
	world->random ^= world->random << 17;
	return (uint32_t)(world->random >> 16) % below;
}

/* 11.a.0.b or 2aXX:...: a few short prefixes, many targets. */
static struct reach_address address_of(uint8_t family, uint32_t number)
{
	struct reach_address address = { .family = family };
	const size_t last = family == AF_INET ? 3 : 15;

	address.bytes[0] = family == AF_INET ? 11 : 0x2a;
	address.bytes[1] = (uint8_t)(number % 4);
	address.bytes[last] = (uint8_t)(1 + number / 4);
	return address;
}

static size_t size_of(uint8_t family)
{
	return family == AF_INET ? 4 : 16;
}

/* Sends a request. Returns whether the kernel carried it out. */
static bool request(struct world *world, struct nlmsghdr *header)
{
	_Alignas(8) uint8_t answer[1024];
	const struct nlmsghdr *reply = (const void *)answer;

	header->nlmsg_flags |= NLM_F_REQUEST | NLM_F_ACK;
	if (mnl_socket_sendto(world->socket, header, header->nlmsg_len) < 0 ||
	    mnl_socket_recvfrom(world->socket, answer, sizeof(answer)) <= 0)
		return false;
	return ((const struct nlmsgerr *)mnl_nlmsg_get_payload(reply))->error ==
	       0;
}

struct route {
	struct reach_address destination;
	uint8_t length;
	/* RTN_*. */
	uint8_t type;
	uint32_t metric;
};

/* Adds or deletes @route; false if that fails, for example because the route
 * already exists, or doesn't. */
static bool change_route(struct world *world, const struct route *route,
			 uint16_t type)
{
	_Alignas(8) uint8_t buffer[256];
	struct nlmsghdr *header = mnl_nlmsg_put_header(buffer);
	struct rtmsg *body;

	header->nlmsg_type = type;
	header->nlmsg_flags = type == RTM_NEWROUTE ? NLM_F_CREATE : 0;
	body = mnl_nlmsg_put_extra_header(header, sizeof(*body));
	body->rtm_family = world->family;
	body->rtm_dst_len = route->length;
	body->rtm_table = RT_TABLE_MAIN;
	body->rtm_protocol = RTPROT_STATIC;
	body->rtm_scope = route->type == RTN_UNICAST ? RT_SCOPE_LINK
						     : RT_SCOPE_UNIVERSE;
	body->rtm_type = route->type;
	if (route->length)
		mnl_attr_put(header, RTA_DST, size_of(world->family),
			     route->destination.bytes);
	mnl_attr_put_u32(header, RTA_PRIORITY, route->metric);
	if (route->type == RTN_UNICAST)
		mnl_attr_put_u32(header, RTA_OIF, world->index);
	return request(world, header);
}

static void change_something(struct world *world)
{
	static const uint8_t lengths[2][4] = { { 0, 0, 16, 32 },
					       { 0, 0, 16, 128 } };
	static const uint8_t types[] = { RTN_UNICAST, RTN_UNICAST,
					 RTN_UNREACHABLE, RTN_PROHIBIT };
	const uint32_t number = next_random(world, TARGETS);
	struct route route = {
		.destination = address_of(world->family, number),
		.length = lengths[world->family == AF_INET6]
				 [next_random(world, 4)],
		.type = types[next_random(world, 4)],
		.metric = 100 + next_random(world, 2),
	};
	size_t bit;

	for (bit = route.length; bit < 128; bit++)
		route.destination.bytes[bit / 8] &= (uint8_t)~(0x80 >> bit % 8);
	(void)change_route(world, &route,
			   next_random(world, 2) ? RTM_NEWROUTE : RTM_DELROUTE);
}

static struct reach_monitor *watch_all(struct world *world, uint64_t *ids)
{
	struct reach_monitor *monitor;
	struct reach_target target;
	uint32_t i;

	if (!CHECK(world->check, reach_monitor_open(&monitor, NULL) == 0))
		return NULL;
	reach_target_init(&target, REACH_TARGET_ADDRESS);
	for (i = 0; i < TARGETS; i++) {
		target.remote = address_of(world->family, i);
		CHECK(world->check,
		      reach_monitor_add(monitor, &target, &ids[i]) == 0);
	}
	return monitor;
}

static size_t settle(struct world *world, struct reach_monitor *monitor)
{
	struct reach_change change = { .size = sizeof(change) };
	size_t count = 0;

	do {
		/* The dumps of rules and settings wait for this time. */
		if (monitor->engine->clock.policy != INT64_MAX)
			check_set_clock(monitor->engine->clock.policy);
		CHECK(world->check, reach_monitor_dispatch(monitor) >= 0);
	} while (check_readable(reach_monitor_fd(monitor)) ||
		 monitor->engine->clock.policy != INT64_MAX);
	while (reach_monitor_next(monitor, &change) == 1)
		count++;
	return count;
}

static void compare_with_fresh(struct world *world)
{
	struct reach_state state = { .size = sizeof(state) }, other = state;
	uint64_t ids[TARGETS];
	struct reach_monitor *fresh = watch_all(world, ids);
	bool same = fresh;
	uint32_t i;

	if (!fresh)
		return;
	settle(world, fresh);
	for (i = 0; i < TARGETS && same; i++)
		same = !reach_monitor_state(world->monitor, world->ids[i],
					    &state) &&
		       !reach_monitor_state(fresh, ids[i], &other) &&
		       memcmp(&state, &other, sizeof(state)) == 0;
	CHECK(world->check, same);
	reach_monitor_close(fresh);
}

static uint64_t lookups(const struct world *world)
{
	struct reach_stats stats = { .size = sizeof(stats) };

	return reach_monitor_stats(world->monitor, &stats) ? 0 : stats.lookups;
}

/* The loss of the default route costs few lookups, however many targets there
 * are. */
static void lose_default(struct world *world)
{
	const struct route route = { .type = RTN_UNICAST, .metric = 100 };
	uint64_t before;

	CHECK(world->check, change_route(world, &route, RTM_NEWROUTE));
	CHECK(world->check, settle(world, world->monitor) == TARGETS);
	before = lookups(world);
	CHECK(world->check, change_route(world, &route, RTM_DELROUTE));
	CHECK(world->check, settle(world, world->monitor) == TARGETS);
	CHECK(world->check, lookups(world) - before <= 4);
	compare_with_fresh(world);
}

/* A target that leaves the default route and returns is the only one looked up:
 * other targets still have that route's source. */
static void leave_and_return(struct world *world)
{
	const struct route route = { .type = RTN_UNICAST, .metric = 100 };
	const struct route own = {
		.destination = address_of(world->family, TARGETS / 2),
		.length = (uint8_t)(8 * size_of(world->family)),
		.type = RTN_UNICAST,
		.metric = 100,
	};
	int i;

	CHECK(world->check, change_route(world, &route, RTM_NEWROUTE));
	settle(world, world->monitor);
	for (i = 0; i < 6; i++) {
		const uint64_t before = lookups(world);

		CHECK(world->check,
		      change_route(world, &own,
				   i % 2 ? RTM_DELROUTE : RTM_NEWROUTE));
		settle(world, world->monitor);
		CHECK(world->check, lookups(world) - before == 2);
	}
	CHECK(world->check, change_route(world, &route, RTM_DELROUTE));
	settle(world, world->monitor);
	compare_with_fresh(world);
}

/* Targets leave the default route as a class, along with the one whose lookup
 * gave the source. One of the remaining targets is looked up to get the source
 * again. */
static void leave_as_a_class(struct world *world)
{
	const struct route rest = { .type = RTN_UNICAST, .metric = 100 };
	uint64_t asked = 0;
	uint32_t i;

	if (world->family != AF_INET)
		return;
	CHECK(world->check, change_route(world, &rest, RTM_NEWROUTE));
	settle(world, world->monitor);
	/* The first target in each prefix is looked up first. Each of these
	 * leaves and returns here, so that another target's lookup gives the
	 * source. */
	for (i = 0; i < 8; i++) {
		struct route own = rest;

		own.destination = address_of(AF_INET, i / 2);
		own.length = 32;
		CHECK(world->check,
		      change_route(world, &own,
				   i % 2 ? RTM_DELROUTE : RTM_NEWROUTE));
		settle(world, world->monitor);
	}
	for (i = 0; i < 4; i++) {
		struct route route = rest;
		const uint64_t before = lookups(world);

		route.destination = address_of(AF_INET, i);
		route.destination.bytes[3] = 0;
		route.length = 16;
		CHECK(world->check, change_route(world, &route, RTM_NEWROUTE));
		settle(world, world->monitor);
		asked += lookups(world) - before;
		CHECK(world->check, change_route(world, &route, RTM_DELROUTE));
		settle(world, world->monitor);
		compare_with_fresh(world);
	}
	CHECK(world->check, asked > 4 * 2 && asked <= 4 * 3);
	CHECK(world->check, change_route(world, &rest, RTM_DELROUTE));
	settle(world, world->monitor);
}

static void run(struct world *world, uint8_t family)
{
	int i;

	world->family = family;
	world->random = UINT64_C(88172645463325252);
	world->monitor = watch_all(world, world->ids);
	if (!world->monitor)
		return;
	settle(world, world->monitor);
	CHECK(world->check, answer_await_link(world->monitor, "near"));
	lose_default(world);
	leave_and_return(world);
	leave_as_a_class(world);
	for (i = 0; i < STEPS; i++) {
		uint32_t more = 1 + next_random(world, 3);

		while (more-- > 0)
			change_something(world);
		settle(world, world->monitor);
		compare_with_fresh(world);
	}
	reach_monitor_close(world->monitor);
}

/* The namespace ends with the thread. */
static int try_in_namespace(void *context)
{
	/* No link-local addresses: their events would interfere. */
	static const struct topology topology = {
		"classes",
		{ "link set lo up", "link add near type veth peer name far",
		  "link set near addrgenmode none",
		  "link set far addrgenmode none", "link set far up",
		  "link set near up", "addr add 10.0.0.9/24 dev near",
		  "-6 addr add fd00::9/24 dev near nodad" }
	};
	struct world world = { .check = context };

	/* The tests count lookups, so no timer may add one. */
	check_stop_clock();
	if (!answer_build(&topology))
		return -EOPNOTSUPP;
	world.socket = mnl_socket_open(NETLINK_ROUTE);
	if (!CHECK(world.check,
		   world.socket && !mnl_socket_bind(world.socket, 0, 0)))
		return 0;
	world.index = if_nametoindex("near");
	run(&world, AF_INET);
	run(&world, AF_INET6);
	mnl_socket_close(world.socket);
	return 0;
}

void test_equivalence(struct check *check)
{
	check_in_netns(check, "classes", try_in_namespace, check);
}
