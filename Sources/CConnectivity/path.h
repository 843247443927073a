/* SPDX-License-Identifier: MIT */
/* The thread and the sockets of a probe. */
#ifndef PATH_H
#define PATH_H

#include "include/connectivity_probe.h"

#include <sys/socket.h>

#pragma GCC visibility push(hidden)

/* Moves the thread into the namespace and blocks SIGPIPE. Returns 0, or a
 * negative errno. */
int connectivity_enter(const struct connectivity_path *path);

/* Sets SO_MARK. Returns 0, or a negative errno. */
int connectivity_mark(const struct connectivity_path *path, int socket);

/* Checks an address before libcurl connects to it: CURLOPT_IPRESOLVE is for
 * names alone, and newer versions (seen with 8.23) ignore an unknown zone.
 * Returns 0, -EAFNOSUPPORT, or -ENODEV. */
int connectivity_check_address(const struct connectivity_http *http,
			       const struct sockaddr *address);

/* CLOCK_MONOTONIC, milliseconds. */
int64_t connectivity_now(void);

/* CLOCK_MONOTONIC, microseconds. */
int64_t connectivity_microseconds(void);

void connectivity_answer_set(struct connectivity_answer *answer,
			     enum connectivity_result result, int error,
			     const char *text);

#pragma GCC visibility pop

#endif
