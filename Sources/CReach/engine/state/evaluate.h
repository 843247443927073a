/* SPDX-License-Identifier: MIT */
/* What an entry is reported as, in 64 bits. Inline, since an event may change
 * what a hundred thousand are. */
#ifndef REACH_ENGINE_STATE_EVALUATE_H
#define REACH_ENGINE_STATE_EVALUATE_H

#include "engine/state/state.h"
#include "engine/store/lists.h"

#pragma GCC visibility push(hidden)

/* While nothing is reachable, which interface it would be is no change, as
 * SCNetworkReachability has it. */
static inline uint32_t
reach_reported_interface(const struct reach_verdict *verdict)
{
	return verdict->flags ? verdict->interface_index : 0;
}

static inline uint64_t reach_report_verdict(const struct reach_verdict *verdict)
{
	return (uint64_t)reach_reported_interface(verdict) << 32 |
	       verdict->flags;
}

/* A digest, since a path does not fit the entry. */
static inline uint64_t reach_report_path(const struct reach_verdict *verdict)
{
	_Static_assert(sizeof(*verdict) == 80, "hashed as a whole");
	return reach_hash(verdict, sizeof(*verdict));
}

static inline bool reach_is_reported(const struct reach_entry *entry,
				     uint64_t report)
{
	return entry->bits & REACH_BIT_REPORTED && entry->reported == report;
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

/* Draws the verdict of a target, or of a part's owner, unless answers are
 * missing, and lists it if it differs from what was reported. */
void reach_evaluate(struct reach_engine *engine, uint32_t number);

/* What the entry comes to now. */
const struct reach_verdict *
reach_entry_verdict(const struct reach_engine *engine,
		    const struct reach_entry *entry);

/* Whether that is not what was reported, and makes it so. */
bool reach_entry_differs(const struct reach_engine *engine,
			 const struct reach_entry *entry);
void reach_entry_set_reported(const struct reach_engine *engine,
			      struct reach_entry *entry);

/* Whether the source that the path is to have is not known yet. */
bool reach_entry_is_unsettled(const struct reach_engine *engine,
			      const struct reach_entry *entry);

/* The address that a part or an address target is. */
struct reach_address reach_entry_address(const struct reach_engine *engine,
					 const struct reach_entry *entry);

#pragma GCC visibility pop

#endif
