/* SPDX-License-Identifier: MIT */
/* Prefixes of routes and of watched addresses. */
#ifndef REACH_BASE_PREFIX_H
#define REACH_BASE_PREFIX_H

#include <stdint.h>

#include <reach/address.h>

/* Longest prefix that is treated as a default route, in bits. VPNs split
 * 0.0.0.0/0 and ::/0 into two /1 each, and 2000::/3 is the whole global unicast
 * space (RFC 4291, 2.4). The engine and the event filter must agree. If the
 * filter dropped what the engine treats as a default route, events would be
 * lost silently. */
#define REACH_DEFAULT_LENGTH_MAX 3

struct reach_prefix {
	/* Host bits may be set, and are ignored. */
	struct reach_address address;
	/* Length in bits, 0 to 32 or 128. */
	uint8_t length;
};

#endif
