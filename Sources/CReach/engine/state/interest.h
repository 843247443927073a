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

/* Counts changes of the set of destinations. An entry with the same address as
 * another one doesn't count. Written by targets/targets.c. */
struct reach_destination_counts {
	/* Destinations that came. */
	uint64_t added;
	/* Destinations that went. */
	uint64_t removed;
};

struct reach_interest {
	struct reach_destination_counts destinations;
	/* Number of addresses and parts; a destination of several counts for
	 * each. */
	size_t count;
	/* Families whose lookups consult only the stock tables, so that events
	 * of other tables can be dropped: REACH_FILTER_STOCK bits. */
	uint8_t stock;
	/* Answers may depend on any IPv6 destination, so that no filter is wide
	 * enough. True from the first segment on (segments.h). */
	bool is_unlimited;
};

struct reach_interest reach_engine_interest(const struct reach_engine *engine);

/* Writes the prefixes of @length bits that cover the destinations inside
 * @whole, ascending, each once. If @whole is longer than @length, its length is
 * used.
 * @return their number, or -ENOSPC if there are more than @capacity. @ret is
 * partly written then. */
ssize_t reach_engine_destinations(const struct reach_engine *engine,
				  const struct reach_prefix *whole,
				  uint8_t length, struct reach_prefix *ret,
				  size_t capacity);

#pragma GCC visibility pop

#endif
