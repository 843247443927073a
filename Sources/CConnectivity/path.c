/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "connectivity.h"

#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
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

/* False if the URL's host has a zone that is no interface of the thread's
 * namespace (RFC 6874). */
static bool knows_zone(const char *url)
{
	char name[IF_NAMESIZE];
	const char *zone = strstr(url, "%25");
	const char *end = strchr(url, ']');
	size_t size;

	if (!zone || !end || zone > end)
		return true;
	zone += strlen("%25");
	size = (size_t)(end - zone);
	if (size >= sizeof(name))
		return false;
	memcpy(name, zone, size);
	name[size] = '\0';
	return if_nametoindex(name) != 0 || strspn(name, "0123456789") == size;
}

int connectivity_check_address(const struct connectivity_http *http,
			       const struct sockaddr *address)
{
	struct sockaddr_in6 inet6;

	if (http->family != 0 && address->sa_family != http->family)
		return -EAFNOSUPPORT;
	if (address->sa_family != AF_INET6)
		return 0;
	memcpy(&inet6, address, sizeof(inet6));
	/* libcurl sets the index of the zone later. */
	if (IN6_IS_ADDR_LINKLOCAL(&inet6.sin6_addr) &&
	    !knows_zone(http->proxy ? http->proxy : http->url))
		return -ENODEV;
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
