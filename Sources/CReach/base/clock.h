/* SPDX-License-Identifier: MIT */
/* Time. Points in time are nanoseconds of CLOCK_MONOTONIC in an int64_t.
 * Durations are nanoseconds. INT64_MAX means never. */
#ifndef REACH_BASE_CLOCK_H
#define REACH_BASE_CLOCK_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

#define REACH_MILLISECOND INT64_C(1000000)
#define REACH_SECOND	  INT64_C(1000000000)

/* The present time. */
int64_t reach_monotonic(void);

/* The time @delay after @now; INT64_MAX if the sum overflows. */
static inline int64_t reach_after(int64_t now, int64_t delay)
{
	int64_t sum;

	return __builtin_add_overflow(now, delay, &sum) ? INT64_MAX : sum;
}

#pragma GCC visibility pop

#endif
