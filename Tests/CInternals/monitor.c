/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "internal.h"

#define DESCRIPTORS_MAX 1024

/* Whether @thread waits in poll(), or a negative errno if nothing tells. */
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
	/* "running" for a thread that is in no call. */
	if (sscanf(text, "%ld", &call) != 1)
		return 0;
#ifdef SYS_poll
	if (call == SYS_poll)
		return 1;
#endif
	return call == SYS_ppoll;
}

/* Puts what is no socket in the place of each rtnetlink socket. */
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

/* Waits until the asker has a first answer and waits for a better one. */
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

static void a_check_that_fails_late_leaves_the_state_alone(struct check *check)
{
	struct asker asker = { .thread = gettid() };
	struct reach_monitor_options options;
	struct reach_state state, before;
	struct reach_target target;

	if (is_polling(asker.thread) < 0) {
		check_skip(check, "what a thread waits in", -ENOSYS);
		return;
	}
	memset(&state, 0x5a, sizeof(state));
	state.size = sizeof(state);
	before = state;
	reach_monitor_options_init(&options);
	options.resolve = resolve_and_break;
	options.resolve_context = &asker;
	reach_target_init(&target, REACH_TARGET_NAME);
	target.name = "a.example";
	CHECK(check, reach_check(&target, &options, -1, &state) == -ENOTSOCK);
	CHECK(check, asker.error == 1);
	CHECK(check, !memcmp(&state, &before, sizeof(state)));
}

void test_monitor(struct check *check)
{
	a_check_that_fails_late_leaves_the_state_alone(check);
}
