/* SPDX-License-Identifier: MIT */
#include "CWorkloads.h"

/* The widest vectors of the processor, which the library may use, too. */
#if defined(__x86_64__) && defined(__clang__)
__attribute__((target_clones("avx512bw", "avx2", "default")))
#endif
void pass_read4_write1(const uint32_t *flags, int8_t *statuses, size_t count)
{
	for (size_t i = 0; i < count; i++)
		statuses[i] = (int8_t)flags[i];
}
