/* SPDX-License-Identifier: MIT */
#ifndef REACH_BASE_PREFIX_H
#define REACH_BASE_PREFIX_H

#include <stdint.h>

#include <reach/address.h>

/* Longest prefix that counts as a default route: VPNs split 0.0.0.0/0 and ::/0
 * into /1, and 2000::/3 is all of the global unicast space (RFC 4291, 2.4). The
 * event filter passes what the engine takes for one, so both have it from
 * here. */
#define REACH_DEFAULT_LENGTH_MAX 3

/* Host bits may be set, and are ignored. */
struct reach_prefix {
	struct reach_address address;
	/* 0 to 32 or 128. */
	uint8_t length;
};

#endif
