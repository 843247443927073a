/* SPDX-License-Identifier: MIT */
/* The destinations that are looked up. The filter on the event socket may drop
 * events that concern none of them. */
#ifndef REACH_ENGINE_STATE_INTEREST_H
#define REACH_ENGINE_STATE_INTEREST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <reach/engine.h>

#include "base/prefix.h"

#pragma GCC visibility push(hidden)

/* Counts changes of the set of destinations. An entry whose address another
 * entry has doesn't count. Written by targets/targets.c. */
struct reach_destination_counts {
	/* Destinations that came. */
	uint64_t added;
	/* Destinations that went. */
	uint64_t removed;
};

const struct reach_destination_counts *
reach_engine_destination_counts(const struct reach_engine *engine);

/* Whether the policy rules of @family are known to be the stock ones. */
bool reach_engine_has_stock_rules(const struct reach_engine *engine,
				  uint8_t family);

/* Number of addresses and parts; a destination of several counts for each. */
size_t reach_engine_count_destinations(const struct reach_engine *engine);

/* Writes the prefixes of @length bits that cover the destinations inside
 * @whole, ascending, each once. If @whole is longer than that, its length is
 * used.
 * @return their number, or -ENOSPC if there are more than @capacity. @ret is
 * partly written then. */
ssize_t reach_engine_destinations(const struct reach_engine *engine,
				  const struct reach_prefix *whole,
				  uint8_t length, struct reach_prefix *ret,
				  size_t capacity);

/* Whether answers may depend on any IPv6 destination, so that no filter is wide
 * enough. True from the first segment on (segments.h). */
bool reach_engine_follows_segments(const struct reach_engine *engine);

#pragma GCC visibility pop

#endif
