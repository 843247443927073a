/* SPDX-License-Identifier: MIT */
/*
 * A writer adds and deletes routes and addresses as fast as it can, while a
 * monitor dispatches without a pause. Whenever the writer stops, the monitor's
 * states must be those of a new one. If the monitor took an answer from
 * before a change for one from after it, the state would stay wrong for good.
 *
 *	REACH_RACE_EVENTS=100000    events in all; 40,000 if not set
 */
#include <net/if.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "monitor/answer.h"
#include "monitor/request.h"

#define EVENTS	    40000
#define TARGETS_MAX 160
/* The most changes in one burst. */
#define BURST 200

struct race {
	struct reach_monitor *monitor;
	uint64_t ids[TARGETS_MAX];
	size_t count;
	int fd;
	uint32_t index;
	uint64_t state;
	atomic_bool running;
	int stale;
};

/* Makes a random change, which may fail: the object may not exist. */
static void change(struct race *race, int fd)
{
	static const char *const prefixes[2][4] = {
		{ "0.0.0.0", "198.51.0.0", "198.51.100.0", "198.51.100.1" },
		{ "::", "2001:db8::", "2001:db8:ffff::", "2001:db8:ffff::1" }
	};
	static const uint8_t lengths[2][4] = { { 0, 16, 24, 32 },
					       { 0, 32, 48, 128 } };
	static const char *const gateways[2][2] = { { "10.9.0.2", "10.9.1.2" },
						    { "2001:db8:9::2",
						      "2001:db8:9:1::2" } };
	static const char *const addresses[2][2] = { { "10.9.0.1", "10.9.1.1" },
						     { "2001:db8:9::1",
						       "2001:db8:9:1::1" } };
	const uint32_t side = check_random(&race->state, 2),
		       n = check_random(&race->state, 2);
	const uint32_t what = check_random(&race->state, 400),
		       which = check_random(&race->state, 4);
	const bool there = check_random(&race->state, 2);

	if (what == 0) {
		(void)request_set_link(fd, race->index, false);
		(void)request_set_link(fd, race->index, true);
	} else if (what < 14) {
		(void)request_set_address(fd, race->index, addresses[side][n],
					  side ? 64 : 24, there);
	} else {
		const struct request_route route = {
			.destination = check_address(prefixes[side][which]),
			.length = lengths[side][which],
			.gateway = gateways[side][n],
		};

		(void)request_set_route(fd, &route, there);
	}
}

static void *write_burst(void *context)
{
	struct race *race = context;
	unsigned int count = 1 + check_random(&race->state, BURST);

	/* Restores the addresses that an earlier burst may have deleted. */
	(void)request_set_address(race->fd, race->index, "10.9.0.1", 24, true);
	(void)request_set_address(race->fd, race->index, "2001:db8:9::1", 64,
				  true);
	while (count-- > 0)
		change(race, race->fd);
	atomic_store(&race->running, false);
	return NULL;
}

static void dispatch(struct race *race)
{
	if (reach_monitor_dispatch(race->monitor) < 0)
		abort();
	(void)answer_changes(race->monitor);
}

static struct reach_address address_of(size_t i)
{
	char text[64];

	if (i % 2)
		snprintf(text, sizeof(text), "2001:db8:%s::%zx",
			 i % 4 == 1 ? "ffff" : "eeee", i / 4 + 1);
	else
		snprintf(text, sizeof(text), "198.51.%d.%zu", i % 4 ? 100 : 7,
			 i / 4 + 1);
	return check_address(text);
}

static struct reach_monitor *watch(size_t count, uint32_t receive_buffer,
				   uint64_t *ids)
{
	struct reach_target target = check_target(REACH_TARGET_ADDRESS, NULL);
	struct reach_monitor_options options;
	struct reach_monitor *monitor;

	reach_monitor_options_init(&options);
	options.receive_buffer = receive_buffer;
	if (reach_monitor_open(&monitor, &options))
		abort();
	for (size_t i = 0; i < count; i++) {
		target.remote = address_of(i);
		CHECK(reach_monitor_add(monitor, &target, &ids[i]) == 0);
	}
	CHECK(reach_monitor_dispatch(monitor) >= 0);
	return monitor;
}

/* The number of states that differ from those of a new monitor. */
static int count_wrong(const struct race *race)
{
	uint64_t ids[TARGETS_MAX];
	SCOPED_MONITOR *fresh = watch(race->count, 0, ids);
	int wrong = 0;

	for (size_t i = 0; i < race->count; i++) {
		const struct reach_state ours =
			answer_state(race->monitor, race->ids[i]);
		const struct reach_state theirs = answer_state(fresh, ids[i]);

		wrong += !answer_is_same(&ours, &theirs);
	}
	return wrong;
}

static void settle(struct race *race)
{
	do
		dispatch(race);
	while (check_readable(reach_monitor_fd(race->monitor)));
}

static bool run_burst(struct race *race)
{
	struct pollfd more = { .fd = reach_monitor_fd(race->monitor),
			       .events = POLLIN };
	pthread_t writer;
	int wrong;

	atomic_store(&race->running, true);
	if (pthread_create(&writer, NULL, write_burst, race))
		return false;
	while (atomic_load(&race->running))
		dispatch(race);
	pthread_join(writer, NULL);
	settle(race);
	/* The kernel reports carriers and IPv6 addresses with a delay
	 * (linkwatch, addrconf). States that are really stale get no more
	 * events. */
	while ((wrong = count_wrong(race)) && poll(&more, 1, 2000) == 1)
		settle(race);
	race->stale += wrong;
	return true;
}

static uint64_t events(const struct race *race)
{
	return answer_stats(race->monitor).events;
}

/* Runs bursts until the monitor has taken @wanted events, with @count
 * targets. */
static void run(struct race *race, size_t count, uint32_t receive_buffer,
		uint64_t wanted)
{
	race->stale = 0;
	race->count = count;
	race->monitor = watch(count, receive_buffer, race->ids);
	settle(race);
	while (events(race) < wanted && run_burst(race))
		;
	CHECK(events(race) >= wanted);
	if (!CHECK(race->stale == 0))
		fprintf(stderr,
			"%d verdicts of %zu targets stale in %llu events\n",
			race->stale, count, (unsigned long long)events(race));
	reach_monitor_close(race->monitor);
}

static void race_with_kernel(void *context)
{
	const char *text = getenv("REACH_RACE_EVENTS");
	const uint64_t wanted = text ? strtoull(text, NULL, 10) : EVENTS;
	struct race race = { .state = wanted };

	(void)context;
	race.fd = request_open();
	/* Indices vary: some modules add links to each namespace (gre0). */
	race.index = if_nametoindex("e0");
	/* The engine looks up few targets differently from many. */
	run(&race, 8, 0, wanted / 2);
	run(&race, TARGETS_MAX, 0, wanted / 4);
	run(&race, 80, 4096, wanted / 4);
	close(race.fd);
}

void test_race(void)
{
	static const struct topology cable = {
		"a race with the kernel", { "link set lo up", PLAIN_CABLE }
	};

	answer_in(&cable, race_with_kernel, NULL);
}
