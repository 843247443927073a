/* SPDX-License-Identifier: MIT */
/* Operations on addresses. Pure. */
#ifndef REACH_BASE_ADDRESS_H
#define REACH_BASE_ADDRESS_H

#include <stdbool.h>

#include <reach/address.h>

#pragma GCC visibility push(hidden)

enum reach_address_scope {
	REACH_SCOPE_HOST,
	REACH_SCOPE_LINK,
	REACH_SCOPE_GLOBAL
};

/* Scope of an address by its value alone: 127/8 and ::1 are host, 169.254/16
 * and fe80::/10 link, all others global. */
enum reach_address_scope reach_address_scope(const struct reach_address *a);

/* Whether the kernel uses sin6_scope_id (__ipv6_addr_needs_scope_id(),
 * include/net/ipv6.h): fe80::/10, and multicast of interface and link scope
 * with any flags (ff?1::/16, ff?2::/16). */
bool reach_address_needs_scope(const struct reach_address *a);

/* An IPv4-mapped IPv6 address (::ffff:a.b.c.d, RFC 4291, 2.5.5.2) as IPv4,
 * others unchanged. Sockets send to such an address by IPv4, but a lookup of it
 * would match IPv6 routes. */
struct reach_address reach_address_unmap(const struct reach_address *a);

/* Whether @a is 0.0.0.0 or ::. */
bool reach_address_is_any(const struct reach_address *a);

/* Whether family and bytes are equal, and scope ids unless one of them is 0. */
bool reach_address_equal(const struct reach_address *a,
			 const struct reach_address *b);

/* Whether @a and @prefix have the same family and the same first @length bits.
 */
bool reach_address_in_prefix(const struct reach_address *a,
			     const struct reach_address *prefix,
			     unsigned int length);

#pragma GCC visibility pop

#endif
