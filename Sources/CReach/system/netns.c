/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* setns() */
#endif

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
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

/* As many as the kernel follows (MAXSYMLINKS, include/linux/namei.h). */
#define LINKS_MAX 40

/* The process whose files of procfs, wherever that is mounted, are in @folder:
 * /proc/PID/ns, /proc/PID/fd, or those of a thread. 0 if it is another folder. */
static int process_of(const char *folder)
{
	char real[PATH_MAX], *at = real;
	struct statfs system;
	int process = 0;

	if (statfs(folder, &system) || system.f_type != PROC_SUPER_MAGIC ||
	    !realpath(folder, real))
		return 0;
	while ((at = strchr(at, '/')) && strncmp(at, "/task/", 6) != 0)
		(void)sscanf(at++, "/%d", &process);
	return process;
}

/* @return a descriptor that is readable once @process ends, or -1. */
static int open_process(int process)
{
	struct pollfd end = { .events = POLLIN };

	end.fd = (int)syscall(SYS_pidfd_open, process, 0);
	/* Whose file is there although its process has ended? One of another
	 * process, in a procfs of another PID namespace. */
	if (poll(&end, 1, 0) > 0)
		reach_descriptor_close(&end.fd);
	return end.fd;
}

void reach_netns_watch(const char *path, int watches[2])
{
	const uint32_t mask = IN_CREATE | IN_DELETE | IN_MOVE | IN_DELETE_SELF |
			      IN_MOVE_SELF | IN_ONLYDIR;
	char at[PATH_MAX], folder[PATH_MAX], target[PATH_MAX];
	ssize_t size;
	int i, process;

	if (snprintf(at, sizeof(at), "%s%s", strchr(path, '/') ? "" : "./",
		     path) >= (int)sizeof(at))
		return;
	for (i = 0; i < LINKS_MAX; i++) {
		strcpy(folder, at);
		strrchr(folder, '/')[1] = '\0';
		/* procfs has no inotify events, but what lies below
		 * /proc/PID/root has. */
		process = process_of(folder);
		if (process) {
			watches[1] = open_process(process);
			return;
		}
		if (watches[0] < 0)
			watches[0] = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
		/* `ip netns del` unmounts the file, which causes no event, and
		 * deletes it. */
		(void)inotify_add_watch(watches[0], folder, mask);
		/* A symbolic link, as from /run/netns to /run/docker/netns, or
		 * to a file of procfs. */
		size = readlink(at, target, sizeof(target) - 1);
		if (size <= 0)
			return;
		target[size] = '\0';
		if (snprintf(at, sizeof(at), "%s%s",
			     *target == '/' ? "" : folder,
			     target) >= (int)sizeof(at))
			return;
	}
}

bool reach_netns_is_at(const char *path, int netns_fd)
{
	struct stat now, old;

	return stat(path, &now) == 0 && fstat(netns_fd, &old) == 0 &&
	       now.st_dev == old.st_dev && now.st_ino == old.st_ino;
}
