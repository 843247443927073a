/* SPDX-License-Identifier: MIT */
/* Detects a child of fork(), which must not use its parent's monitor. */
#ifndef REACH_MONITOR_FORK_H
#define REACH_MONITOR_FORK_H

#include <stdbool.h>
#include <sys/types.h>

#pragma GCC visibility push(hidden)

struct reach_fork {
	/* True, and false in a child (MADV_WIPEONFORK); NULL where the kernel
	 * refused, and `process` decides. */
	bool *is_parent;
	/* The process that opened the monitor. */
	pid_t process;
};

void reach_fork_mark(struct reach_fork *fork);
void reach_fork_unmark(struct reach_fork *fork);

/* Whether the caller is a child of the process that marked. */
bool reach_fork_is_child(const struct reach_fork *fork);

#pragma GCC visibility pop

#endif
