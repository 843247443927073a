/* SPDX-License-Identifier: MIT */
#include <reach/monitor.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "monitor/answer.h"

#define DESCRIPTORS_MAX 1024

/* Memory that a resolver's worker threads use is static here, because a test
 * can't know when a resolver's last call ends. */

/* Whether @thread waits in poll(); a negative errno if that can't be found
 * out. */
static int is_polling(pid_t thread)
{
	char path[64], text[32];
	ssize_t size;
	long call;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", (int)thread);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	size = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (size < 0)
		return -EIO;
	text[size] = '\0';
	/* The text is "running" if the thread isn't in a system call. */
	if (sscanf(text, "%ld", &call) != 1)
		return 0;
#ifdef SYS_poll
	if (call == SYS_poll)
		return 1;
#endif
	return call == SYS_ppoll;
}

/* Replaces each netlink socket by /dev/null. */
static void break_sockets(void)
{
	const int none = open("/dev/null", O_RDONLY | O_CLOEXEC);

	for (int fd = 0; fd < DESCRIPTORS_MAX; fd++) {
		socklen_t size = sizeof(int);
		int domain;

		if (!getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) &&
		    domain == AF_NETLINK)
			dup3(none, fd, O_CLOEXEC);
	}
	close(none);
}

struct asker {
	pid_t thread;
	int error;
};

/* Waits until the caller has its first state and polls for a better one. Then
 * breaks its sockets. */
static int resolve_and_break(void *context, const char *name,
			     struct reach_address *addresses, size_t capacity)
{
	struct asker *asker = context;

	(void)name;
	(void)addresses;
	(void)capacity;
	while (!(asker->error = is_polling(asker->thread)))
		sched_yield();
	break_sockets();
	return 0;
}

static void a_check_that_fails_late_leaves_the_state_alone(void)
{
	static struct asker asker;
	struct reach_monitor_options options;
	struct reach_state state, before;
	struct reach_target target =
		check_target(REACH_TARGET_NAME, "a.example");

	asker.thread = gettid();
	if (is_polling(asker.thread) < 0) {
		check_skip("a check that fails late", -ENOSYS);
		return;
	}
	memset(&state, 0x5a, sizeof(state));
	state.size = sizeof(state);
	before = state;
	reach_monitor_options_init(&options);
	options.resolve = resolve_and_break;
	options.resolve_context = &asker;
	CHECK(reach_check(&target, &options, -1, &state) == -ENOTSOCK);
	CHECK(asker.error == 1);
	CHECK(!memcmp(&state, &before, sizeof(state)));
}

/* Adds a name to @monitor. Returns whether it gets resolved. */
static bool resolves(struct reach_monitor *monitor, const char *name)
{
	return answer_await_resolved(
		monitor, answer_watch(monitor, REACH_TARGET_NAME, name));
}

static int note_netns(void *context, const char *name,
		      struct reach_address *addresses, size_t capacity)
{
	unsigned long *netns = context;

	(void)name;
	(void)addresses;
	(void)capacity;
	*netns = check_netns();
	return 0;
}

static int names_are_resolved_where_the_thread_is(void *context)
{
	static unsigned long netns;
	SCOPED_MONITOR *monitor = answer_open(note_netns, &netns);

	(void)context;
	CHECK(resolves(monitor, "a.example"));
	CHECK(netns == check_netns());
	return 0;
}

/* The descriptors that are open now. */
static void list_descriptors(bool open[DESCRIPTORS_MAX])
{
	for (int fd = 0; fd < DESCRIPTORS_MAX; fd++)
		open[fd] = fcntl(fd, F_GETFD) >= 0;
}

static void exec_closes_all_descriptors(void)
{
	bool before[DESCRIPTORS_MAX], after[DESCRIPTORS_MAX];
	static unsigned long netns;
	SCOPED_MONITOR *monitor = NULL;
	int opened = 0, closed = 0;

	list_descriptors(before);
	monitor = answer_open(note_netns, &netns);
	CHECK(resolves(monitor, "a.example"));
	list_descriptors(after);
	for (int fd = 0; fd < DESCRIPTORS_MAX; fd++) {
		if (before[fd] || !after[fd])
			continue;
		opened++;
		closed += (fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0;
	}
	/* epoll, events, lookups, kick, timer, clock, resolver, watch. */
	CHECK(opened >= 8 && closed == opened);
}

/* The descriptors are copies, but share the parent's epoll, sockets, and
 * timers. */
static int open_own(void *context)
{
	struct reach_monitor *own;

	(void)context;
	for (int fd = 3; fd < DESCRIPTORS_MAX; fd++)
		close(fd);
	return reach_monitor_open(&own, NULL) ? 1 : 0;
}

static void a_child_that_leaves_it_alone_does_no_harm(void)
{
	static unsigned long netns;
	SCOPED_MONITOR *monitor = answer_open(note_netns, &netns);

	CHECK(resolves(monitor, "a.example"));
	CHECK(check_in_child(open_own, NULL) == 0);
	CHECK(resolves(monitor, "b.example"));
	reach_monitor_refresh(monitor);
	CHECK(check_readable(reach_monitor_fd(monitor)));
	CHECK(reach_monitor_dispatch(monitor) >= 0);
}

static int open_with(const struct reach_monitor_options *options)
{
	struct reach_monitor *monitor;
	const int err = reach_monitor_open(&monitor, options);

	if (!err)
		reach_monitor_close(monitor);
	return err;
}

static void bad_options_are_refused(void)
{
	struct reach_monitor_options options;

	reach_monitor_options_init(&options);
	options.netns_fd = -2;
	CHECK(open_with(&options) == -EINVAL);
	options.netns_fd = -1;
	CHECK(open_with(&options) == 0);
	options.once = 2;
	CHECK(open_with(&options) == -EINVAL);
	options.once = 0;
	options.reserved = 1;
	CHECK(open_with(&options) == -EINVAL);
}

void test_monitor(void)
{
	bad_options_are_refused();
	check_in_netns("names in a namespace",
		       names_are_resolved_where_the_thread_is, NULL);
	exec_closes_all_descriptors();
	a_child_that_leaves_it_alone_does_no_harm();
	a_check_that_fails_late_leaves_the_state_alone();
}
