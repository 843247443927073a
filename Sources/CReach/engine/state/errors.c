/* SPDX-License-Identifier: MIT */
/* Which errno an answer of RTM_GETROUTE stands for. */
#include "engine/state/state.h"

#include <errno.h>

#include <linux/rtnetlink.h>

/* Error of an answer that is a route of @type, 0 for a type that forwards, as
 * in fib_props (net/ipv4/fib_semantics.c). RTN_THROW: the lookup continues in
 * the next table, and this answer means that there was none. */
static int error_of_type(uint8_t type)
{
	switch (type) {
	case RTN_UNREACHABLE:
		return EHOSTUNREACH;
	case RTN_PROHIBIT:
		return EACCES;
	case RTN_BLACKHOLE:
		return EINVAL;
	case RTN_THROW:
		return ENETUNREACH;
	default:
		return 0;
	}
}

int reach_path_error(const struct reach_path_key *key)
{
	return key->error ? key->error : error_of_type(key->type);
}

bool reach_error_is_of_route(uint16_t error)
{
	return error == ENETUNREACH || error == EHOSTUNREACH ||
	       error == EACCES || error == EINVAL;
}
