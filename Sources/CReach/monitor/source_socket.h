/* SPDX-License-Identifier: MIT */
/* The kernel's choice of a source, found by connect() of a UDP socket. */
#ifndef REACH_MONITOR_SOURCE_SOCKET_H
#define REACH_MONITOR_SOURCE_SOCKET_H

#include <stdbool.h>

#include <reach/engine.h>

#pragma GCC visibility push(hidden)

/* All zero except `fd` and `netns`, which are -1 for none. */
struct reach_source_socket {
	/* Opened at first use, and kept. Owned. */
	int fd;
	/* Namespace to enter. Borrowed. */
	int netns;
	/* A socket in the namespace. Borrowed. */
	int peer;
	/* Family of the last request: always IPv6 for those of an engine. */
	int family;
};

/* Answers all source requests of @engine. Nothing is sent. */
void reach_sources_answer(struct reach_source_socket *socket,
			  struct reach_engine *engine);

/* Answers one request, of either family, with a socket of its own. @return 0;
 * -EOPNOTSUPP if no such socket can be set up; or the error of connect(). */
int reach_source_socket_ask(const struct reach_source_socket *like,
			    const struct reach_engine *engine,
			    const struct reach_source_request *request,
			    struct reach_address *ret);

void reach_source_socket_close(struct reach_source_socket *socket);

#pragma GCC visibility pop

#endif
