/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include "check.h"
#include "monitor/monitor.h"

/* Sends @count bad requests from the event socket, so that the kernel queues as
 * many answers on it. */
static int fill(int fd, int count)
{
	struct {
		struct nlmsghdr header;
		struct ifinfomsg link;
	} request = {
		.header = { .nlmsg_len = sizeof(request),
			    .nlmsg_type = RTM_GETLINK,
			    .nlmsg_flags = NLM_F_REQUEST },
		.link = { .ifi_index = INT_MAX },
	};

	while (count-- > 0)
		if (send(fd, &request, sizeof(request), 0) < 0)
			return -errno;
	return 0;
}

/* Puts @count datagrams in the queue, and loses one that doesn't fit. */
static int overrun(int fd, int count)
{
	const int none = 0, enough = 64 * 1024 * 1024;
	int error;

	/* The filter may drop datagrams that aren't events. */
	(void)setsockopt(fd, SOL_SOCKET, SO_DETACH_FILTER, &none, sizeof(none));
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &enough, sizeof(enough)))
		return -errno;
	error = fill(fd, count);
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &none, sizeof(none));
	return error ? error : fill(fd, 1);
}

static uint64_t dumps(const struct reach_monitor *monitor)
{
	struct reach_stats stats = { .size = sizeof(stats) };

	return reach_monitor_stats(monitor, &stats) ? 0 : stats.dumps;
}

/* One receive reports the loss. So with this many datagrams, a dispatch's last
 * receive is the one that empties the queue. */
#define ROUND (REACH_RECEIVES_MAX - 1)

static void an_overrun_is_made_good_wherever_the_queue_ends(struct check *check)
{
	static const int counts[] = { 16, ROUND - 1, ROUND, ROUND + 1 };

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		struct reach_monitor *monitor;
		uint64_t before;
		int error;

		if (!CHECK(check, reach_monitor_open(&monitor, NULL) == 0))
			return;
		CHECK(check, reach_monitor_dispatch(monitor) == 0);
		before = dumps(monitor);
		error = overrun(monitor->events, counts[i]);
		if (error == -EPERM) {
			check_skip(check, "a large receive buffer", error);
		} else {
			CHECK(check, error == 0);
			CHECK(check, reach_monitor_dispatch(monitor) == 0);
			CHECK(check,
			      !check_readable(reach_monitor_fd(monitor)));
			CHECK(check, dumps(monitor) >= before + 2);
		}
		reach_monitor_close(monitor);
	}
}

/* Called once, after this thread's next send(). */
static _Thread_local void (*after_send)(void);

_Thread_local bool (*answer_refuses)(const void *bytes, size_t size);

/* Replaces libc's. The kernel has answered the request when the system call
 * returns. */
ssize_t send(int fd, const void *bytes, size_t size, int flags)
{
	void (*next)(void) = after_send;
	ssize_t sent;

	if (answer_refuses && answer_refuses(bytes, size)) {
		errno = EOPNOTSUPP;
		return -1;
	}
	sent = syscall(SYS_sendto, fd, bytes, size, flags, NULL, 0);
	after_send = NULL;
	if (next)
		next();
	return sent;
}

/* A socket whose receives fail with ENOBUFS in this thread; 0 for none. */
static _Thread_local int full;

/* Replaces libc's. */
ssize_t recvfrom(int fd, void *bytes, size_t size, int flags,
		 struct sockaddr *sender, socklen_t *length)
{
	if (full && fd == full) {
		errno = ENOBUFS;
		return -1;
	}
	return syscall(SYS_recvfrom, fd, bytes, size, flags, sender, length);
}

static int removed;

static void remove_routes(void)
{
	removed = system("ip route del 8.8.0.0/16 && ip route del default");
}

/* Dispatches until there is nothing to do. Returns the flags last reported, or
 * @flags if there were none. */
static uint32_t settle(struct reach_monitor *monitor, uint32_t flags)
{
	struct reach_change change = { .size = sizeof(change) };

	while (check_readable(reach_monitor_fd(monitor))) {
		if (reach_monitor_dispatch(monitor) < 0)
			return UINT32_MAX;
		while (reach_monitor_next(monitor, &change) == 1)
			flags = change.state.flags;
	}
	return flags;
}

struct late {
	uint32_t before;
	uint32_t after;
	int queued;
	bool readable;
	uint64_t events;
};

static struct reach_monitor *watch_address(const char *address)
{
	struct reach_monitor *monitor;
	struct reach_target target;
	uint64_t id;

	reach_target_init(&target, REACH_TARGET_ADDRESS);
	if (reach_address_parse(address, &target.remote) ||
	    reach_monitor_open(&monitor, NULL))
		return NULL;
	if (reach_monitor_add(monitor, &target, &id) == 0)
		return monitor;
	reach_monitor_close(monitor);
	return NULL;
}

/* Runs on a thread that leaves the process's namespace. */
static int lose_routes_when_asked(void *context)
{
	struct reach_change change = { .size = sizeof(change) };
	struct late *late = context;
	struct reach_monitor *monitor;

	if (unshare(CLONE_NEWNET))
		return -errno;
	if (system("ip link add v0 type veth peer name v1 && "
		   "ip link set v1 up && ip link set v0 up && "
		   "ip addr add 10.9.0.1/24 dev v0 && "
		   "ip route add default via 10.9.0.2"))
		return -EPERM;
	monitor = watch_address("8.8.8.8");
	if (!monitor)
		return -EIO;
	late->before = settle(monitor, UINT32_MAX);
	if (system("ip route add 8.8.0.0/16 via 10.9.0.2"))
		return -EIO;
	after_send = remove_routes;
	late->queued = reach_monitor_dispatch(monitor);
	late->after = reach_monitor_next(monitor, &change) == 1
			      ? change.state.flags
			      : UINT32_MAX;
	reach_monitor_close(monitor);
	return removed;
}

static void an_event_after_the_answers_is_no_surprise(struct check *check)
{
	struct late late = { 0 };
	const int error = check_on_thread(lose_routes_when_asked, &late);

	if (error == -EPERM) {
		check_skip(check, "a thread in a namespace of its own", error);
		return;
	}
	CHECK(check, error == 0);
	CHECK(check, late.before == REACH_FLAG_REACHABLE);
	CHECK(check, late.queued == 1 && late.after == 0);
}

#define EVENTS 48

/* Runs on a thread that leaves the process's namespace. */
static int take_many(void *context)
{
	struct reach_stats stats = { .size = sizeof(stats) };
	struct late *late = context;
	struct reach_monitor *monitor;
	const int none = 0;
	uint64_t before;

	if (unshare(CLONE_NEWNET))
		return -errno;
	monitor = watch_address("8.8.8.8");
	if (!monitor)
		return -EIO;
	settle(monitor, 0);
	(void)setsockopt(monitor->events, SOL_SOCKET, SO_DETACH_FILTER, &none,
			 sizeof(none));
	(void)reach_monitor_stats(monitor, &stats);
	before = stats.events;
	if (fill(monitor->events, EVENTS))
		return -EIO;
	late->queued = reach_monitor_dispatch(monitor);
	(void)reach_monitor_stats(monitor, &stats);
	late->events = stats.events - before;
	late->readable = check_readable(reach_monitor_fd(monitor));
	reach_monitor_close(monitor);
	return 0;
}

static void a_dispatch_takes_all_events(struct check *check)
{
	struct late late = { 0 };
	const int error = check_on_thread(take_many, &late);

	if (error == -EPERM) {
		check_skip(check, "a thread in a namespace of its own", error);
		return;
	}
	CHECK(check, error == 0 && late.queued == 0);
	CHECK(check, late.events == EVENTS && !late.readable);
}

static void a_dispatch_ends_though_no_answer_finds_room(struct check *check)
{
	struct reach_state state = { .size = sizeof(state) };
	struct reach_monitor *monitor;
	struct reach_target target;
	uint64_t ids[4];

	if (!CHECK(check, reach_monitor_open(&monitor, NULL) == 0))
		return;
	reach_target_init(&target, REACH_TARGET_ADDRESS);
	reach_address_parse("127.0.0.1", &target.remote);
	for (size_t i = 0; i < 4; i++)
		CHECK(check, reach_monitor_add(monitor, &target, &ids[i]) == 0);
	full = monitor->lookups;
	CHECK(check, reach_monitor_dispatch(monitor) >= 0);
	full = 0;
	CHECK(check, reach_monitor_state(monitor, ids[0], &state) == 0);
	CHECK(check, state.reason == REACH_REASON_REFUSED);
	/* A second later, all lookups are repeated. */
	while (state.reason == REACH_REASON_REFUSED &&
	       CHECK(check, check_wait(reach_monitor_fd(monitor)))) {
		CHECK(check, reach_monitor_dispatch(monitor) >= 0);
		CHECK(check, !reach_monitor_state(monitor, ids[0], &state));
	}
	reach_monitor_close(monitor);
}

void test_dispatch(struct check *check)
{
	a_dispatch_ends_though_no_answer_finds_room(check);
	an_event_after_the_answers_is_no_surprise(check);
	a_dispatch_takes_all_events(check);
	an_overrun_is_made_good_wherever_the_queue_ends(check);
}
