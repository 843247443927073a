/* SPDX-License-Identifier: MIT */
#include "engine/state/state.h"

#include <sys/socket.h>

#include "base/base.h"

/* Pause before everything is looked up again, in nanoseconds. Bounds the load
 * while memory is short or the socket drops answers. */
#define RETRY_DELAY REACH_SECOND

bool reach_aggregate_has_probes(const struct reach_aggregate *aggregate)
{
	return aggregate->target.kind == REACH_TARGET_INTERNET ||
	       aggregate->resolution == REACH_RESOLUTION_PENDING;
}

void reach_mark_aggregate(struct reach_engine *engine, uint32_t number)
{
	struct reach_aggregate *aggregate =
		reach_entry_at(&engine->entries, number)->aggregate;

	if (aggregate->is_marked)
		return;
	aggregate->is_marked = true;
	aggregate->next_marked = engine->dirty.aggregates;
	engine->dirty.aggregates = number;
}

void reach_mark(struct reach_engine *engine, uint32_t number)
{
	struct reach_destination *destination =
		reach_destination_of(engine, number);
	const struct reach_entry *entry;
	uint32_t use;

	if (destination->bits & REACH_DESTINATION_STALE)
		return;
	destination->bits |= REACH_DESTINATION_STALE;
	for (use = destination->users; use;
	     use = reach_use_at(&engine->entries, use)->next) {
		entry = reach_entry_at(&engine->entries, reach_use_entry(use));
		if (entry->kind == REACH_ENTRY_ADDRESS ||
		    !reach_aggregate_has_probes(entry->aggregate)) {
			reach_list_put(&engine->destinations.table, number);
			return;
		}
		reach_mark_aggregate(engine, reach_use_entry(use));
	}
}

void reach_mark_group(struct reach_engine *engine, uint32_t path)
{
	struct reach_path *group = reach_path_at(engine, path);

	/* The lookup of a witness is due already. */
	if (group->waits && group->witness &&
	    reach_destination_of(engine, group->witness)->bits &
		    REACH_DESTINATION_STALE)
		return;
	group->witness = 0;
	group->waits = true;
	engine->dirty.groups++;
}

void reach_recompute_later(struct reach_engine *engine)
{
	engine->dirty.recompute = true;
	engine->stats.interface_changes++;
}

void reach_barrier_later(struct reach_engine *engine)
{
	engine->dirty.barrier = true;
}

void reach_retry_later(struct reach_engine *engine)
{
	engine->clock.retry = reach_after(engine->clock.now, RETRY_DELAY);
}
