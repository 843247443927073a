/* SPDX-License-Identifier: MIT */
/* The blocking resolution of one name. */
#ifndef REACH_LOOKUP_H
#define REACH_LOOKUP_H

#include <reach/target.h>

#pragma GCC visibility push(hidden)

struct reach_resolved {
	/* Id of the submission. */
	uint64_t id;
	/* 0, or a negative errno for reach_engine_resolution_failed(). */
	int error;
	/* Number of `addresses`; 0 with an error. */
	size_t count;
	/* Best first, no duplicates. */
	struct reach_address addresses[REACH_ADDRESSES_MAX];
};

/* Resolves @name on the calling thread, by @resolve with @context, or by
 * getaddrinfo() if @resolve is NULL. getaddrinfo() is asked for addresses of
 * @family only; @resolve returns those of any. Blocks for up to 30 s with
 * glibc's defaults. Sets all members of @resolved but its id. */
void reach_lookup(reach_resolve_function resolve, void *context,
		  const char *name, int family,
		  struct reach_resolved *resolved);

#pragma GCC visibility pop

#endif
