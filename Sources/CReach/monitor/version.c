/* SPDX-License-Identifier: MIT */
#include <reach/reach.h>

unsigned int reach_version(void)
{
	return REACH_VERSION;
}
