/* SPDX-License-Identifier: MIT */
/* The decision tree over the prefixes that are watched. */
#ifndef REACH_FILTER_FILTER_TREE_H
#define REACH_FILTER_FILTER_TREE_H

#include "base/prefix.h"
#include "filter/filter_emit.h"

#pragma GCC visibility push(hidden)

/* Adds the decision whether the route's prefix meets one of @prefixes, which
 * are of one family, sorted, disjoint, and at least one. 0 or -ENOMEM. */
int reach_program_tree(struct reach_program *program,
		       const struct reach_prefix *prefixes, size_t count);

#pragma GCC visibility pop

#endif
