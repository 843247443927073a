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

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>

#include "check.h"
#include "monitor/answer.h"
#include "monitor/monitor.h"

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

static struct reach_stats stats_of(const struct reach_monitor *monitor)
{
	struct reach_stats stats = { .size = sizeof(stats) };

	(void)reach_monitor_stats(monitor, &stats);
	return stats;
}

static int add(struct reach_monitor *monitor, uint32_t number, uint64_t *id)
{
	struct reach_target target;

	reach_target_init(&target, REACH_TARGET_ADDRESS);
	target.remote.family = AF_INET;
	target.remote.bytes[0] = 11;
	target.remote.bytes[1] = (uint8_t)(number >> 16);
	target.remote.bytes[2] = (uint8_t)(number >> 8);
	target.remote.bytes[3] = (uint8_t)number;
	return reach_monitor_add(monitor, &target, id);
}

static size_t drain(struct reach_monitor *monitor)
{
	struct reach_change change = { .size = sizeof(change) };
	size_t count = 0;

	while (reach_monitor_next(monitor, &change) == 1)
		count++;
	return count;
}

/* Dispatches once. Returns the number of changes. */
static size_t dispatch_some(struct check *check, struct reach_monitor *monitor)
{
	const struct reach_stats before = stats_of(monitor);
	struct reach_stats after;

	CHECK(check, reach_monitor_dispatch(monitor) >= 0);
	after = stats_of(monitor);
	CHECK(check, after.lookups - before.lookups <= LOOKUPS_MAX);
	CHECK(check, after.events - before.events <= EVENTS_MAX);
	return drain(monitor);
}

/* Dispatches until @wanted changes have come. Until then the descriptor must be
 * readable. Returns the number of dispatches. */
static int dispatch_all(struct check *check, struct reach_monitor *monitor,
			size_t wanted)
{
	struct reach_state state = { .size = sizeof(state) };
	size_t told = 0;
	int dispatches = 0;
	uint64_t id;

	while (told < wanted) {
		if (!CHECK(check, check_readable(reach_monitor_fd(monitor))))
			break;
		told += dispatch_some(check, monitor);
		dispatches++;
		CHECK(check, add(monitor, TARGETS, &id) == 0);
		CHECK(check,
		      reach_monitor_state(monitor, id, &state) == -EAGAIN);
		CHECK(check, reach_monitor_remove(monitor, id) == 0);
	}
	CHECK(check, told == wanted);
	return dispatches;
}

static void much_is_done_in_shares(struct check *check, bool in_storm)
{
	struct storm storm = { .over = false };
	struct reach_monitor *monitor;
	uint64_t id, first = 0;
	uint32_t i;

	if (!CHECK(check, reach_monitor_open(&monitor, NULL) == 0))
		return;
	for (i = 0; i < TARGETS; i++)
		CHECK(check, add(monitor, i, i ? &id : &first) == 0);
	if (in_storm)
		CHECK(check,
		      pthread_create(&storm.thread, NULL, blow, &storm) == 0);
	CHECK(check,
	      dispatch_all(check, monitor, TARGETS) >= TARGETS / LOOKUPS_MAX);
	/* All targets are looked up again, and none changes. */
	reach_monitor_refresh(monitor);
	for (i = 0; i < TARGETS / LOOKUPS_MAX; i++)
		CHECK(check, dispatch_some(check, monitor) == 0);
	atomic_store(&storm.over, true);
	if (in_storm)
		pthread_join(storm.thread, NULL);
	while (check_readable(reach_monitor_fd(monitor)))
		CHECK(check, dispatch_some(check, monitor) == 0);
	CHECK(check, stats_of(monitor).lookups >= 2 * (uint64_t)TARGETS);
	CHECK(check, reach_monitor_remove(monitor, first) == 0);
	reach_monitor_close(monitor);
}

/* Adds or deletes a route to 11.0.0.0/8 over e0. */
static bool change_route(struct mnl_socket *socket, uint16_t type)
{
	const uint8_t destination[4] = { 11 };
	_Alignas(8) uint8_t buffer[512];
	struct nlmsghdr *header = mnl_nlmsg_put_header(buffer);
	struct rtmsg *body;
	ssize_t size;

	header->nlmsg_type = type;
	header->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE;
	body = mnl_nlmsg_put_extra_header(header, sizeof(*body));
	body->rtm_family = AF_INET;
	body->rtm_dst_len = 8;
	body->rtm_table = RT_TABLE_MAIN;
	body->rtm_protocol = RTPROT_STATIC;
	body->rtm_scope = RT_SCOPE_LINK;
	body->rtm_type = RTN_UNICAST;
	mnl_attr_put(header, RTA_DST, sizeof(destination), destination);
	mnl_attr_put_u32(header, RTA_OIF, if_nametoindex("e0"));
	if (mnl_socket_sendto(socket, header, header->nlmsg_len) < 0)
		return false;
	size = mnl_socket_recvfrom(socket, buffer, sizeof(buffer));
	return size > 0 && header->nlmsg_type == NLMSG_ERROR &&
	       ((struct nlmsgerr *)mnl_nlmsg_get_payload(header))->error == 0;
}

static void dispatch_to_the_end(struct check *check,
				struct reach_monitor *monitor)
{
	do
		CHECK(check, reach_monitor_dispatch(monitor) >= 0);
	while (check_readable(reach_monitor_fd(monitor)));
}

/* Adds and deletes the route in turn, @count changes in all. */
static void change_often(struct check *check, struct mnl_socket *socket,
			 int count)
{
	for (int i = 0; i < count; i++)
		CHECK(check, change_route(socket,
					  i % 2 ? RTM_DELROUTE : RTM_NEWROUTE));
}

/* With one target, and with so many that one lookup stands for all. */
static void changes_become_one(struct check *check, uint32_t targets)
{
	struct mnl_socket *socket = mnl_socket_open(NETLINK_ROUTE);
	struct reach_monitor *monitor;
	uint64_t id;
	uint32_t i;

	if (!CHECK(check, socket && !mnl_socket_bind(socket, 0, 0)) ||
	    !CHECK(check, reach_monitor_open(&monitor, NULL) == 0))
		return;
	for (i = 0; i < targets; i++)
		CHECK(check, add(monitor, i, &id) == 0);
	dispatch_to_the_end(check, monitor);
	CHECK(check, drain(monitor) == targets);
	/* The route is added and deleted several times: no change. */
	change_often(check, socket, 6);
	dispatch_to_the_end(check, monitor);
	CHECK(check, drain(monitor) == 0);
	/* The route exists at the end: one change per target. */
	change_often(check, socket, 5);
	dispatch_to_the_end(check, monitor);
	CHECK(check, drain(monitor) == targets);
	/* Dispatched after each event, but changes are taken only once. */
	for (i = 0; i < 6; i++) {
		CHECK(check, change_route(socket,
					  i % 2 ? RTM_NEWROUTE : RTM_DELROUTE));
		dispatch_to_the_end(check, monitor);
	}
	CHECK(check, drain(monitor) == 0);
	CHECK(check, change_route(socket, RTM_DELROUTE));
	dispatch_to_the_end(check, monitor);
	CHECK(check, drain(monitor) == targets);
	reach_monitor_close(monitor);
	mnl_socket_close(socket);
}

/* The namespace ends with the thread. */
static int try_in_namespace(void *context)
{
	struct check *check = context;

	CHECK(check, answer_plug_in());
	changes_become_one(check, 1);
	changes_become_one(check, 1000);
	much_is_done_in_shares(check, false);
	much_is_done_in_shares(check, true);
	return 0;
}

void test_fairness(struct check *check)
{
	check_in_netns(check, "fairness", try_in_namespace, check);
}
