/* SPDX-License-Identifier: MIT */
#include "engine/state/state.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "filter/filter.h"

struct reach_interest reach_engine_interest(const struct reach_engine *engine)
{
	struct reach_interest interest = {
		.destinations = engine->destination_counts,
		.count = engine->entries.destinations,
	};

	if (engine->rules[0].stock)
		interest.stock |= REACH_FILTER_STOCK;
	if (engine->rules[1].stock)
		interest.stock |= REACH_FILTER_STOCK6;
	return interest;
}

ssize_t reach_engine_destinations(const struct reach_engine *engine,
				  const struct reach_prefix *whole,
				  uint8_t length, struct reach_prefix *ret,
				  size_t capacity)
{
	const struct reach_index *index =
		reach_index_of(engine, whole->address.family);
	struct reach_prefix next = *whole;
	struct reach_cursor cursor;
	size_t count = 0;
	uint32_t number;

	if (next.length < length)
		next.length = length;
	if (!reach_index_seek(&engine->entries, index, &whole->address,
			      whole->length, &cursor))
		return 0;
	while ((number = reach_index_next(&engine->entries, index, &cursor)) !=
	       REACH_NO_ENTRY) {
		if (count == capacity)
			return -ENOSPC;
		memcpy(next.address.bytes,
		       reach_entry_at(&engine->entries, number)->bytes,
		       sizeof(next.address.bytes));
		ret[count++] = next;
		/* One search per prefix, not a visit of each entry inside. */
		reach_index_skip(&engine->entries, index, &next.address,
				 next.length, &cursor);
	}
	return (ssize_t)count;
}
