/* SPDX-License-Identifier: MIT */
#ifndef REACH_LOOKUP_H
#define REACH_LOOKUP_H

#include "base/internal.h"

#pragma GCC visibility push(hidden)

/* Resolves @name on the calling thread, by @resolve(@context) or, if that is
 * NULL, by getaddrinfo(). Sets all of @resolved but its id. */
void reach_lookup(reach_resolve_function resolve, void *context,
		  const char *name, struct reach_resolved *resolved);

#pragma GCC visibility pop

#endif
