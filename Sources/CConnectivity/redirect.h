/* SPDX-License-Identifier: MIT */
/* Header lines, and the URL that a redirect leads to. */
#ifndef REDIRECT_H
#define REDIRECT_H

#include <stddef.h>

#pragma GCC visibility push(hidden)

/* Finds the value of a header line with this name, which ends in a colon. Sets
 * ret to the value, without a NUL, and returns its size. Returns 0 for another
 * name or an empty value. */
size_t connectivity_header_value(const char *line, size_t size,
				 const char *name, const char **ret);

/* Resolves the Location in an answer to base, an http or https URL (RFC 3986,
 * section 5.2). Keeps dot segments, and percent-encodes bytes that a URL can't
 * have. Returns 0, or -EMSGSIZE. */
int connectivity_redirect_resolve(const char *base, const char *location,
				  size_t size, char *ret, size_t ret_size);

#pragma GCC visibility pop

#endif
