/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* setns() */
#endif

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "system/system.h"

/* Arguments and result of the thread. */
struct visit {
	int netns_fd;
	int (*work)(void *context);
	void *context;
	int result;
};

/* setns(2) moves only the calling thread. Moving back would need CAP_SYS_ADMIN
 * again, and could fail with the caller's thread in the wrong namespace. Hence
 * a thread that ends there. */
static void *enter(void *argument)
{
	struct visit *visit = argument;

	if (setns(visit->netns_fd, CLONE_NEWNET) < 0)
		visit->result = -errno;
	else
		visit->result = visit->work(visit->context);
	return NULL;
}

int reach_netns_run(int netns_fd, int (*work)(void *context), void *context)
{
	struct visit visit = { netns_fd, work, context, 0 };
	sigset_t all, before;
	pthread_t thread;
	int error;

	if (netns_fd == -1)
		return work(context);
	/* The thread inherits the mask, so the program's signal handlers don't
	 * run in another namespace. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&thread, NULL, enter, &visit);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error)
		return -error;
	pthread_join(thread, NULL);
	return visit.result;
}

static int open_own(void *context)
{
	int *fd = context;

	*fd = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	return *fd < 0 ? -errno : 0;
}

int reach_netns_hold(int netns_fd)
{
	int fd;

	if (reach_netns_run(netns_fd, open_own, &fd))
		fd = fcntl(netns_fd, F_DUPFD_CLOEXEC, 0);
	return fd < 0 ? -errno : fd;
}

/* pidfd_open(2), Linux 5.3; its number is the same on all architectures that
 * have one table. */
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

int reach_netns_watch(const char *path)
{
	const uint32_t mask = IN_CREATE | IN_DELETE | IN_MOVE | IN_DELETE_SELF |
			      IN_MOVE_SELF | IN_ONLYDIR;
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX] = ".", real[PATH_MAX];
	struct statfs system;
	int process, fd;

	if (slash &&
	    snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path + 1),
		     path) >= (int)sizeof(folder))
		return -ENAMETOOLONG;
	/* procfs has no inotify events, but what lies below /proc/PID/root
	 * has. */
	if (sscanf(path, "/proc/%d/", &process) == 1 &&
	    statfs(folder, &system) == 0 && system.f_type == PROC_SUPER_MAGIC) {
		fd = (int)syscall(SYS_pidfd_open, process, 0);
		return fd < 0 ? -errno : fd;
	}
	fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (fd < 0)
		return -errno;
	/* `ip netns del` unmounts the file, which causes no event, and deletes
	 * it. */
	if (inotify_add_watch(fd, folder, mask) < 0) {
		const int err = -errno;

		close(fd);
		return err;
	}
	/* Behind a symbolic link, as from /run/netns to /run/docker/netns. */
	if (realpath(path, real)) {
		*strrchr(real, '/') = '\0';
		(void)inotify_add_watch(fd, *real ? real : "/", mask);
	}
	return fd;
}

bool reach_netns_is_at(const char *path, int netns_fd)
{
	struct stat now, old;

	return stat(path, &now) == 0 && fstat(netns_fd, &old) == 0 &&
	       now.st_dev == old.st_dev && now.st_ino == old.st_ino;
}
