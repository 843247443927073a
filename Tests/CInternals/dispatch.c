/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <limits.h>
#include <sys/socket.h>

#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include "check.h"
#include "monitor_internal.h"

/* Makes the kernel put @count datagrams, each the answer to a bad question,
 * on the event socket itself. */
static int fill(int fd, int count)
{
	struct {
		struct nlmsghdr header;
		struct ifinfomsg link;
	} question = {
		.header = { .nlmsg_len = sizeof(question),
			    .nlmsg_type = RTM_GETLINK,
			    .nlmsg_flags = NLM_F_REQUEST },
		.link = { .ifi_index = INT_MAX },
	};

	while (count-- > 0)
		if (send(fd, &question, sizeof(question), 0) < 0)
			return -errno;
	return 0;
}

/* @count datagrams in the queue, and one more that found no room. */
static int overrun(int fd, int count)
{
	const int none = 0, enough = 64 * 1024 * 1024;
	int error;

	/* A filter may drop what is no event. */
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

/* One receive tells of the loss, so this many datagrams end a round of
 * receives and the queue at the same time. */
#define ROUND ((REACH_RECEIVES_MAX - 1) * REACH_DATAGRAMS)

static void an_overrun_is_made_good_wherever_the_queue_ends(struct check *check)
{
	static const int counts[] = { REACH_DATAGRAMS, ROUND - 1, ROUND,
				      ROUND + 1 };

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

void test_dispatch(struct check *check)
{
	an_overrun_is_made_good_wherever_the_queue_ends(check);
}
