/* SPDX-License-Identifier: MIT */
/*
 * The variants of reach_statuses_from_flags(), one per instruction set. They
 * differ in speed only: each reads @count words and writes @count statuses, for
 * any alignment of either.
 */
#ifndef REACH_FLAGS_FLAGS_H
#define REACH_FLAGS_FLAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <reach/flags.h>

#pragma GCC visibility push(hidden)

typedef void reach_flags_convert(const uint32_t *flags, int8_t *statuses,
				 size_t count);

struct reach_flags_variant {
	/* For tests and benchmarks. Static. */
	const char *name;
	reach_flags_convert *convert;
	/* Whether processor and kernel support it; the kernel has to save the
	 * registers. */
	bool (*is_supported)(void);
};

/* Fastest first. The last is the scalar reference, which is always supported.
 */
extern const struct reach_flags_variant reach_flags_variants[];
extern const size_t reach_flags_variant_count;

#pragma GCC visibility pop

#endif
