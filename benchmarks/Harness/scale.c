/* SPDX-License-Identifier: MIT */
// Compares what the engine costs with many targets with what the kernel costs.
// Runs in a network namespace of its own. In bash with globstar:
//
// cc -std=gnu11 -D_GNU_SOURCE -O2 -Iinclude -ISources/CReach
//	benchmarks/Harness/scale*.c Sources/CReach/**/*.c -lmnl -lpthread
//	-o scale && sudo ./scale [--short]
//
// Exits with 1 if a goal is missed by more than its room, or if a result is
// wrong. To count the instructions of a case of scale_growth.c with COUNT
// targets:
//
// sudo valgrind --tool=callgrind --toggle-collect=counted ./scale CASE COUNT
#include <malloc.h>
#include <poll.h>

#include "scale.h"

#define ROUNDS 9

/* As a ratio to the yardstick. */
#define GOAL_ALL 1.15

/* In bytes. */
#define GOAL_MEMORY 110

struct world {
	struct reach_monitor *monitor;
	struct reach_address *addresses;
	uint64_t *ids;
	size_t count;
	uint8_t family;
	struct mnl_socket *socket;
	int rounds;
};

static size_t drain(struct world *world)
{
	struct reach_change change = { .size = sizeof(change) };
	size_t count = 0;

	while (reach_monitor_next(world->monitor, &change) == 1)
		count++;
	return count;
}

static bool is_readable(const struct world *world)
{
	struct pollfd poll_fd = { .fd = reach_monitor_fd(world->monitor),
				  .events = POLLIN };

	return poll(&poll_fd, 1, 0) == 1;
}

static int64_t dispatch(struct world *world)
{
	const int64_t start = now();

	do {
		if (reach_monitor_dispatch(world->monitor) < 0)
			die("dispatch");
	} while (is_readable(world));
	return now() - start;
}

static uint64_t lookups(const struct world *world)
{
	struct reach_stats stats = { .size = sizeof(stats) };

	reach_monitor_stats(world->monitor, &stats);
	return stats.lookups;
}

static void open_world(struct world *world, uint8_t family, size_t count)
{
	world->family = family;
	world->count = count;
	world->ids = calloc(count, sizeof(*world->ids));
	world->addresses = calloc(count, sizeof(*world->addresses));
	if (!world->ids || !world->addresses)
		die("calloc");
	for (size_t i = 0; i < count; i++)
		world->addresses[i] = random_address(family);
	if (reach_monitor_open(&world->monitor, NULL))
		die("open");
}

static void close_world(struct world *world)
{
	reach_monitor_close(world->monitor);
	free(world->ids);
	free(world->addresses);
}

static void add_all(struct world *world)
{
	struct reach_target target;

	reach_target_init(&target, REACH_TARGET_ADDRESS);
	for (size_t i = 0; i < world->count; i++) {
		target.remote = world->addresses[i];
		if (reach_monitor_add(world->monitor, &target, &world->ids[i]))
			die("add");
	}
}

/* Has all targets looked up again. */
static void measure_all(struct world *world)
{
	const size_t questions = LOOKUPS_EACH * world->count;
	/* Even, so that each nexthop that comes also goes. */
	const size_t rounds = (size_t)world->rounds + 1;
	int64_t times[ROUNDS + 1], all[ROUNDS + 1];
	const uint64_t before = lookups(world);

	for (size_t i = 0; i < rounds; i++) {
		all[i] = yardstick(world->socket, world->addresses,
				   world->count);
		change_nexthop(i);
		times[i] = dispatch(world);
		demand(drain(world) == 0, "a verdict changed");
	}
	/* A few are equal by chance, and share a lookup. */
	demand(lookups(world) - before >=
		       rounds * (questions - questions / 1000),
	       "not all were asked");
	report_ratio("all, each asked, to lookups",
		     (double)best(times, rounds) / (double)best(all, rounds),
		     GOAL_ALL);
}

/* Measures @count targets of a family. */
static void measure_count(struct mnl_socket *socket, uint8_t family,
			  size_t count, int rounds)
{
	struct world world = { .socket = socket, .rounds = rounds };

	printf("%zu IPv%c targets\n", count, family == AF_INET ? '4' : '6');
	open_world(&world, family, count);
	add_all(&world);
	dispatch(&world);
	demand(drain(&world) == count, "not all were reported");
	measure_all(&world);
	close_world(&world);
}

static void measure_memory(size_t count)
{
	struct world world = { 0 };
	struct reach_target target;
	size_t before;
	uint64_t id;

	/* So that the monitor can't reuse memory that was freed before. */
	malloc_trim(0);
	if (reach_monitor_open(&world.monitor, NULL))
		die("open");
	dispatch(&world);
	before = resident();
	reach_target_init(&target, REACH_TARGET_ADDRESS);
	for (size_t i = 0; i < count; i++) {
		target.remote = random_address(AF_INET);
		if (reach_monitor_add(world.monitor, &target, &id))
			die("add");
	}
	dispatch(&world);
	printf("%zu targets\n", count);
	report("memory", (double)(resident() - before) / (double)count,
	       "bytes each", GOAL_MEMORY, 1);
	reach_monitor_close(world.monitor);
}

int main(int argc, char **argv)
{
	const bool is_short = argc > 1 && strcmp(argv[1], "--short") == 0;
	const size_t most = is_short ? 10000 : 100000;
	const int rounds = is_short ? 5 : ROUNDS;
	struct mnl_socket *socket;

	setvbuf(stdout, NULL, _IOLBF, 0);
	enter_namespace();
	if (argc == 3)
		return scale_count(argv[1], (uint32_t)atoi(argv[2]));
	socket = mnl_socket_open(NETLINK_ROUTE);
	if (!socket || mnl_socket_bind(socket, 0, 0))
		die("socket");
	measure_memory(is_short ? 100000 : 1000000);
	for (size_t count = 1000; count <= most; count *= 10) {
		measure_count(socket, AF_INET6, count, rounds);
		measure_count(socket, AF_INET, count, rounds);
	}
	mnl_socket_close(socket);
	return missed;
}
