/* SPDX-License-Identifier: MIT */
/* The program around the tree. */
#ifndef REACH_FILTER_FILTER_PROGRAM_H
#define REACH_FILTER_FILTER_PROGRAM_H

#include "base/prefix.h"
#include "filter/filter_emit.h"

#pragma GCC visibility push(hidden)

/* Writes it from the start. @prefixes are
 * sorted and disjoint, the first @inet of them IPv4. 0 or -ENOMEM. */
int reach_program_write(struct reach_program *program,
			const struct reach_prefix *prefixes, size_t count,
			size_t inet);

#pragma GCC visibility pop

#endif
