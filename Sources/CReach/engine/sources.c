/* SPDX-License-Identifier: MIT */
/* The public functions of an engine that supply sources for second lookups
 * (state/state.h) and segments (state/state.h). */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/base.h"
#include "engine/engine.h"
#include "engine/state/state.h"
#include "engine/verdict/verdict.h"

#define REQUEST_SIZE_1_0 REACH_SIZE_TO(struct reach_source_request, uid)

/* Number of routes to read once, even for very few entries. Reading them costs
 * as much as the second lookups of two or three errors, which it may save. */
#define ROUTES_MIN 64

/* The id of a request is 1 + its position among the second lookups, or
 * SEGMENT + the number of a segment. */
#define SEGMENT (UINT64_C(1) << 32)

bool reach_engine_wants_input(const struct reach_engine *engine)
{
	return engine->evidence_from || engine->second_lookups.count ||
	       engine->segments.queued;
}

/* A route takes less to read than an entry to look up. */
size_t reach_engine_wants_source_routes(const struct reach_engine *engine)
{
	const size_t count = engine->entries.destinations;

	if (!engine->second_lookups.count || engine->second_lookups.sent ||
	    !reach_rules_want_source_routes(engine))
		return 0;
	return count > ROUTES_MIN ? count : ROUTES_MIN;
}

void reach_engine_set_source_routes(struct reach_engine *engine, bool any)
{
	reach_rules_set_source_routes(engine, any);
}

/* Sets @ret to a request for the source of a second lookup. @return whether
 * there is one. */
static bool request_for_entry(struct reach_engine *engine,
			      struct reach_source_request *ret)
{
	const struct reach_second_lookup *second =
		reach_second_lookups_hand(engine);
	const struct reach_selectors *selectors;
	const struct reach_entry *entry;

	if (!second)
		return false;
	entry = reach_entry_at(&engine->entries, second->first.subject);
	selectors = reach_selectors_at(engine, entry->selectors);
	ret->id = (uint64_t)(second - engine->second_lookups.items) + 1;
	ret->destination = reach_entry_address(engine, entry);
	ret->interface_index = selectors->scope;
	ret->mark = selectors->key.mark;
	ret->uid = selectors->key.uid;
	return true;
}

static bool request_for_segment(struct reach_engine *engine,
				struct reach_source_request *ret)
{
	const uint32_t number = reach_segments_hand(engine);
	const struct reach_segment_key *key;

	if (!number)
		return false;
	key = reach_segments_key(engine, number);
	ret->id = SEGMENT + number;
	ret->destination = (struct reach_address){ .family = AF_INET6 };
	memcpy(ret->destination.bytes, key->bytes, sizeof(key->bytes));
	ret->mark = key->mark;
	ret->uid = REACH_UID_CALLER;
	return true;
}

int reach_engine_wants_source(struct reach_engine *engine,
			      struct reach_source_request *ret)
{
	struct reach_source_request request = { .size = sizeof(request) };

	if (!reach_sized_is_valid(ret, REQUEST_SIZE_1_0))
		return -EINVAL;
	if (!request_for_entry(engine, &request) &&
	    (reach_rules_ignore_source(engine, AF_INET6) ||
	     !request_for_segment(engine, &request)))
		return 0;
	reach_sized_write(ret, &request, sizeof(request));
	return 1;
}

static int set_source_of_entry(struct reach_engine *engine, uint64_t id,
			       const struct reach_address *source,
			       uint16_t error)
{
	struct reach_second_lookup *second;

	if (!id || id > engine->second_lookups.handed ||
	    engine->second_lookups.sent)
		return -ENOENT;
	second = &engine->second_lookups.items[id - 1];
	if (second->state != REACH_SECOND_WANTS_SOURCE)
		return -ENOENT;
	/* A route without a source is an answer, too. */
	if (source || (second->has_route && error == EADDRNOTAVAIL))
		second->state = REACH_SECOND_HAS_SOURCE;
	else
		second->state = REACH_SECOND_FAILED;
	if (source)
		second->source = *source;
	else if (error != EADDRNOTAVAIL)
		second->error = error;
	return 0;
}

int reach_engine_set_source(struct reach_engine *engine, uint64_t id,
			    const struct reach_address *source, int error)
{
	uint16_t routes = 0;

	if (source ? source->family != AF_INET6 || source->reserved || error
		   : error >= 0)
		return -EINVAL;
	if (id <= SEGMENT && error == -EADDRNOTAVAIL)
		return set_source_of_entry(engine, id, NULL, EADDRNOTAVAIL);
	/* Any other error is the socket's, and says nothing about routes. */
	if (-error <= UINT16_MAX && reach_error_is_of_route((uint16_t)-error))
		routes = (uint16_t)-error;
	if (id <= SEGMENT)
		return set_source_of_entry(engine, id, source, routes);
	if (id - SEGMENT > UINT32_MAX)
		return -ENOENT;
	return reach_segments_set_source(engine, (uint32_t)(id - SEGMENT),
					 source, routes);
}
