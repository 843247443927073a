/* SPDX-License-Identifier: MIT */
// What wakes who watches 100,000 targets, of what cannot matter to them:
//
// cc -std=gnu11 -D_GNU_SOURCE -O2 -Iinclude benchmarks/Harness/noise.c
//	Sources/CReach/*.c -lmnl -lpthread -o noise && sudo ./noise [--short]
/*
 * In a network namespace of its own, with half of the targets of IPv6, anywhere
 * in 11.0.0.0 to 99.255.255.255 and 2001:db8::/32. Counted are the messages
 * that were delivered and the questions that were asked because of them.
 */
#include <poll.h>

#include <reach/reach.h>

#include "storm.h"

#define TARGETS 100000

struct noise {
	const char *name;
	/* Shell, where N is a number from 1 on; the last way back. */
	const char *lines;
	/* Messages that may be delivered for each line. */
	int messages;
};

/*
 * A new lifetime of an address comes as RTM_NEWADDR, as do its flags
 * (tentative, deprecated), which decide about sources: that they are what they
 * were is known from the table of addresses alone, so that it is delivered.
 * Nobody is asked.
 */
static const struct noise noises[] = {
	{ "neighbours",
	  "neigh replace 10.9.0.N lladdr 02:00:00:00:00:01 dev v0", 0 },
	{ "routes to elsewhere", "route replace blackhole 203.0.113.N", 0 },
	{ "errors elsewhere, IPv6", "route replace blackhole 2001:db7:N::/48",
	  0 },
	{ "tables that no rule uses",
	  "route replace blackhole 20.0.0.0/8 table N", 0 },
	{ "the same, IPv6", "route replace blackhole 2001:db8::/32 table N",
	  0 },
	{ "bridge ports", "link set w0 type bridge_slave cost N", 0 },
	{ "address lifetimes",
	  "addr change 10.9.0.1/24 dev v0 valid_lft 9N preferred_lft 9N", 1 },
	{ "address lifetimes, IPv6",
	  "addr change 2001:db8:9::1/64 dev v0 valid_lft 9N preferred_lft 9N",
	  1 },
};

static void add_targets(struct reach_monitor *monitor)
{
	struct reach_target target;
	uint64_t id;
	int i;

	reach_target_init(&target, REACH_TARGET_ADDRESS);
	for (i = 0; i < TARGETS; i++) {
		struct reach_address *to = &target.remote;
		const uint32_t bits = next_random();

		*to = (struct reach_address){
			.family = i % 2 ? AF_INET : AF_INET6,
			.bytes = { 0x20, 1, 0xd, 0xb8, [15] = 1 },
		};
		memcpy(to->bytes + (i % 2 ? 0 : 4), &bits, sizeof(bits));
		if (i % 2) {
			to->bytes[0] = (uint8_t)(11 + to->bytes[0] % 89);
			to->bytes[15] = 0;
		}
		if (reach_monitor_add(monitor, &target, &id))
			die("reach_monitor_add");
	}
}

/* Until there is nothing to do, a filter to make and the confirming look, 500
 * ms after a change, included. */
static struct reach_stats settle(struct reach_monitor *monitor)
{
	struct reach_stats stats = { .size = sizeof(stats) };
	struct reach_change change = { .size = sizeof(change) };
	struct pollfd pollfd = { .fd = reach_monitor_fd(monitor),
				 .events = POLLIN };

	do {
		if (reach_monitor_dispatch(monitor) < 0)
			die("reach_monitor_dispatch");
		while (reach_monitor_next(monitor, &change) == 1)
			;
	} while (poll(&pollfd, 1, 700) == 1);
	reach_monitor_stats(monitor, &stats);
	return stats;
}

static void make(const struct noise *noise, int first, int last)
{
	char command[512];

	snprintf(
		command, sizeof(command),
		"seq %d %d | while read n; do echo '%s' | sed s/N/$n/g; done | "
		"ip -batch -",
		first, last, noise->lines);
	if (system(command))
		exit(1);
}

static bool measure(struct reach_monitor *monitor, const struct noise *noise,
		    int count)
{
	struct reach_stats before, after;
	uint64_t events, questions;
	bool good;

	/* The first may change something: what is permanent is no more. */
	make(noise, 1, 1);
	before = settle(monitor);
	make(noise, 2, count + 1);
	after = settle(monitor);
	events = after.events - before.events;
	questions = after.lookups - before.lookups;
	good = events <= (uint64_t)(noise->messages * count) && !questions &&
	       (noise->messages || after.wakeups == before.wakeups);
	printf("%-26s %5d %8llu messages %6llu wake-ups %6llu questions%s\n",
	       noise->name, count, (unsigned long long)events,
	       (unsigned long long)(after.wakeups - before.wakeups),
	       (unsigned long long)questions, good ? "" : "  PAST ITS LIMIT");
	return good;
}

int main(int argc, char **argv)
{
	const bool brief = argc > 1 && !strcmp(argv[1], "--short");
	struct reach_monitor *monitor;
	bool good = true;
	size_t i;

	enter_namespace();
	if (system("ip link add br0 type bridge && ip link add w0 type veth "
		   "peer name w1 && ip link set w0 master br0"))
		return 1;
	if (reach_monitor_open(&monitor, NULL))
		die("reach_monitor_open");
	add_targets(monitor);
	settle(monitor);
	for (i = 0; i < sizeof(noises) / sizeof(*noises); i++)
		good = measure(monitor, &noises[i], brief ? 20 : 200) && good;
	reach_monitor_close(monitor);
	return good ? 0 : 1;
}
