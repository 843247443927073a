/* SPDX-License-Identifier: MIT */
#include <stdint.h>

/* A member that a later version adds at the end of a struct must not land in
 * padding, which is garbage in the structs of older programs. 32-bit systems
 * have gaps elsewhere. */
#if SIZE_MAX > UINT32_MAX
#pragma GCC diagnostic error "-Wpadded"
#endif
#include <reach/reach.h>

unsigned int reach_version(void)
{
	return REACH_VERSION;
}
