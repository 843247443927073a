/* SPDX-License-Identifier: MIT */
/* The kernel's choice of an IPv6 source, by connect() of a UDP socket. */
#ifndef REACH_MONITOR_SOURCE_SOCKET_H
#define REACH_MONITOR_SOURCE_SOCKET_H

#include <stdbool.h>

#include <reach/engine.h>

#pragma GCC visibility push(hidden)

/* Zeroed but for `fd` and `netns`, which are -1 for none. */
struct reach_source_socket {
	/* Opened when it is first needed, and kept. Owned. */
	int fd;
	/* Namespace to enter. Borrowed. */
	int netns;
	/* A socket in the namespace. Borrowed. */
	int peer;
};

/* Answers all requests of @engine for sources. Nothing is sent. */
void reach_sources_answer(struct reach_source_socket *socket,
			  struct reach_engine *engine);

void reach_source_socket_close(struct reach_source_socket *socket);

#pragma GCC visibility pop

#endif
