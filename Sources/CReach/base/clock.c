/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include <time.h>

int64_t reach_monotonic(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * REACH_SECOND + now.tv_nsec;
}
