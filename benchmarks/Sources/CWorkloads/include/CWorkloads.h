/* SPDX-License-Identifier: MIT */
/* The yardstick of flags. */
#ifndef REACH_CWORKLOADS_H
#define REACH_CWORKLOADS_H

#include <stddef.h>
#include <stdint.h>

/* Reads four bytes and writes one per entry, and decides nothing: memory and
 * cache allow no faster decoding of flags. */
void pass_read4_write1(const uint32_t *flags, int8_t *statuses, size_t count);

#endif
