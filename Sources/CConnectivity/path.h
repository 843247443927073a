/* SPDX-License-Identifier: MIT */
/* The thread and the sockets of a probe. */
#ifndef PATH_H
#define PATH_H

#include "include/connectivity_probe.h"

#pragma GCC visibility push(hidden)

/* Moves the thread into the namespace and blocks SIGPIPE. Returns 0, or a
 * negative errno. */
int connectivity_enter(const struct connectivity_path *path);

/* Sets SO_MARK. Returns 0, or a negative errno. */
int connectivity_mark(const struct connectivity_path *path, int socket);

/* CLOCK_MONOTONIC, milliseconds. */
int64_t connectivity_now(void);

/* CLOCK_MONOTONIC, microseconds. */
int64_t connectivity_microseconds(void);

void connectivity_answer_set(struct connectivity_answer *answer,
			     enum connectivity_result result, int error,
			     const char *text);

#pragma GCC visibility pop

#endif
