/* SPDX-License-Identifier: MIT */
/* Arbitrary values for CBMC: a proof holds for each of them. */
#ifndef REACH_PROOF_H
#define REACH_PROOF_H

#include <assert.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

bool nondet_bool(void);
uint8_t nondet_u8(void);
uint16_t nondet_u16(void);
uint32_t nondet_u32(void);
size_t nondet_size(void);
ptrdiff_t nondet_offset(void);

/* Any @size bytes. The memory after them isn't accessible. */
static inline void *bytes_of(size_t size)
{
	void *bytes = malloc(size);

	__CPROVER_assume(bytes != NULL);
	return bytes;
}

#endif
