/* SPDX-License-Identifier: MIT */
#ifndef FILTER_ROUTES_H
#define FILTER_ROUTES_H

#include <stdbool.h>

#include "filter/filter.h"

/* A prefix without host bits, or (@host) an address. */
struct reach_prefix random_prefix(uint64_t *state, bool inet, bool host);

/* The rule: a default route, or one that meets something watched. */
bool can_matter(const struct reach_prefix *watched, size_t count,
		const struct reach_prefix *route);

#endif
