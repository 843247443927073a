/* SPDX-License-Identifier: MIT */
/* Detects a child of fork(), which must not use its parent's monitor. */
#ifndef REACH_MONITOR_FORK_H
#define REACH_MONITOR_FORK_H

#include <stdbool.h>
#include <sys/types.h>

#pragma GCC visibility push(hidden)

struct reach_fork {
	/* A page of its own: true in the process that opened the monitor,
	 * zeroed by the kernel in its children (MADV_WIPEONFORK). NULL where
	 * the kernel refuses that; `process` decides then. Owned. */
	bool *is_parent;
	/* The process that opened the monitor. */
	pid_t process;
};

/* Record the calling process as the owner, and release the page of that
 * record. */
void reach_fork_mark(struct reach_fork *fork);
void reach_fork_unmark(struct reach_fork *fork);

/* Whether the calling process is not the one that called reach_fork_mark(). */
bool reach_fork_is_child(const struct reach_fork *fork);

#pragma GCC visibility pop

#endif
