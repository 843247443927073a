/* SPDX-License-Identifier: MIT */
/*
 * An extra mark costs a lookup, a missing one is a wrong verdict. So in doubt
 * mark the wider set. Scans of all paths are cheap: each distinct answer has
 * one path, however many entries got it.
 */
#include "engine/invalidate/invalidate.h"

#include <sys/socket.h>

#include "base/base.h"
#include "engine/state/state.h"
#include "engine/verdict/verdict.h"

/* Visit budget between two batches: VISITS per entry, plus VISITS_MIN so that a
 * small family is not soon marked as a whole. It bounds the cost of a storm of
 * events before the next batch. Beyond it the whole family is marked, and
 * further events cost O(1). */
#define VISITS	   4
#define VISITS_MIN 1024

void reach_mark_all(struct reach_engine *engine)
{
	reach_equivalence_dissolve_family(engine, AF_INET);
	reach_equivalence_dissolve_family(engine, AF_INET6);
	/* Different answers from now on are not corrections. */
	reach_confirmation_disregard(engine);
	engine->dirty.all = true;
}

void reach_mark_family(struct reach_engine *engine, uint8_t family)
{
	reach_equivalence_dissolve_family(engine, family);
	if (family == AF_INET)
		engine->dirty.inet = true;
	else if (family == AF_INET6)
		engine->dirty.inet6 = true;
}

void reach_mark_spend(struct reach_engine *engine, uint8_t family,
		      size_t visits)
{
	engine->dirty.visits += visits;
	if (engine->dirty.visits >
	    VISITS_MIN + VISITS * (size_t)engine->entries.destinations)
		reach_mark_family(engine, family);
}

/* Marks the entries that wait for the answer to @request. */
static void mark_asked(struct reach_engine *engine,
		       const struct reach_request *request)
{
	struct reach_cursor cursor;
	uint32_t number;

	if (!reach_request_is_current(engine, request))
		return;
	for (number = reach_duplicates_first(engine, request->subject, &cursor);
	     number != REACH_NO_ENTRY;
	     number = reach_duplicates_next(engine, request->subject, &cursor))
		reach_mark(engine, number);
}

void reach_mark_in_flight(struct reach_engine *engine)
{
	size_t i;

	for (i = 0; i < engine->second_lookups.count; i++)
		mark_asked(engine, &engine->second_lookups.items[i].first);
	if (!engine->batch.outstanding)
		return;
	/* Source lookups in flight need no mark: `source_generation` of the
	 * path detects an outdated answer. */
	for (i = 0; i < engine->batch.count; i++)
		if (engine->batch.requests[i].kind == REACH_REQUEST_LOOKUP)
			mark_asked(engine, &engine->batch.requests[i]);
}

void reach_mark_path(struct reach_engine *engine, uint32_t path)
{
	uint32_t number, next;
	size_t visits = 0;

	reach_equivalence_begin(engine);
	reach_path_unsettle(reach_path_at(engine, path));
	for (number = reach_path_at(engine, path)->first;
	     number != REACH_NO_ENTRY; number = next) {
		next = reach_entry_at(&engine->entries, number)->path_next;
		/* The entries of a path share the length of their match. Only
		 * with length 0 do they all have the same route. */
		reach_equivalence_mark(engine, number, 0);
		visits++;
	}
	reach_mark_spend(engine, reach_path_at(engine, path)->key.family,
			 visits);
}

/* Includes aggregates without parts, which are in no index. */
static void mark_everything(struct reach_engine *engine)
{
	const struct reach_entries *entries = &engine->entries;
	uint32_t i;

	for (i = REACH_LISTS; i < entries->used; i++) {
		const struct reach_entry *entry = reach_entry_at(entries, i);

		if (entry->kind != REACH_ENTRY_FREE &&
		    entry->kind != REACH_ENTRY_GROUP)
			reach_mark(engine, i);
	}
}

/* Uses the index of the family, since it may have few of many entries. */
static void mark_indexed(struct reach_engine *engine, uint8_t family)
{
	const struct reach_index *index = reach_index_of(engine, family);
	const struct reach_address all = { .family = family };
	struct reach_cursor cursor;
	uint32_t number;

	if (!reach_index_seek(&engine->entries, index, &all, 0, &cursor))
		return;
	while ((number = reach_index_next(&engine->entries, index, &cursor)) !=
	       REACH_NO_ENTRY)
		reach_mark(engine, number);
}

/* Marks the entries of a path without forming a group: their lookups name
 * another interface now, and the answers may differ. */
static void mark_on_path(struct reach_engine *engine, uint32_t path)
{
	const uint8_t family = reach_path_at(engine, path)->key.family;
	uint32_t number = reach_path_at(engine, path)->first;
	size_t visits = 0;

	if (reach_mark_is_family(engine, family))
		return;
	for (; number != REACH_NO_ENTRY; visits++) {
		reach_mark(engine, number);
		number = reach_entry_at(&engine->entries, number)->path_next;
	}
	reach_mark_spend(engine, family, visits);
}

/* Marks the entries of selectors with `moved`, and clears it. Entries without a
 * path need no mark: they are dirty already, or aggregates without parts, whose
 * verdict depends on links and addresses alone. */
static void mark_moved(struct reach_engine *engine)
{
	uint32_t i;

	for (i = 1; i < engine->paths.used; i++) {
		const struct reach_path *path = reach_path_at(engine, i);

		if (path->record.references &&
		    reach_selectors_at(engine, path->key.selectors)->moved)
			mark_on_path(engine, i);
	}
	for (i = 1; i < engine->selectors.used; i++)
		((struct reach_selectors *)reach_pool_at(&engine->selectors, i))
			->moved = false;
}

void reach_mark_selected(struct reach_engine *engine, uint32_t index,
			 const struct reach_address *local)
{
	bool any = false;
	uint32_t i;

	/* Marking by `moved` visits each path once, however many selectors
	 * there are. */
	for (i = 1; i < engine->selectors.used; i++) {
		struct reach_selectors *selectors =
			reach_pool_at(&engine->selectors, i);

		if (!selectors->record.references)
			continue;
		if ((index && (selectors->scope == index ||
			       selectors->key.scope_id == index)) ||
		    (local && selectors->key.local.family &&
		     reach_address_equal(&selectors->key.local, local))) {
			selectors->moved = true;
			any = true;
		}
	}
	if (any)
		mark_moved(engine);
}

/* Only IPv4 keeps a source for all entries of a path (REACH_PATH_SHARED), so
 * only its marks make sources unknown. */
static void flush_marks(struct reach_engine *engine)
{
	uint32_t i;

	if (engine->dirty.all)
		mark_everything(engine);
	else if (engine->dirty.inet)
		mark_indexed(engine, AF_INET);
	if (!engine->dirty.all && engine->dirty.inet6)
		mark_indexed(engine, AF_INET6);
	for (i = 1; i < engine->paths.used; i++) {
		struct reach_path *path = reach_path_at(engine, i);

		if (path->record.references &&
		    (engine->dirty.all || engine->dirty.inet))
			reach_path_unsettle(path);
	}
}

void reach_mark_flush(struct reach_engine *engine)
{
	if (engine->dirty.recompute && reach_selectors_resolve(engine))
		mark_moved(engine);
	if (engine->dirty.all || engine->dirty.inet || engine->dirty.inet6)
		flush_marks(engine);
	engine->dirty.all = false;
	engine->dirty.inet = false;
	engine->dirty.inet6 = false;
	engine->dirty.visits = 0;
	reach_paths_recompute(engine);
}

void reach_mark_expired(struct reach_engine *engine)
{
	uint32_t i;

	engine->clock.deadline = INT64_MAX;
	reach_confirmation_disregard(engine);
	for (i = 1; i < engine->paths.used; i++) {
		const struct reach_path *path = reach_path_at(engine, i);

		if (!path->record.references)
			continue;
		if (path->key.deadline <= engine->clock.now)
			reach_mark_path(engine, i);
		else if (path->key.deadline < engine->clock.deadline)
			engine->clock.deadline = path->key.deadline;
	}
}
