/* SPDX-License-Identifier: MIT */
// A dispatch does a bounded amount of work, whatever the number of targets and
// events. If there is more to do, the descriptor stays readable. Other calls
// work between two dispatches. Events between two dispatches cause at most one
// change per target.
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "monitor/answer.h"
#include "monitor/request.h"

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
	struct reach_monitor *monitor;
	uint64_t id, first = 0;
	uint32_t i;

	if (!CHECK(reach_monitor_open(&monitor, NULL) == 0))
		return;
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
	reach_monitor_close(monitor);
}

/* Adds or deletes a route to 11.0.0.0/8 over e0. */
static bool change_route(int fd, bool there)
{
	const struct request_route route = {
		.destination = { .family = AF_INET, .bytes = { 11 } },
		.length = 8,
		.output = if_nametoindex("e0"),
	};

	return !request_set_route(fd, &route, there);
}

static void dispatch_to_the_end(struct reach_monitor *monitor)
{
	do
		CHECK(reach_monitor_dispatch(monitor) >= 0);
	while (check_readable(reach_monitor_fd(monitor)));
}

/* Adds and deletes the route in turn, @count changes in all. */
static void change_often(int fd, int count)
{
	for (int i = 0; i < count; i++)
		CHECK(change_route(fd, i % 2 == 0));
}

/* With one target, and with so many that one lookup stands for all. */
static void changes_become_one(uint32_t targets)
{
	const int fd = request_open();
	struct reach_monitor *monitor;
	uint64_t id;
	uint32_t i;

	if (!CHECK(reach_monitor_open(&monitor, NULL) == 0))
		return;
	for (i = 0; i < targets; i++)
		CHECK(add(monitor, i, &id) == 0);
	dispatch_to_the_end(monitor);
	CHECK(answer_changes(monitor) == targets);
	/* The route is added and deleted several times: no change. */
	change_often(fd, 6);
	dispatch_to_the_end(monitor);
	CHECK(answer_changes(monitor) == 0);
	/* The route exists at the end: one change per target. */
	change_often(fd, 5);
	dispatch_to_the_end(monitor);
	CHECK(answer_changes(monitor) == targets);
	/* Dispatched after each event, but changes are taken only once. */
	for (i = 0; i < 6; i++) {
		CHECK(change_route(fd, i % 2));
		dispatch_to_the_end(monitor);
	}
	CHECK(answer_changes(monitor) == 0);
	CHECK(change_route(fd, false));
	dispatch_to_the_end(monitor);
	CHECK(answer_changes(monitor) == targets);
	reach_monitor_close(monitor);
	close(fd);
}

/* The namespace ends with the thread. */
static int try_in_namespace(void *context)
{
	(void)context;
	CHECK(answer_plug_in());
	changes_become_one(1);
	changes_become_one(1000);
	much_is_done_in_shares(false);
	much_is_done_in_shares(true);
	return 0;
}

void test_fairness(void)
{
	check_in_netns("fairness", try_in_namespace, NULL);
}
