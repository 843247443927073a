/* SPDX-License-Identifier: MIT */
#ifndef MEMORY_H
#define MEMORY_H

#include <stdbool.h>

/* Makes @count allocations in a row fail in the calling thread, starting with
 * the @first from now (counted from 1). */
void memory_fail(unsigned int first, unsigned int count);

/* Ends the failures. Returns whether an allocation failed. */
bool memory_restore(void);

#endif
