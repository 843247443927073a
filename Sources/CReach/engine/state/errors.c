/* SPDX-License-Identifier: MIT */
/* Members of an answer to RTM_GETROUTE: its errno, its prefix. */
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

void reach_path_key_set_prefix(struct reach_path_key *key, const uint8_t *bytes,
			       uint8_t length)
{
	reach_prefix_cut(key->prefix, bytes, length);
	key->extent = length;
}

void reach_path_key_end_group(struct reach_path_key *key)
{
	if (!(key->bits & REACH_PATH_GROUP))
		return;
	key->bits &= (uint8_t)~REACH_PATH_GROUP;
	reach_path_key_set_prefix(key, key->prefix, 0);
}
