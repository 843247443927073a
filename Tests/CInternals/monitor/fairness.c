/* SPDX-License-Identifier: MIT */
/*
 * A dispatch does a bounded amount of work, whatever the number of targets and
 * events. If there is more to do, the descriptor stays readable. Other calls
 * work between two dispatches.
 */
#include <errno.h>
#include <net/if.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "monitor/answer.h"

#define TARGETS 100000

/* The most lookups of one dispatch: its batches of 128 requests, and two more
 * to finish the last ones. */
#define LOOKUPS_MAX ((REACH_BATCHES_MAX + 2) * 128)
#define EVENTS_MAX  (2 * REACH_RECEIVES_MAX)

struct storm {
	pthread_t thread;
	atomic_bool over;
};

/* Each change of the MTU is an event that passes every filter and affects no
 * target. */
static void *blow(void *argument)
{
	struct storm *storm = argument;
	struct ifreq request = { .ifr_name = "lo" };
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	while (!atomic_load(&storm->over)) {
		request.ifr_mtu = request.ifr_mtu == 2000 ? 3000 : 2000;
		if (ioctl(fd, SIOCSIFMTU, &request))
			break;
	}
	close(fd);
	return NULL;
}

static int add(struct reach_monitor *monitor, uint32_t number, uint64_t *id)
{
	struct reach_target target = check_target(REACH_TARGET_ADDRESS, NULL);

	target.remote.family = AF_INET;
	target.remote.bytes[0] = 11;
	target.remote.bytes[1] = (uint8_t)(number >> 16);
	target.remote.bytes[2] = (uint8_t)(number >> 8);
	target.remote.bytes[3] = (uint8_t)number;
	return reach_monitor_add(monitor, &target, id);
}

/* Dispatches once. Returns the number of changes. */
static size_t dispatch_some(struct reach_monitor *monitor)
{
	const struct reach_stats before = answer_stats(monitor);
	struct reach_stats after;

	CHECK(reach_monitor_dispatch(monitor) >= 0);
	after = answer_stats(monitor);
	CHECK(after.lookups - before.lookups <= LOOKUPS_MAX);
	CHECK(after.events - before.events <= EVENTS_MAX);
	return answer_changes(monitor);
}

/* Dispatches until @wanted changes have come. Until then the descriptor must be
 * readable. Returns the number of dispatches. */
static int dispatch_all(struct reach_monitor *monitor, size_t wanted)
{
	struct reach_state state = { .size = sizeof(state) };
	size_t told = 0;
	int dispatches = 0;
	uint64_t id;

	while (told < wanted) {
		if (!CHECK(check_readable(reach_monitor_fd(monitor))))
			break;
		told += dispatch_some(monitor);
		dispatches++;
		CHECK(add(monitor, TARGETS, &id) == 0);
		CHECK(reach_monitor_state(monitor, id, &state) == -EAGAIN);
		CHECK(reach_monitor_remove(monitor, id) == 0);
	}
	CHECK(told == wanted);
	return dispatches;
}

static void much_is_done_in_shares(bool in_storm)
{
	struct storm storm = { .over = false };
	SCOPED_MONITOR *monitor = answer_open(NULL, NULL);
	uint64_t id, first = 0;
	uint32_t i;

	for (i = 0; i < TARGETS; i++)
		CHECK(add(monitor, i, i ? &id : &first) == 0);
	if (in_storm)
		CHECK(pthread_create(&storm.thread, NULL, blow, &storm) == 0);
	CHECK(dispatch_all(monitor, TARGETS) >= TARGETS / LOOKUPS_MAX);
	/* All targets are looked up again, and none changes. */
	reach_monitor_refresh(monitor);
	for (i = 0; i < TARGETS / LOOKUPS_MAX; i++)
		CHECK(dispatch_some(monitor) == 0);
	atomic_store(&storm.over, true);
	if (in_storm)
		pthread_join(storm.thread, NULL);
	while (check_readable(reach_monitor_fd(monitor)))
		CHECK(dispatch_some(monitor) == 0);
	CHECK(answer_stats(monitor).lookups >= 2 * (uint64_t)TARGETS);
	CHECK(reach_monitor_remove(monitor, first) == 0);
}

/* The namespace ends with the thread. */
static int try_in_namespace(void *context)
{
	(void)context;
	CHECK(answer_plug_in());
	much_is_done_in_shares(false);
	much_is_done_in_shares(true);
	return 0;
}

void test_fairness(void)
{
	check_in_netns("fairness", try_in_namespace, NULL);
}
