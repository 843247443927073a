/* SPDX-License-Identifier: MIT */
/*
 * Notices with inotify when the socket of a bus appears.
 *
 * Watches the deepest existing folder of the path. inotify doesn't report
 * mounts, so a socket that appears with a mount isn't noticed.
 */
#ifndef SOCKET_WATCH_H
#define SOCKET_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/un.h>

#pragma GCC visibility push(hidden)

struct socket_watch {
	/* -1 for none. */
	int fd;
	/* Watch descriptor of the folder, or -1. */
	int folder;
	/* Offset in path of the name that is awaited in the folder. */
	uint32_t awaited;
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
};

/*
 * Watches for the first socket with a path in a D-Bus address.
 *
 * Returns 0, -EINVAL without such a path, or another negative errno.
 */
int system_bus_socket_watch_open(struct socket_watch *watch,
				 const char *address);

/* Reads the events. Returns true if the bus may have appeared. */
bool system_bus_socket_watch_read(struct socket_watch *watch);

void system_bus_socket_watch_close(struct socket_watch *watch);

#pragma GCC visibility pop

#endif
