/* SPDX-License-Identifier: MIT */
/* The public functions of an engine that supply sources for second lookups
 * (state/state.h). */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/base.h"
#include "engine/engine.h"
#include "engine/state/state.h"
#include "engine/verdict/verdict.h"

/* Number of routes to read once, even for very few destinations. Reading them costs
 * as much as the second lookups of two or three errors, which it may save. */
#define ROUTES_MIN 64

bool reach_engine_wants_input(const struct reach_engine *engine)
{
	return engine->evidence_from || engine->second_lookups.count ||
	       reach_rules_want_source_routes(engine);
}

/* A route takes less to read than a destination to look up. */
size_t reach_engine_wants_source_routes(const struct reach_engine *engine)
{
	const size_t count = engine->destinations.count;

	if (!reach_rules_want_source_routes(engine))
		return 0;
	return count > ROUTES_MIN ? count : ROUTES_MIN;
}

static bool has_dead_leg(const struct reach_second_lookup *second)
{
	const struct reach_reply *match =
		&second->first.replies[REACH_REPLY_MATCH];

	return second->by_legs && match->usable_legs < match->legs;
}

bool reach_engine_wants_settings(const struct reach_engine *engine)
{
	const struct reach_second_lookups *lookups = &engine->second_lookups;
	size_t i;

	for (i = 0; i < lookups->count; i++)
		if (lookups->items[i].state == REACH_SECOND_OTHER_LINKS ||
		    has_dead_leg(&lookups->items[i]))
			return true;
	return false;
}

/* The next second lookup whose source the caller must supply, or NULL. Returns
 * each once. */
static struct reach_second_lookup *hand(struct reach_engine *engine)
{
	struct reach_second_lookups *lookups = &engine->second_lookups;

	while (lookups->handed < lookups->count) {
		struct reach_second_lookup *second =
			&lookups->items[lookups->handed++];

		if (second->state == REACH_SECOND_WANTS_SOURCE &&
		    (second->has_route ||
		     !reach_rules_ignore_source(engine, AF_INET6)) &&
		    reach_request_is_current(&second->first))
			return second;
	}
	return NULL;
}

int reach_engine_wants_source(struct reach_engine *engine,
			      struct reach_source_request *ret)
{
	const struct reach_second_lookup *second = hand(engine);
	const struct reach_selectors *selectors;
	const struct reach_destination *destination;

	if (!second)
		return 0;
	destination = reach_destination_of(engine, second->first.subject);
	selectors = reach_selectors_at(engine, destination->selectors);
	*ret = (struct reach_source_request){
		.destination = reach_destination_scoped(engine, destination),
		.interface_index = selectors->bound,
		.mark = selectors->key.mark,
		.uid = selectors->key.uid,
	};
	return 1;
}

void reach_engine_set_source(struct reach_engine *engine,
			     const struct reach_address *source, int error)
{
	struct reach_second_lookup *second =
		&engine->second_lookups
			 .items[engine->second_lookups.handed - 1];

	/* IPv4 connects without a source, too. */
	if (source && reach_address_is_any(source)) {
		source = NULL;
		error = -EADDRNOTAVAIL;
	}
	/* A route without a source is an answer, too. */
	if (source || (second->has_route && error == -EADDRNOTAVAIL))
		second->state = REACH_SECOND_HAS_SOURCE;
	else
		second->state = REACH_SECOND_FAILED;
	if (source)
		second->source = *source;
	/* Any other error is the socket's, and says nothing about routes. */
	else if (-error <= UINT16_MAX &&
		 reach_error_is_of_route((uint16_t)-error))
		second->error = (uint16_t)-error;
}
