/* SPDX-License-Identifier: MIT */
// What the engine costs with many targets, beside what the kernel costs:
//
// cc -std=gnu11 -D_GNU_SOURCE -O2 -Iinclude benchmarks/Harness/scale.c
//	Sources/CReach/*.c -lmnl -lpthread -o scale && sudo ./scale [TARGETS...]
/*
 * In a network namespace of its own. The yardstick is batched RTM_GETROUTE
 * with RTM_F_FIB_MATCH, 128 to a send, for the same addresses in the same run.
 */
#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>

#include <reach/reach.h>

#define BATCH	  128
#define ROUNDS	  7
#define EVENTS	  100000
#define DATAGRAMS 64

struct world {
	struct reach_monitor *monitor;
	struct reach_address *addresses;
	uint64_t *ids;
	size_t count;
	struct mnl_socket *socket;
};

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void run(const char *command)
{
	if (system(command) != 0) {
		fprintf(stderr, "failed: %s\n", command);
		exit(1);
	}
}

static uint32_t next_random(void)
{
	static uint64_t state = 88172645463325252U;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 16);
}

/* Anywhere from 11.0.0.0 to 99.255.255.255. */
static struct reach_address random_address(void)
{
	struct reach_address address = { .family = AF_INET };
	uint32_t bits = next_random();

	memcpy(address.bytes, &bits, sizeof(bits));
	address.bytes[0] = (uint8_t)(11 + address.bytes[0] % 89);
	return address;
}

static size_t put_question(void *buffer, const struct reach_address *address,
			   uint32_t sequence, uint32_t flags)
{
	struct nlmsghdr *header = mnl_nlmsg_put_header(buffer);
	struct rtmsg *body;

	header->nlmsg_type = RTM_GETROUTE;
	header->nlmsg_flags = NLM_F_REQUEST;
	header->nlmsg_seq = sequence;
	body = mnl_nlmsg_put_extra_header(header, sizeof(*body));
	body->rtm_family = AF_INET;
	body->rtm_dst_len = 32;
	body->rtm_flags = flags;
	mnl_attr_put(header, RTA_DST, 4, address->bytes);
	return header->nlmsg_len;
}

static void receive(struct mnl_socket *socket, size_t count)
{
	static uint8_t bytes[DATAGRAMS][4096];
	struct mmsghdr messages[DATAGRAMS];
	struct iovec vectors[DATAGRAMS];

	while (count > 0) {
		int got;

		memset(messages, 0, sizeof(messages));
		for (int i = 0; i < DATAGRAMS; i++) {
			vectors[i].iov_base = bytes[i];
			vectors[i].iov_len = sizeof(bytes[i]);
			messages[i].msg_hdr.msg_iov = &vectors[i];
			messages[i].msg_hdr.msg_iovlen = 1;
		}
		got = recvmmsg(mnl_socket_get_fd(socket), messages,
			       count < DATAGRAMS ? (unsigned int)count
						 : DATAGRAMS,
			       0, NULL);
		if (got <= 0)
			fail("recvmmsg");
		count -= (size_t)got;
	}
}

/* Nanoseconds for all addresses, @batch to a send. */
static int64_t yardstick(const struct world *world, size_t count, size_t batch)
{
	static uint32_t buffer[BATCH * 64];
	const int64_t start = now();
	size_t done = 0;

	while (done < count) {
		size_t size = 0, i;

		for (i = 0; i < batch && done + i < count; i++)
			size += put_question((uint8_t *)buffer + size,
					     &world->addresses[done + i],
					     (uint32_t)i, RTM_F_FIB_MATCH);
		if (mnl_socket_sendto(world->socket, buffer, size) < 0)
			fail("send");
		receive(world->socket, i);
		done += i;
	}
	return now() - start;
}

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
			fail("dispatch");
	} while (is_readable(world));
	return now() - start;
}

/* The best of several: what others do on the machine only adds. */
static int64_t best(const int64_t *values, size_t count)
{
	int64_t least = INT64_MAX;

	for (size_t i = 0; i < count; i++)
		if (values[i] < least)
			least = values[i];
	return least;
}

static uint64_t lookups(const struct world *world)
{
	struct reach_stats stats = { .size = sizeof(stats) };

	reach_monitor_stats(world->monitor, &stats);
	return stats.lookups;
}

static void add_all(struct world *world)
{
	struct reach_target target;

	reach_target_init(&target, REACH_TARGET_ADDRESS);
	for (size_t i = 0; i < world->count; i++) {
		target.remote = world->addresses[i];
		if (reach_monitor_add(world->monitor, &target, &world->ids[i]))
			fail("add");
	}
}

static void remove_all(struct world *world)
{
	for (size_t i = 0; i < world->count; i++)
		if (reach_monitor_remove(world->monitor, world->ids[i]))
			fail("remove");
}

/* The world after @command, dispatched: median time, and questions asked. */
static void measure(struct world *world, const char *name, const char *command,
		    const char *undo, int64_t limit, const char *beside)
{
	int64_t times[ROUNDS];
	uint64_t asked = 0;
	size_t changes = 0;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t before = lookups(world);

		run(command);
		times[i] = dispatch(world);
		asked = lookups(world) - before;
		changes = drain(world);
		run(undo);
		dispatch(world);
		drain(world);
	}
	printf("  %-28s %10.1f us  %6.2f of %s  %7llu questions  %zu changes\n",
	       name, (double)best(times, ROUNDS) / 1e3,
	       (double)best(times, ROUNDS) / (double)limit, beside,
	       (unsigned long long)asked, changes);
}

static void measure_all(struct world *world, int64_t limit)
{
	int64_t times[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		reach_monitor_refresh(world->monitor);
		times[i] = dispatch(world);
	}
	printf("  %-28s %10.1f us  %6.2f of the yardstick\n",
	       "all, each is asked", (double)best(times, ROUNDS) / 1e3,
	       (double)best(times, ROUNDS) / (double)limit);
}

/* The event of a /28 somewhere among the targets. */
static size_t put_event(void *buffer)
{
	struct nlmsghdr *header = mnl_nlmsg_put_header(buffer);
	struct reach_address address = random_address();
	struct rtmsg *body;

	address.bytes[3] &= 0xf0;
	header->nlmsg_type = next_random() & 1 ? RTM_NEWROUTE : RTM_DELROUTE;
	body = mnl_nlmsg_put_extra_header(header, sizeof(*body));
	body->rtm_family = AF_INET;
	body->rtm_dst_len = 28;
	body->rtm_table = RT_TABLE_MAIN;
	body->rtm_type = RTN_UNICAST;
	mnl_attr_put_u32(header, RTA_TABLE, RT_TABLE_MAIN);
	mnl_attr_put(header, RTA_DST, 4, address.bytes);
	mnl_attr_put_u32(header, RTA_OIF, 2);
	mnl_attr_put_u32(header, RTA_GATEWAY, 0x0100000a);
	return header->nlmsg_len;
}

/* Nanoseconds of @count events, decoding included, or of making them. */
static int64_t feed(struct reach_engine *engine, uint32_t count)
{
	const int64_t start = now();
	uint32_t buffer[64];

	for (uint32_t i = 0; i < count; i++) {
		const size_t size = put_event(buffer);

		if (engine && reach_engine_events(engine, buffer, size))
			fail("events");
		__asm__ volatile("" ::"r"(buffer) : "memory");
	}
	return now() - start;
}

/* Events that matter to (nearly) nobody, with an engine alone. */
static void measure_none(const struct world *world)
{
	int64_t times[ROUNDS], making[ROUNDS];
	struct reach_engine *engine;
	struct reach_target target;
	uint64_t id;

	if (reach_engine_create(&engine))
		fail("engine");
	reach_target_init(&target, REACH_TARGET_ADDRESS);
	for (size_t i = 0; i < world->count; i++) {
		target.remote = world->addresses[i];
		if (reach_engine_add(engine, &target, &id))
			fail("add");
	}
	for (int i = 0; i < ROUNDS; i++) {
		times[i] = feed(engine, EVENTS);
		making[i] = feed(NULL, EVENTS);
	}
	printf("  %-28s %10.1f ns an event\n", "none, events alone",
	       (double)(best(times, ROUNDS) - best(making, ROUNDS)) / EVENTS);
	reach_engine_destroy(engine);
}

static void measure_storing(struct world *world, int64_t limit)
{
	int64_t start = now(), took;

	add_all(world);
	took = now() - start;
	dispatch(world);
	drain(world);
	start = now();
	remove_all(world);
	took += now() - start;
	printf("  %-28s %10.1f us  %6.2f of the yardstick\n", "add and remove",
	       (double)took / 1e3, (double)took / (double)limit);
}

static void measure_count(struct world *world, size_t count)
{
	int64_t times[ROUNDS], single[ROUNDS], all, one;
	char command[128], text[REACH_ADDRESS_TEXT_SIZE], undo[128];

	world->count = count;
	world->ids = calloc(count, sizeof(*world->ids));
	world->addresses = calloc(count, sizeof(*world->addresses));
	if (!world->ids || !world->addresses)
		fail("calloc");
	for (size_t i = 0; i < count; i++)
		world->addresses[i] = random_address();
	for (int i = 0; i < ROUNDS; i++) {
		/* As cold as a dispatch that follows a command. */
		run("ip route add 172.16.0.0/16 via 10.0.0.2;"
		    "ip route del 172.16.0.0/16");
		single[i] = yardstick(world, 1, 1);
		times[i] = yardstick(world, count, BATCH);
	}
	all = best(times, ROUNDS);
	one = best(single, ROUNDS);
	printf("%zu targets; yardstick %.0f ns each, one lookup %.1f us\n",
	       count, (double)all / (double)count, (double)one / 1e3);
	if (reach_monitor_open(&world->monitor, NULL))
		fail("open");
	measure_storing(world, all);
	add_all(world);
	dispatch(world);
	drain(world);
	measure_all(world, all);
	measure(world, "all, default route lost", "ip route del default",
		"ip route add default via 10.0.0.1", all, "the yardstick");
	reach_address_format(&world->addresses[count / 2], text, sizeof(text));
	snprintf(command, sizeof(command), "ip route add %s via 10.0.0.2",
		 text);
	snprintf(undo, sizeof(undo), "ip route del %s", text);
	measure(world, "one, a route to it", command, undo, one, "one lookup");
	measure(world, "none", "ip route add 172.16.0.0/16 via 10.0.0.2",
		"ip route del 172.16.0.0/16", one, "one lookup");
	measure_none(world);
	reach_monitor_close(world->monitor);
	free(world->ids);
	free(world->addresses);
}

static size_t resident(void)
{
	size_t pages = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	if (!file || fscanf(file, "%*u %zu", &pages) != 1)
		fail("statm");
	fclose(file);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void measure_memory(struct world *world, size_t count)
{
	struct reach_target target;
	size_t before;
	uint64_t id;

	if (reach_monitor_open(&world->monitor, NULL))
		fail("open");
	dispatch(world);
	before = resident();
	reach_target_init(&target, REACH_TARGET_ADDRESS);
	for (size_t i = 0; i < count; i++) {
		target.remote = random_address();
		if (reach_monitor_add(world->monitor, &target, &id))
			fail("add");
	}
	dispatch(world);
	printf("%zu targets, asked: %.1f bytes each\n", count,
	       (double)(resident() - before) / (double)count);
	reach_monitor_close(world->monitor);
}

int main(int argc, char **argv)
{
	static const size_t counts[] = { 1000, 10000, 100000 };
	struct world world = { 0 };

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (unshare(CLONE_NEWNET))
		fail("unshare");
	run("ip link set lo up; ip link add v0 type veth peer name v1;"
	    "ip addr add 10.0.0.9/24 dev v0; ip link set v0 up;"
	    "ip link set v1 up; ip route add default via 10.0.0.1");
	world.socket = mnl_socket_open(NETLINK_ROUTE);
	if (!world.socket || mnl_socket_bind(world.socket, 0, 0))
		fail("socket");
	if (argc > 1) {
		for (int i = 1; i < argc; i++)
			measure_count(&world, strtoul(argv[i], NULL, 10));
	} else {
		for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
			measure_count(&world, counts[i]);
		measure_memory(&world, 1000000);
	}
	mnl_socket_close(world.socket);
	return 0;
}
