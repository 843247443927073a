/* SPDX-License-Identifier: MIT */
/* Times are nanoseconds of CLOCK_MONOTONIC. */
#ifndef REACH_BASE_CLOCK_H
#define REACH_BASE_CLOCK_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

#define REACH_MILLISECOND INT64_C(1000000)
#define REACH_SECOND	  INT64_C(1000000000)

/* Now. */
int64_t reach_monotonic(void);

/* @now and @delay; INT64_MAX, which is never, where the sum is not in range. */
static inline int64_t reach_after(int64_t now, int64_t delay)
{
	int64_t sum;

	return __builtin_add_overflow(now, delay, &sum) ? INT64_MAX : sum;
}

#pragma GCC visibility pop

#endif
