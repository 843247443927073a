/* SPDX-License-Identifier: MIT */
/* The decision tree over the watched prefixes. */
#ifndef REACH_FILTER_FILTER_TREE_H
#define REACH_FILTER_FILTER_TREE_H

#include "base/prefix.h"
#include "filter/filter_buffer.h"

#pragma GCC visibility push(hidden)

/* Appends code that passes a route whose prefix overlaps one of @prefixes and
 * drops all others. @prefixes are of one family, sorted and disjoint; @count is
 * 1 or more.
 * @return 0 or -ENOMEM. */
int reach_program_tree(struct reach_program *program,
		       const struct reach_prefix *prefixes, size_t count);

#pragma GCC visibility pop

#endif
