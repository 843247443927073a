/* SPDX-License-Identifier: MIT */
/* Addresses as values. */
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

/* How far an address reaches by its value alone: 127/8 and ::1 are host,
 * 169.254/16 and fe80::/10 are link, all others global. */
enum reach_address_scope reach_address_scope(const struct reach_address *a);

/* ::ffff:a.b.c.d becomes a.b.c.d; the kernel would answer with the IPv6
 * default route. */
struct reach_address reach_address_unmap(const struct reach_address *a);

bool reach_address_is_any(const struct reach_address *a);

/* Same family and bytes, and the same scope id where both have one. */
bool reach_address_equal(const struct reach_address *a,
			 const struct reach_address *b);

/* Whether the first @length bits of @a are those of @prefix, same family. */
bool reach_address_in_prefix(const struct reach_address *a,
			     const struct reach_address *prefix,
			     unsigned int length);

#pragma GCC visibility pop

#endif
