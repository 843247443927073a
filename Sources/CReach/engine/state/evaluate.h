/* SPDX-License-Identifier: MIT */
/*
 * Evaluation: the verdict of a target, and whether it differs from the last
 * report. Verdicts are compared by a 64-bit digest, which fits in the entry.
 * Inline where one event may evaluate a hundred thousand entries.
 */
#ifndef REACH_ENGINE_STATE_EVALUATE_H
#define REACH_ENGINE_STATE_EVALUATE_H

#include "engine/state/state.h"
#include "engine/store/lists.h"

#pragma GCC visibility push(hidden)

/* The interface as part of the digest: 0 while there are no flags, since
 * Apple's SCNetworkReachability reports no change of the interface then. */
static inline uint32_t
reach_reported_interface(const struct reach_verdict *verdict)
{
	return verdict->flags ? verdict->interface_index : 0;
}

/* Digest of a target that reports its verdict. */
static inline uint64_t reach_report_verdict(const struct reach_verdict *verdict)
{
	return (uint64_t)reach_reported_interface(verdict) << 32 |
	       verdict->flags;
}

/* Digest of a target that reports its path (REACH_REPORT_PATH): a hash of all
 * members that a state has. */
static inline uint64_t reach_report_path(const struct reach_verdict *verdict)
{
	struct reach_verdict shown = *verdict;

	_Static_assert(sizeof(shown) == 80, "hashed as a whole");
	shown.rule = 0;
	return reach_hash(&shown, sizeof(shown));
}

/* Whether @report equals the last report. */
static inline bool reach_is_reported(const struct reach_entry *entry,
				     uint64_t report)
{
	return entry->bits & REACH_BIT_REPORTED && entry->reported == report;
}

/* Records that target @number was evaluated. Lists it for the next publication
 * if it @differs from the last report, else removes it from that list. */
static inline void reach_list_changed(struct reach_engine *engine,
				      uint32_t number, bool differs)
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

/* Evaluates target @number, or the aggregate of part @number: computes its
 * verdict and lists it if that differs from the last report. No effect while it
 * is dirty, or an answer or a path's source is outstanding. */
void reach_evaluate(struct reach_engine *engine, uint32_t number);

/* Current verdict of a target; no route before its first answer. */
const struct reach_verdict *
reach_entry_verdict(const struct reach_engine *engine,
		    const struct reach_entry *entry);

/* Whether the current state of a target differs from the reported one. */
bool reach_entry_differs(const struct reach_engine *engine,
			 const struct reach_entry *entry);

/* Makes the current state of a target the reported one. @return whether it
 * differed. */
bool reach_entry_report(const struct reach_engine *engine,
			struct reach_entry *entry);

/* Whether the entry's path still lacks its source (paths.h). */
bool reach_entry_is_unsettled(const struct reach_engine *engine,
			      const struct reach_entry *entry);

/* Address of a part or an address target. */
struct reach_address reach_entry_address(const struct reach_engine *engine,
					 const struct reach_entry *entry);

#pragma GCC visibility pop

#endif
