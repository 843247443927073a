/* SPDX-License-Identifier: MIT */
#ifndef FILTER_ROUTES_H
#define FILTER_ROUTES_H

#include <stdbool.h>

#include "filter/filter.h"

/* A random prefix without host bits, or a random address if @host. */
struct reach_prefix random_prefix(uint64_t *state, bool inet, bool host);

/* Builds the filter of an engine whose targets are @hosts (state/state.h). */
int build_filter(const struct reach_prefix *hosts, size_t count, uint8_t stock,
		 struct sock_filter *program, size_t capacity, size_t *length);

/* The filter's rule: a default route matters, and any route whose prefix
 * overlaps a watched one. */
bool can_matter(const struct reach_prefix *watched, size_t count,
		const struct reach_prefix *route);

#endif
