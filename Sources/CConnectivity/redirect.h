/* SPDX-License-Identifier: MIT */
/* Header lines, and where a redirect leads to. */
#ifndef REDIRECT_H
#define REDIRECT_H

#include <stddef.h>

#pragma GCC visibility push(hidden)

/* If the header line has this name, which ends in a colon, and a value: the
 * value, which is not terminated, and its size. Else 0. */
size_t connectivity_header_value(const char *line, size_t size,
				 const char *name, const char **ret);

/* The URL that a Location means in an answer to base, a URL of http or https
 * (RFC 3986, section 5.2, but dot segments stay as they are). Bytes that no URL
 * has are percent-encoded. 0, or -EMSGSIZE. */
int connectivity_redirect_resolve(const char *base, const char *location,
				  size_t size, char *ret, size_t ret_size);

#pragma GCC visibility pop

#endif
