/* SPDX-License-Identifier: MIT */
#include "engine/query/query.h"

#include <sys/socket.h>

#include "engine/state/state.h"

/* Whether to send the second lookup: not if the rules, which were unknown at
 * the first answer, turn out not to select by source. */
static bool is_due(const struct reach_engine *engine,
		   const struct reach_second_lookup *second)
{
	const uint8_t family = (uint8_t)second->source.family;

	if (second->state != REACH_SECOND_HAS_SOURCE || !family)
		return false;
	return second->whatever_the_rules || second->by_legs ||
	       (family == AF_INET6 && !second->has_route) ||
	       !reach_rules_ignore_source(engine, family);
}

/* Writes what @second, at @position, needs next. @return the bytes written; 0
 * also if the first answer stands. */
static size_t write_next(struct reach_engine *engine, uint8_t *buffer,
			 uint32_t position)
{
	struct reach_second_lookup *second =
		&engine->second_lookups.items[position];
	size_t used;

	if (second->state == REACH_SECOND_OTHER_LINKS) {
		used = reach_change_over_write(engine, buffer, position);
		if (used)
			return used;
		if (reach_answers_end_change_over(engine, second))
			return 0;
	}
	if (!is_due(engine, second)) {
		reach_answers_stand(engine, second);
		second->state = REACH_SECOND_SENT;
		return 0;
	}
	second->state = REACH_SECOND_SENT;
	used = reach_lookup_write(engine, buffer, REACH_REQUEST_SECOND,
				  second->first.subject, &second->source,
				  second->vrf);
	engine->batch.requests[engine->batch.count - 1].position = position;
	return used;
}

size_t reach_second_lookups_write(struct reach_engine *engine, uint8_t *buffer)
{
	struct reach_second_lookups *lookups = &engine->second_lookups;
	size_t used = 0;
	uint32_t i;

	for (i = 0; i < lookups->count; i++) {
		const struct reach_second_lookup *second = &lookups->items[i];

		if (second->state != REACH_SECOND_SENT &&
		    engine->batch.outstanding + 2 <= REACH_BATCH &&
		    reach_request_is_current(&second->first))
			used += write_next(engine, buffer + used, i);
	}
	if (!used)
		reach_second_lookups_clear(engine);
	return used;
}
