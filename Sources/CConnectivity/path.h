/* SPDX-License-Identifier: MIT */
/* The thread and the sockets of a probe. */
#ifndef PATH_H
#define PATH_H

#include "include/connectivity_probe.h"

/* Moves the thread into the namespace and blocks SIGPIPE. 0, or a negative
 * errno. */
int path_enter(const struct connectivity_path *path);

/* Sets SO_MARK. 0, or a negative errno. */
int path_mark(const struct connectivity_path *path, int socket);

/* CLOCK_MONOTONIC, milliseconds. */
int64_t path_now(void);

void answer_set(struct connectivity_answer *answer,
		enum connectivity_result result, int error, const char *text);

#endif
