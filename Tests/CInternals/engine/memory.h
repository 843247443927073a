/* SPDX-License-Identifier: MIT */
#ifndef MEMORY_H
#define MEMORY_H

#include <stdbool.h>

/* Of the allocations that the calling thread makes from now on, the one with
 * number @first (from 1) fails, and those after it until @count have. */
void memory_fail(unsigned int first, unsigned int count);

/* None fails any more; whether one did. */
bool memory_restore(void);

#endif
