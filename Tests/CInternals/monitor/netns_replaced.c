/* SPDX-License-Identifier: MIT */
/* A namespace that is replaced at its path, or whose process ends, while a
 * monitor watches it. */
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "monitor/answer.h"
#include "monitor/monitor.h"
#include "names/script.h"

static int open_own(void)
{
	return open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
}

/* A new namespace, with the other end of the link p0. */
static int open_other(int home)
{
	char command[80];
	int other;

	if (unshare(CLONE_NEWNET))
		return -1;
	other = open_own();
	snprintf(command, sizeof(command),
		 "link add p0 type veth peer name e0 netns /proc/%d/fd/%d",
		 getpid(), other);
	return setns(home, CLONE_NEWNET) || !answer_ip(command) ? -1 : other;
}

static int watch(int netns, const char *path, struct reach_monitor **ret,
		 uint64_t *id)
{
	struct reach_monitor_options options;
	struct reach_target target =
		check_target(REACH_TARGET_NAME, "name.test");
	int err;

	reach_monitor_options_init(&options);
	options.netns_fd = netns;
	options.netns_path = path;
	options.resolve = script_serve;
	err = reach_monitor_open(ret, &options);
	if (err)
		return err;
	/* The resolver's threads are in the namespace, too. */
	return reach_monitor_add(*ret, &target, id);
}

/* Dispatches until the name's resolution has ended, with its thread. */
static bool settle(struct reach_monitor *monitor, uint64_t id)
{
	const bool done = answer_await_resolved(monitor, id);

	if (done)
		check_await_threads();
	return done;
}

/* Dispatches until that fails. */
static int await_end(struct reach_monitor *monitor)
{
	int err = 0;

	while (err >= 0 && check_wait(reach_monitor_fd(monitor)))
		err = reach_monitor_dispatch(monitor);
	return err;
}

/* The kernel deletes a namespace, with p0, after its last user. Then a monitor
 * here has an event. */
static bool await_deletion(struct reach_monitor *here)
{
	while (if_nametoindex("p0"))
		if (!answer_step(here))
			return false;
	return true;
}

/* A path like those of `ip netns`: a link needs no mount. */
static void a_path_is_watched(int home)
{
	char folder[] = "/tmp/1-netns.XXXXXX", path[64], more[40], file[40];
	SCOPED_MONITOR *here = answer_open(NULL, NULL);
	const int other = open_other(home);
	SCOPED_MONITOR *monitor = NULL;
	uint64_t id;

	if (!CHECK(other >= 0 && mkdtemp(folder)))
		return;
	/* Not a file of procfs, and not of process 1. */
	snprintf(path, sizeof(path), "/proc/%d/root%s/blue", getpid(), folder);
	snprintf(more, sizeof(more), "%s/more", folder);
	snprintf(file, sizeof(file), "/proc/%d/fd/%d", getpid(), other);
	CHECK(watch(other, path, &monitor, &id) == -ESTALE);
	CHECK(!symlink(file, path));
	CHECK(!watch(other, path, &monitor, &id) && settle(monitor, id));
	CHECK(!symlink(file, more) && !unlink(more));
	CHECK(check_wait(reach_monitor_fd(monitor)));
	CHECK(reach_monitor_dispatch(monitor) >= 0);
	CHECK(!unlink(path) && !symlink("/proc/self/ns/net", path));
	CHECK(await_end(monitor) == -ESTALE);
	CHECK(reach_monitor_dispatch(monitor) == -ESTALE);
	close(other);
	CHECK(await_deletion(here));
	CHECK(!reach_monitor_remove(monitor, id));
	check_remove_all(folder);
}

/* @file of the process %d, which has the descriptor %d of the namespace, behind
 * a link. @moves: that leads to another process before the first ends. */
static void a_process_is_watched(int home, const char *file, bool moves)
{
	char folder[] = "/tmp/reach-netns.XXXXXX", path[40], link[48];
	SCOPED_MONITOR *here = answer_open(NULL, NULL);
	const int other = open_other(home);
	SCOPED_MONITOR *monitor = NULL;
	uint64_t id = 0;
	pid_t child;

	if (!CHECK(other >= 0 && mkdtemp(folder)))
		return;
	child = fork();
	if (!child) {
		setns(other, CLONE_NEWNET);
		kill(getpid(), SIGSTOP);
		_exit(0);
	}
	CHECK(waitpid(child, NULL, WUNTRACED) == child);
	snprintf(path, sizeof(path), file, child, other);
	snprintf(link, sizeof(link), "%s/link", folder);
	CHECK(!symlink(path, link) && !watch(other, link, &monitor, &id));
	CHECK(settle(monitor, id));
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", getpid(), other);
	CHECK(!moves ||
	      (!unlink(link) && !symlink(path, link) && answer_step(monitor)));
	kill(child, SIGKILL);
	CHECK(!waitid(P_PID, (id_t)child, NULL, WEXITED | WNOWAIT));
	/* It isn't readable for ever for the process that has ended. */
	for (int i = 0; moves && i < 10; i++)
		CHECK(reach_monitor_dispatch(monitor) >= 0);
	CHECK(!moves ||
	      (!check_readable(reach_monitor_fd(monitor)) && !unlink(link)));
	CHECK(await_end(monitor) == -ESTALE);
	CHECK(waitpid(child, NULL, 0) == child);
	close(other);
	CHECK(await_deletion(here));
	check_remove_all(folder);
}

/* As `ip netns add` mounts it, and watched by a symbolic link. */
static void a_mount_stays_free(int home)
{
	char path[] = "/tmp/reach-netns.XXXXXX", file[40], link[48];
	char folder[] = "/tmp/reach-netns.XXXXXX";
	const int other = open_other(home);
	SCOPED_MONITOR *monitor = NULL;
	int mounted;
	uint64_t id;

	close(mkstemp(path));
	CHECK(mkdtemp(folder));
	snprintf(link, sizeof(link), "%s/link", folder);
	CHECK(!symlink(path, link));
	snprintf(file, sizeof(file), "/proc/%d/fd/%d", getpid(), other);
	if (!CHECK(other >= 0) || !CHECK(!unshare(CLONE_NEWNS)) ||
	    !CHECK(!mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL)) ||
	    !CHECK(!mount(file, path, NULL, MS_BIND, NULL)))
		return;
	mounted = open(path, O_RDONLY | O_CLOEXEC);
	CHECK(!watch(mounted, link, &monitor, &id) && settle(monitor, id));
	CHECK(umount(path) && errno == EBUSY);
	close(mounted);
	CHECK(!umount(path));
	CHECK(!unlink(path) && await_end(monitor) == -ESTALE);
	close(other);
	check_remove_all(folder);
}

static int try(void *context)
{
	const int home = open_own();

	(void)context;
	script_server.answer = -ENOENT;
	a_path_is_watched(home);
	a_process_is_watched(home, "/proc/%d/ns/net", false);
	a_process_is_watched(home, "/proc/%d/fd/%d", true);
	a_process_is_watched(home, "/proc/self/../%d/task/%1$d/ns/net", false);
	a_mount_stays_free(home);
	close(home);
	return 0;
}

void test_netns_replaced(void)
{
	check_in_netns("a namespace that is replaced", try, NULL);
}
