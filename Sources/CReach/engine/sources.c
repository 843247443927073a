/* SPDX-License-Identifier: MIT */
/* The public functions of an engine by which its caller names sources for
 * second lookups (state/seconds.h). */
#include <errno.h>
#include <sys/socket.h>

#include "base/sized.h"
#include "engine/engine.h"
#include "engine/state/evaluate.h"
#include "engine/state/seconds.h"
#include "engine/state/selectors.h"
#include "engine/state/state.h"
#include "engine/state/verdict.h"

#define REQUEST_SIZE_1_0 REACH_SIZE_TO(struct reach_source_request, uid)

/* Routes that are read, once, for however few entries: as much as two or three
 * errors cost without. */
#define ROUTES_MIN 64

/* A route takes less to read than an entry to look up. */
size_t reach_engine_wants_source_routes(const struct reach_engine *engine)
{
	const size_t count = engine->entries.destinations;

	if (!engine->seconds.count || engine->seconds.sent ||
	    !reach_rules_want_source_routes(engine))
		return 0;
	return count > ROUTES_MIN ? count : ROUTES_MIN;
}

void reach_engine_set_source_routes(struct reach_engine *engine, bool any)
{
	reach_rules_set_source_routes(engine, any);
}

int reach_engine_wants_source(struct reach_engine *engine,
			      struct reach_source_request *ret)
{
	struct reach_source_request request = { .size = sizeof(request) };
	const struct reach_selectors *selectors;
	const struct reach_second *second;
	const struct reach_entry *entry;

	if (!reach_sized_is_valid(ret, REQUEST_SIZE_1_0))
		return -EINVAL;
	if (reach_rules_ignore_source(engine, AF_INET6))
		return 0;
	second = reach_seconds_hand(engine);
	if (!second)
		return 0;
	entry = reach_entry_at(&engine->entries, second->first.subject);
	selectors = reach_selectors_at(engine, entry->selectors);
	request.id = (uint64_t)(second - engine->seconds.items) + 1;
	request.destination = reach_entry_address(engine, entry);
	request.interface_index = selectors->scope;
	request.mark = selectors->key.mark;
	request.uid = selectors->key.uid;
	reach_sized_write(ret, &request, sizeof(request));
	return 1;
}

int reach_engine_set_source(struct reach_engine *engine, uint64_t id,
			    const struct reach_address *source, int error)
{
	struct reach_second *second;

	if (source ? source->family != AF_INET6 || source->reserved || error
		   : error >= 0)
		return -EINVAL;
	if (!id || id > engine->seconds.handed || engine->seconds.sent)
		return -ENOENT;
	second = &engine->seconds.items[id - 1];
	if (second->state != REACH_SECOND_WANTS_SOURCE)
		return -ENOENT;
	if (source) {
		second->source = *source;
		second->state = REACH_SECOND_HAS_SOURCE;
		return 0;
	}
	second->state = REACH_SECOND_FAILED;
	/* Any other error is one of the socket, and says nothing of routes. */
	if (-error <= UINT16_MAX && reach_error_is_of_route((uint16_t)-error))
		second->error = (uint16_t)-error;
	return 0;
}
