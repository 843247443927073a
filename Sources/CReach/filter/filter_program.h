/* SPDX-License-Identifier: MIT */
/* The filter program without its decision tree: header, table and RTA_DST. */
#ifndef REACH_FILTER_FILTER_PROGRAM_H
#define REACH_FILTER_FILTER_PROGRAM_H

#include "base/prefix.h"
#include "filter/filter_buffer.h"

#pragma GCC visibility push(hidden)

/* Writes the whole program into @program, replacing an earlier one. @prefixes
 * are sorted and disjoint, and the first @inet of the @count are IPv4. A
 * program that does not fit sets @program->overflow. @return 0 or -ENOMEM. */
int reach_program_write(struct reach_program *program,
			const struct reach_prefix *prefixes, size_t count,
			size_t inet);

#pragma GCC visibility pop

#endif
