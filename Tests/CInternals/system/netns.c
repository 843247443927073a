/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"
#include "system/system.h"

struct seen {
	unsigned long netns;
	pthread_t thread;
	bool blocked;
	int runs;
};

static int look(void *context)
{
	struct seen *seen = context;

	seen->netns = check_netns();
	seen->thread = pthread_self();
	seen->blocked = check_signals_blocked();
	seen->runs++;
	return 42;
}

static void without_a_namespace_it_is_a_call(void)
{
	struct seen seen = { 0 };

	CHECK(reach_netns_run(-1, look, &seen) == 42);
	CHECK(seen.runs == 1);
	CHECK(pthread_equal(seen.thread, pthread_self()));
}

static void the_thread_enters_and_the_caller_stays(int netns)
{
	unsigned long before = check_netns();
	struct seen seen = { 0 };

	CHECK(reach_netns_run(netns, look, &seen) == 42);
	CHECK(seen.runs == 1);
	CHECK(seen.netns == check_netns_of(netns));
	CHECK(seen.netns != before && check_netns() == before);
	CHECK(seen.blocked && !check_signals_blocked());
}

static void what_is_no_namespace_is_refused(void)
{
	struct seen seen = { 0 };
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	CHECK(reach_netns_run(fd, look, &seen) == -EINVAL);
	close(fd);
	CHECK(reach_netns_run(fd, look, &seen) == -EBADF);
	CHECK(reach_netns_run(-2, look, &seen) == -EBADF);
	CHECK(seen.runs == 0);
}

/* The raw system call changes only the calling thread's uid. Without uid 0 the
 * thread has no CAP_SYS_ADMIN. */
static int run_without_privilege(void *context)
{
	struct seen seen = { 0 };

	if (geteuid() == 0 && syscall(SYS_setresuid, 65534, 65534, 65534))
		return -errno;
	return reach_netns_run(*(int *)context, look, &seen);
}

static void without_privilege_it_is_refused(void)
{
	int fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);

	CHECK(check_on_thread(run_without_privilege, &fd) == -EPERM);
	close(fd);
}

void test_netns(void)
{
	int netns = check_new_netns();

	without_a_namespace_it_is_a_call();
	what_is_no_namespace_is_refused();
	without_privilege_it_is_refused();
	if (netns < 0) {
		check_skip("entering a network namespace", netns);
		return;
	}
	the_thread_enters_and_the_caller_stays(netns);
	close(netns);
}
