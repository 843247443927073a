/* SPDX-License-Identifier: MIT */
/* What an address is reported as. Inline, since an event may change what a
 * hundred thousand are. */
#ifndef REACH_EVALUATE_H
#define REACH_EVALUATE_H

#include "core.h"

/* While nothing is reachable, which interface it would be is no change, as
 * SCNetworkReachability has it. */
static inline uint32_t
reach_reported_interface(const struct reach_verdict *verdict)
{
	return verdict->flags ? verdict->interface_index : 0;
}

static inline bool reach_is_reported(const struct reach_entry *entry,
				     const struct reach_verdict *verdict)
{
	return entry->bits & REACH_BIT_REPORTED &&
	       entry->v.flags == verdict->flags &&
	       entry->interface_index == reach_reported_interface(verdict);
}

/* Lists an entry that was evaluated if it is not what was reported. */
static inline void reach_list_if(struct reach_engine *engine, uint32_t number,
				 bool differs)
{
	struct reach_entries *entries = &engine->entries;

	reach_entry_at(entries, number)->bits |= REACH_BIT_EVALUATED;
	if (!differs) {
		reach_list_remove(entries, number, REACH_HOOK_CHANGED);
	} else if (!reach_list_has(entries, number, REACH_HOOK_CHANGED)) {
		reach_list_put(entries, REACH_LIST_EVALUATED, number,
			       REACH_HOOK_CHANGED);
		engine->stats.changes++;
	}
}

#endif
