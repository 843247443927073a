/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "path.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

int connectivity_spare(int fd, unsigned int spare)
{
	struct rlimit limit;

	/* A new descriptor has the lowest free number. */
	if (fd < 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0 ||
	    (rlim_t)fd + spare < limit.rlim_cur)
		return fd;
	close(fd);
	return -EMFILE;
}

int connectivity_cancel_open(unsigned int spare)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	return fd < 0 ? -errno : connectivity_spare(fd, spare);
}

void connectivity_cancel(int cancel_fd)
{
	uint64_t one = 1;
	ssize_t written = write(cancel_fd, &one, sizeof(one));

	/* It fails only if the counter is full, and then fd is readable. */
	(void)written;
}

int connectivity_enter(const struct connectivity_path *path)
{
	sigset_t pipe;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe, NULL);
	if (path->netns_fd >= 0 && setns(path->netns_fd, CLONE_NEWNET) != 0)
		return -errno;
	return 0;
}

int connectivity_mark(const struct connectivity_path *path, int socket)
{
	if (path->mark != 0 && setsockopt(socket, SOL_SOCKET, SO_MARK,
					  &path->mark, sizeof(path->mark)) != 0)
		return -errno;
	return 0;
}

int64_t connectivity_microseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t connectivity_now(void)
{
	return connectivity_microseconds() / 1000;
}

void connectivity_answer_set(struct connectivity_answer *answer,
			     enum connectivity_result result, int error,
			     const char *text)
{
	answer->result = result;
	answer->error = error;
	snprintf(answer->text, sizeof(answer->text), "%s", text);
}
