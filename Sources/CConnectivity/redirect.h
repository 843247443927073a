/* SPDX-License-Identifier: MIT */
/* Where a redirect leads to. */
#ifndef REDIRECT_H
#define REDIRECT_H

#include <stddef.h>

#pragma GCC visibility push(hidden)

/* If the header line is Location with a value, that value, which is not
 * terminated, and its size; else 0. */
size_t connectivity_redirect_location(const char *line, size_t size,
				      const char **ret);

/* The URL that a Location means in an answer to base, a URL of http or https
 * (RFC 3986, section 5.2, but dot segments stay as they are). Bytes that no URL
 * has are percent-encoded. 0, or -EMSGSIZE. */
int connectivity_redirect_resolve(const char *base, const char *location,
				  size_t size, char *ret, size_t ret_size);

#pragma GCC visibility pop

#endif
