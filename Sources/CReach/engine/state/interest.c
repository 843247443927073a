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
		.count = engine->destinations.count,
	};

	if (engine->rules[0].stock)
		interest.stock |= REACH_FILTER_STOCK;
	if (engine->rules[1].stock)
		interest.stock |= REACH_FILTER_STOCK6;
	return interest;
}

/* Writes the prefixes of @length bits that cover the destinations of @family.
 * @return their number, or -ENOSPC if there are more than
 * REACH_FILTER_PREFIXES. @ret is partly written then. */
static ssize_t cover(const struct reach_engine *engine, uint16_t family,
		     uint8_t length, struct reach_prefix *ret)
{
	const struct reach_index *index = reach_index_of(engine, family);
	struct reach_prefix next = { .address.family = family,
				     .length = length };
	struct reach_cursor cursor;
	size_t count = 0;
	uint32_t number;

	if (!reach_index_seek(&engine->destinations, index, &next.address, 0,
			      &cursor))
		return 0;
	while ((number = reach_index_next(&engine->destinations, index,
					  &cursor)) != 0) {
		if (count == REACH_FILTER_PREFIXES)
			return -ENOSPC;
		memcpy(next.address.bytes,
		       reach_destination_of(engine, number)->bytes,
		       sizeof(next.address.bytes));
		ret[count++] = next;
		/* One search per prefix, not a visit of each destination inside. */
		reach_index_skip(&engine->destinations, index, &next.address,
				 length, &cursor);
	}
	return (ssize_t)count;
}

/* A program has room for about a thousand prefixes. More destinations share
 * shorter ones, and all routes inside these pass. Prefixes of 8 bits always
 * fit. */
size_t reach_interest_prefixes(const struct reach_engine *engine,
			       struct reach_prefix *ret)
{
	static const uint8_t lengths[2][6] = {
		{ 32, 24, 20, 16, 12, 8 },
		{ 128, 64, 48, 40, 32, 8 },
	};
	size_t count = 0, i, k;

	for (i = 0; i < 2; i++) {
		ssize_t more = -1;

		for (k = 0; k < 6 && more < 0; k++)
			more = cover(engine, i ? AF_INET6 : AF_INET,
				     lengths[i][k], ret + count);
		count += (size_t)more;
	}
	return count;
}
