/* SPDX-License-Identifier: MIT */
/** IPv4 and IPv6 addresses as plain values. The functions are pure, except that
 * reach_address_parse() looks up interface names. Any thread may call them. */
#ifndef REACH_ADDRESS_H
#define REACH_ADDRESS_H

#include <reach/export.h>

REACH_BEGIN_DECLS

struct sockaddr;

/** An address. All zero bytes mean "none". */
struct reach_address {
	/** AF_INET (2), AF_INET6 (10), or 0: no address. */
	uint16_t family;
	/** Always 0, else functions that take it return -EINVAL. */
	uint16_t reserved;
	/** Interface index of a link-local IPv6 address (fe80::/10, ff01::/16,
	 * ff02::/16), 0 if it has none; 0 for all other addresses. */
	uint32_t scope_id;
	/** Bytes in network order; IPv4 uses the first four, the rest is 0. */
	uint8_t bytes[16];
};

/** Size of a buffer that holds every text form, with its NUL. */
#define REACH_ADDRESS_TEXT_SIZE 64

/** Parses a numeric address: any form that inet_aton() accepts for IPv4 (even
 * "127.1"), or inet_pton() for IPv6. A link-local IPv6 address may be followed
 * by "%interface" or "%index".
 *
 * @param text      the text; never resolved as a name.
 * @param[out] ret  the address; untouched on failure.
 * @return 0, -EINVAL if the text is not an address, -ENODEV if it names an
 *         interface that does not exist in the caller's network namespace. */
REACH_API int reach_address_parse(const char *text, struct reach_address *ret);

/** Copies the address of a struct sockaddr_in or sockaddr_in6; the port is
 * ignored.
 *
 * @param sa        the socket address, of the type that its sa_family implies.
 *                  It need not be aligned.
 * @param size      bytes at @p sa; no more are read.
 * @param[out] ret  the address; untouched on failure.
 * @return 0, -EINVAL for NULL or a @p size too small for its family,
 *         -EAFNOSUPPORT for a family that is neither AF_INET nor AF_INET6. */
REACH_API int reach_address_from_sockaddr(const struct sockaddr *sa,
					  size_t size,
					  struct reach_address *ret);

/** The numeric text of @p address (RFC 5952 for IPv6; "%index" for a scope). An
 * address without a family gives "".
 *
 * @param[out] buf  NUL-terminated text, truncated to @p size bytes; may be NULL
 *                  when @p size is 0.
 * @return length of the whole text without its NUL, as snprintf() does. */
REACH_API size_t reach_address_format(const struct reach_address *address,
				      char *buf, size_t size);

REACH_END_DECLS

#endif
