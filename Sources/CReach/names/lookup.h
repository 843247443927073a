/* SPDX-License-Identifier: MIT */
#ifndef REACH_LOOKUP_H
#define REACH_LOOKUP_H

#include <reach/monitor.h>

#pragma GCC visibility push(hidden)

struct reach_resolved {
	uint64_t id;
	/* 0, or a negative errno: none and to be tried again. */
	int error;
	size_t count;
	struct reach_address addresses[REACH_ADDRESSES_MAX];
};

/* Resolves @name on the calling thread, by @resolve(@context) or, if that is
 * NULL, by getaddrinfo(). Sets all of @resolved but its id. */
void reach_lookup(reach_resolve_function resolve, void *context,
		  const char *name, struct reach_resolved *resolved);

#pragma GCC visibility pop

#endif
