/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include "monitor/answer.h"

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

/* One receive reports the loss. So with this many datagrams, a dispatch's last
 * receive is the one that empties the queue. */
#define ROUND (REACH_RECEIVES_MAX - 1)

static void an_overrun_is_made_good_wherever_the_queue_ends(void)
{
	static const int counts[] = { 16, ROUND - 1, ROUND, ROUND + 1 };

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		SCOPED_MONITOR *monitor = answer_open(NULL, NULL);
		uint64_t before;
		int error;

		CHECK(reach_monitor_dispatch(monitor) == 0);
		before = answer_stats(monitor).dumps;
		error = overrun(monitor->events, counts[i]);
		if (error == -EPERM) {
			check_skip("a large receive buffer", error);
		} else {
			CHECK(error == 0);
			CHECK(reach_monitor_dispatch(monitor) == 0);
			CHECK(!check_readable(reach_monitor_fd(monitor)));
			CHECK(answer_stats(monitor).dumps >= before + 2);
		}
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
	const bool is_full = full && fd == full;
	const ssize_t received = is_full ? -1
					 : syscall(SYS_recvfrom, fd, bytes,
						   size, flags, sender, length);

	if (is_full || (received > 0 && answer_refuses &&
			answer_refuses(bytes, (size_t)received))) {
		errno = is_full ? ENOBUFS : EINVAL;
		return -1;
	}
	return received;
}

static void remove_routes(void)
{
	CHECK(answer_ip("route del 8.8.0.0/16"));
	CHECK(answer_ip("route del default"));
}

static void an_event_after_the_answers_is_no_surprise(void *context)
{
	struct reach_change change = { .size = sizeof(change) };
	SCOPED_MONITOR *monitor = answer_open(NULL, NULL);
	uint64_t id;

	(void)context;
	id = answer_watch(monitor, REACH_TARGET_ADDRESS, "8.8.8.8");
	CHECK(answer_await_link(monitor, "e0") && answer_idle(monitor));
	(void)answer_changes(monitor);
	CHECK(answer_state(monitor, id).flags == REACH_FLAG_REACHABLE);
	CHECK(answer_ip("route add 8.8.0.0/16 via 10.9.0.2"));
	after_send = remove_routes;
	CHECK(reach_monitor_dispatch(monitor) == 1);
	CHECK(reach_monitor_next(monitor, &change) == 1);
	CHECK(change.state.flags == 0);
}

static void a_dispatch_ends_though_no_answer_finds_room(void)
{
	SCOPED_MONITOR *monitor = answer_open(NULL, NULL);
	uint64_t id = 0;

	for (size_t i = 0; i < 4; i++)
		id = answer_watch(monitor, REACH_TARGET_ADDRESS, "127.0.0.1");
	full = monitor->lookups;
	CHECK(reach_monitor_dispatch(monitor) >= 0);
	full = 0;
	CHECK(answer_state(monitor, id).reason == REACH_REASON_REFUSED);
	/* A second later, all lookups are repeated. */
	while (answer_state(monitor, id).reason == REACH_REASON_REFUSED &&
	       CHECK(answer_step(monitor)))
		;
}

/* The last timer that the kernel was to cancel when the clock is set. */
static _Thread_local int clock_timer;

/* Replaces libc's. All monitors of a machine look everything up again when its
 * clock is set, which would hide what a test is about. So they notice only on a
 * machine of the tests' own. */
int timerfd_settime(int fd, int flags, const struct itimerspec *value,
		    struct itimerspec *old)
{
	if (flags & TFD_TIMER_CANCEL_ON_SET)
		clock_timer = fd;
	if (!getenv("REACH_OWN_MACHINE"))
		flags &= ~TFD_TIMER_CANCEL_ON_SET;
	return (int)syscall(SYS_timerfd_settime, fd, flags, value, old);
}

static void a_resume_repeats_all_lookups(void *context)
{
	SCOPED_MONITOR *monitor = answer_open(NULL, NULL);
	struct itimerspec time = { .it_value.tv_nsec = 1 };
	uint64_t before;

	(void)context;
	CHECK(clock_timer == monitor->wakeup.clock);
	(void)answer_watch(monitor, REACH_TARGET_ADDRESS, "8.8.8.8");
	CHECK(answer_await_link(monitor, "e0") && answer_idle(monitor));
	(void)answer_changes(monitor);
	before = answer_stats(monitor).lookups;
	if (getenv("REACH_OWN_MACHINE")) {
		CHECK(!clock_gettime(CLOCK_REALTIME, &time.it_value));
		CHECK(!clock_settime(CLOCK_REALTIME, &time.it_value));
	} else {
		CHECK(!timerfd_settime(clock_timer, 0, &time, NULL));
	}
	CHECK(answer_step(monitor) && !answer_changes(monitor));
	CHECK(answer_stats(monitor).lookups > before);
}

void test_dispatch(void)
{
	static const struct topology cable = {
		"an event after the answers",
		{ PLAIN_CABLE, "addr add 10.9.0.1/24 dev e0",
		  "route add default via 10.9.0.2" }
	};

	a_dispatch_ends_though_no_answer_finds_room();
	answer_in(&cable, an_event_after_the_answers_is_no_surprise, NULL);
	answer_in(&cable, a_resume_repeats_all_lookups, NULL);
	an_overrun_is_made_good_wherever_the_queue_ends();
}
