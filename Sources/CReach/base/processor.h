/* SPDX-License-Identifier: MIT */
/* What a form of a hot path needs of the processor, and of the system for its
 * registers. */
#ifndef REACH_PROCESSOR_H
#define REACH_PROCESSOR_H

#include <stdbool.h>

static inline bool reach_has_any(void)
{
	return true;
}

#if defined(__x86_64__)
/* These read what a constructor of the compiler's library found out before
 * main(); the system must have enabled the registers too. */
static inline bool reach_has_avx2(void)
{
	return __builtin_cpu_supports("avx2");
}

/* All parts that one of the forms uses. */
static inline bool reach_has_avx512(void)
{
	return __builtin_cpu_supports("avx512f") &&
	       __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512vbmi");
}
#endif

#endif
