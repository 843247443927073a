/* SPDX-License-Identifier: MIT */
/* The status of any 32 bits, compared with a plain implementation. */
#include <reach/flags.h>

#include "proof.h"

void proof_status(void)
{
	const uint32_t flags = nondet_u32();
	enum reach_status expected = REACH_STATUS_NOT_REACHABLE;
	bool is_automatic = false;
	bool is_way = false;

	if (flags & REACH_FLAG_CONNECTION_ON_TRAFFIC)
		is_automatic = true;
	if (flags & REACH_FLAG_CONNECTION_ON_DEMAND)
		is_automatic = true;
	if (flags & REACH_FLAG_INTERVENTION_REQUIRED)
		is_automatic = false;
	if (flags & REACH_FLAG_REACHABLE) {
		if (!(flags & REACH_FLAG_CONNECTION_REQUIRED))
			is_way = true;
		else if (is_automatic)
			is_way = true;
	}
	if (is_way && flags & REACH_FLAG_IS_WWAN)
		expected = REACH_STATUS_REACHABLE_VIA_WWAN;
	else if (is_way)
		expected = REACH_STATUS_REACHABLE_VIA_WIFI;
	assert(reach_status_from_flags(flags) == expected);
}
