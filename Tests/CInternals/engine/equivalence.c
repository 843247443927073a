/* SPDX-License-Identifier: MIT */
// One lookup for a class of targets must give each the answer that its own
// lookup would. Random routes are added and deleted; after each step, the
// states of a monitor that saw them all must equal those of a new monitor.
#include <net/if.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/rtnetlink.h>
#include <string.h>

#include "monitor/answer.h"
#include "monitor/request.h"

#define TARGETS 120
#define STEPS	300

struct world {
	int fd;
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

/* Adds or deletes @route; false if that fails, for example because the route
 * already exists, or doesn't. */
static bool change_route(struct world *world, const struct request_route *route,
			 uint16_t type)
{
	return !request_set_route(world->fd, route, type == RTM_NEWROUTE);
}

static void change_something(struct world *world)
{
	static const uint8_t lengths[2][4] = { { 0, 0, 16, 32 },
					       { 0, 0, 16, 128 } };
	static const uint8_t types[] = { RTN_UNICAST, RTN_UNICAST,
					 RTN_UNREACHABLE, RTN_PROHIBIT };
	const uint32_t number = next_random(world, TARGETS);
	struct request_route route = {
		.destination = address_of(world->family, number),
		.length = lengths[world->family == AF_INET6]
				 [next_random(world, 4)],
		.type = types[next_random(world, 4)],
		.metric = 100 + next_random(world, 2),
	};

	if (route.type == RTN_UNICAST)
		route.output = world->index;
	for (size_t bit = route.length; bit < 128; bit++)
		route.destination.bytes[bit / 8] &= (uint8_t)~(0x80 >> bit % 8);
	(void)change_route(world, &route,
			   next_random(world, 2) ? RTM_NEWROUTE : RTM_DELROUTE);
}

static struct request_route default_of(const struct world *world)
{
	return (struct request_route){
		.destination.family = world->family,
		.metric = 100,
		.output = world->index,
	};
}

static struct reach_monitor *watch_all(struct world *world, uint64_t *ids)
{
	struct reach_monitor *monitor;
	struct reach_target target = check_target(REACH_TARGET_ADDRESS, NULL);
	uint32_t i;

	if (!CHECK(reach_monitor_open(&monitor, NULL) == 0))
		return NULL;
	for (i = 0; i < TARGETS; i++) {
		target.remote = address_of(world->family, i);
		CHECK(reach_monitor_add(monitor, &target, &ids[i]) == 0);
	}
	return monitor;
}

static size_t settle(struct reach_monitor *monitor)
{
	do {
		/* The dumps of rules and settings wait for this time. */
		if (monitor->engine->clock.policy != INT64_MAX)
			check_set_clock(monitor->engine->clock.policy);
		CHECK(reach_monitor_dispatch(monitor) >= 0);
	} while (check_readable(reach_monitor_fd(monitor)) ||
		 monitor->engine->clock.policy != INT64_MAX);
	return answer_changes(monitor);
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
	settle(fresh);
	for (i = 0; i < TARGETS && same; i++)
		same = !reach_monitor_state(world->monitor, world->ids[i],
					    &state) &&
		       !reach_monitor_state(fresh, ids[i], &other) &&
		       memcmp(&state, &other, sizeof(state)) == 0;
	CHECK(same);
	reach_monitor_close(fresh);
}

static uint64_t lookups(const struct world *world)
{
	return answer_stats(world->monitor).lookups;
}

/* The loss of the default route costs few lookups, however many targets there
 * are. */
static void lose_default(struct world *world)
{
	const struct request_route route = default_of(world);
	uint64_t before;

	CHECK(change_route(world, &route, RTM_NEWROUTE));
	CHECK(settle(world->monitor) == TARGETS);
	before = lookups(world);
	CHECK(change_route(world, &route, RTM_DELROUTE));
	CHECK(settle(world->monitor) == TARGETS);
	CHECK(lookups(world) - before <= 4);
	compare_with_fresh(world);
}

/* A target that leaves the default route and returns is the only one looked up:
 * other targets still have that route's source. */
static void leave_and_return(struct world *world)
{
	const struct request_route route = default_of(world);
	const struct request_route own = {
		.destination = address_of(world->family, TARGETS / 2),
		.length = world->family == AF_INET ? 32 : 128,
		.metric = 100,
		.output = world->index,
	};
	int i;

	CHECK(change_route(world, &route, RTM_NEWROUTE));
	settle(world->monitor);
	for (i = 0; i < 6; i++) {
		const uint64_t before = lookups(world);

		CHECK(change_route(world, &own,
				   i % 2 ? RTM_DELROUTE : RTM_NEWROUTE));
		settle(world->monitor);
		CHECK(lookups(world) - before == 2);
	}
	CHECK(change_route(world, &route, RTM_DELROUTE));
	settle(world->monitor);
	compare_with_fresh(world);
}

/* Targets leave the default route as a class, along with the one whose lookup
 * gave the source. One of the remaining targets is looked up to get the source
 * again. */
static void leave_as_a_class(struct world *world)
{
	const struct request_route rest = default_of(world);
	uint64_t asked = 0;
	uint32_t i;

	if (world->family != AF_INET)
		return;
	CHECK(change_route(world, &rest, RTM_NEWROUTE));
	settle(world->monitor);
	/* The first target in each prefix is looked up first. Each of these
	 * leaves and returns here, so that another target's lookup gives the
	 * source. */
	for (i = 0; i < 8; i++) {
		struct request_route own = rest;

		own.destination = address_of(AF_INET, i / 2);
		own.length = 32;
		CHECK(change_route(world, &own,
				   i % 2 ? RTM_DELROUTE : RTM_NEWROUTE));
		settle(world->monitor);
	}
	for (i = 0; i < 4; i++) {
		struct request_route route = rest;
		const uint64_t before = lookups(world);

		route.destination = address_of(AF_INET, i);
		route.destination.bytes[3] = 0;
		route.length = 16;
		CHECK(change_route(world, &route, RTM_NEWROUTE));
		settle(world->monitor);
		asked += lookups(world) - before;
		CHECK(change_route(world, &route, RTM_DELROUTE));
		settle(world->monitor);
		compare_with_fresh(world);
	}
	CHECK(asked > 4 * 2 && asked <= 4 * 3);
	CHECK(change_route(world, &rest, RTM_DELROUTE));
	settle(world->monitor);
}

static void run(struct world *world, uint8_t family)
{
	int i;

	world->family = family;
	world->random = UINT64_C(88172645463325252);
	world->monitor = watch_all(world, world->ids);
	if (!world->monitor)
		return;
	settle(world->monitor);
	CHECK(answer_await_link(world->monitor, "near"));
	lose_default(world);
	leave_and_return(world);
	leave_as_a_class(world);
	for (i = 0; i < STEPS; i++) {
		uint32_t more = 1 + next_random(world, 3);

		while (more-- > 0)
			change_something(world);
		settle(world->monitor);
		compare_with_fresh(world);
	}
	reach_monitor_close(world->monitor);
}

static void try(void *context)
{
	struct world world = { .fd = request_open() };

	(void)context;
	/* The tests count lookups, so no timer may add one. */
	check_stop_clock();
	world.index = if_nametoindex("near");
	run(&world, AF_INET);
	run(&world, AF_INET6);
	close(world.fd);
}

void test_equivalence(void)
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

	answer_in(&topology, try, NULL);
}
