/* SPDX-License-Identifier: MIT */
/* The counter, and the changes, for Allocations and AllocationsApple. */
#ifndef ALLOCATIONS_H
#define ALLOCATIONS_H

#include <stdbool.h>

/* Calls of malloc() and related functions in this process so far, by all
 * threads. */
long allocations_count(void);

/* Puts the process into a network namespace of its own, with lo up. Call it
 * before other threads start. @return a socket for allocations_change(), or a
 * negative errno. */
int allocations_open(void);

/* Gives lo the address 192.0.2.1, or takes it away. @return 0 or a negative
 * errno. */
int allocations_change(int fd, bool add);

#endif
