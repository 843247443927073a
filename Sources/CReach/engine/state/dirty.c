/* SPDX-License-Identifier: MIT */
#include "engine/state/state.h"

#include <sys/socket.h>

#include "base/base.h"
#include "engine/store/store.h"

/* Pause before everything is looked up again, in nanoseconds. Bounds the load
 * while memory is short or the socket drops answers. */
#define RETRY_DELAY REACH_SECOND

void reach_mark(struct reach_engine *engine, uint32_t number)
{
	struct reach_entry *entry = reach_entry_at(&engine->entries, number);
	uint32_t i;

	/* Parts are not on the list. Their lookups go with those of the
	 * aggregate, so its verdict comes from one batch. */
	if (entry->kind == REACH_ENTRY_PART) {
		entry->bits |= REACH_BIT_DIRTY;
		number = entry->owner;
	} else if (entry->kind == REACH_ENTRY_AGGREGATE) {
		for (i = 0; i < entry->aggregate->part_count; i++)
			reach_entry_at(&engine->entries,
				       entry->aggregate->parts[i])
				->bits |= REACH_BIT_DIRTY;
	}
	reach_list_put(&engine->entries, REACH_LIST_DIRTY, number,
		       REACH_HOOK_DIRTY);
}

bool reach_mark_is_family(const struct reach_engine *engine, uint8_t family)
{
	return engine->dirty.all ||
	       (family == AF_INET ? engine->dirty.inet : engine->dirty.inet6);
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
