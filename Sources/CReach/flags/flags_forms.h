/* SPDX-License-Identifier: MIT */
/*
 * The forms of reach_statuses_from_flags(). They differ in speed only: each
 * reads @count words and writes @count statuses, for any alignment of either.
 */
#ifndef REACH_FLAGS_FORMS_H
#define REACH_FLAGS_FORMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <reach/flags.h>

#pragma GCC visibility push(hidden)

typedef void reach_statuses_form(const uint32_t *flags, int8_t *statuses,
				 size_t count);

struct reach_flags_form {
	const char *name;
	reach_statuses_form *convert;
	/* Whether this processor, and the system for its registers, can. */
	bool (*is_supported)(void);
};

/* Fastest first; the last is the reference and always supported. */
extern const struct reach_flags_form reach_flags_forms[];
extern const size_t reach_flags_form_count;

/* One rule for the reference, the tables and the vectors; see flags.c. */
#define REACH_FLAGS_STATUS(reachable, wwan)                                    \
	(((reachable) << 1) - ((reachable) & (wwan)))

/* Of an index that has flags 1 to 5 in place and IS_WWAN as bit 0. */
#define REACH_FLAGS_UNATTENDED(i) (((i) >> 3 | (i) >> 5) & ~((i) >> 4))
#define REACH_FLAGS_REACHABLE(i)                                               \
	((i) >> 1 & (~((i) >> 2) | REACH_FLAGS_UNATTENDED(i)) & 1)
#define REACH_FLAGS_ENTRY(i)                                                   \
	REACH_FLAGS_STATUS(REACH_FLAGS_REACHABLE(i), (i) & 1)
#define REACH_FLAGS_ENTRIES_4(i)                                               \
	REACH_FLAGS_ENTRY(i), REACH_FLAGS_ENTRY((i) + 1),                      \
		REACH_FLAGS_ENTRY((i) + 2), REACH_FLAGS_ENTRY((i) + 3)
#define REACH_FLAGS_ENTRIES_16(i)                                              \
	REACH_FLAGS_ENTRIES_4(i), REACH_FLAGS_ENTRIES_4((i) + 4),              \
		REACH_FLAGS_ENTRIES_4((i) + 8),                                \
		REACH_FLAGS_ENTRIES_4((i) + 12)

/* The status of each of the 64 indices: six flags decide, all others are
 * ignored. */
#define REACH_FLAGS_TABLE                                                      \
	REACH_FLAGS_ENTRIES_16(0), REACH_FLAGS_ENTRIES_16(16),                 \
		REACH_FLAGS_ENTRIES_16(32), REACH_FLAGS_ENTRIES_16(48)

reach_statuses_form reach_statuses_scalar;
#if defined(__x86_64__)
reach_statuses_form reach_statuses_sse2;
reach_statuses_form reach_statuses_avx2;
reach_statuses_form reach_statuses_avx512;
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define REACH_FLAGS_NEON
reach_statuses_form reach_statuses_neon;
#endif

#pragma GCC visibility pop

#endif
