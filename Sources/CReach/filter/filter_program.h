/* SPDX-License-Identifier: MIT */
/* The filter program without its decision tree: header, table and RTA_DST. */
#ifndef REACH_FILTER_FILTER_PROGRAM_H
#define REACH_FILTER_FILTER_PROGRAM_H

#include "base/prefix.h"
#include "filter/filter_buffer.h"

#pragma GCC visibility push(hidden)

/* Writes the whole program, and replaces what @program has. @prefixes are
 * sorted and disjoint, the first @inet of the @count IPv4. A program that does
 * not fit sets @program->overflow. @return 0 or -ENOMEM. */
int reach_program_write(struct reach_program *program,
			const struct reach_prefix *prefixes, size_t count,
			size_t inet);

#pragma GCC visibility pop

#endif
