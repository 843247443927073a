/* SPDX-License-Identifier: MIT */
/*
 * Entries with the same address and selectors need the same lookup and get the
 * same answer, whatever the policy rules are. When a batch is written, one of
 * the dirty ones is looked up. The others leave the dirty list with
 * `outstanding` set, as if each had a request in flight. An event that comes
 * before the answer marks them again.
 *
 * The index is sorted by address, then selectors, so duplicates are neighbors
 * in it.
 */
#include "engine/invalidate/invalidate.h"
#include "engine/state/state.h"
#include "engine/store/store.h"

/* `block` of a cursor for an entry without REACH_BIT_DUPLICATE. */
#define NO_BLOCK UINT32_MAX

static struct reach_entry *entry_at(const struct reach_engine *engine,
				    uint32_t number)
{
	return reach_entry_at(&engine->entries, number);
}

static const struct reach_index *index_with(const struct reach_engine *engine,
					    uint32_t number)
{
	return reach_index_of(engine, entry_at(engine, number)->family);
}

static void seek_equal(const struct reach_engine *engine, uint32_t number,
		       struct reach_cursor *cursor)
{
	reach_index_seek_equal(&engine->entries, index_with(engine, number),
			       number, cursor);
}

/* The next entry with the address and selectors of @number, itself included. */
static uint32_t next_equal(const struct reach_engine *engine, uint32_t number,
			   struct reach_cursor *cursor)
{
	const uint32_t equal = reach_index_next(
		&engine->entries, index_with(engine, number), cursor);

	if (equal != REACH_NO_ENTRY &&
	    entry_at(engine, equal)->selectors !=
		    entry_at(engine, number)->selectors)
		return REACH_NO_ENTRY;
	return equal;
}

void reach_duplicates_detect(struct reach_engine *engine, uint32_t number)
{
	struct reach_cursor cursor;
	uint32_t duplicate;

	seek_equal(engine, number, &cursor);
	duplicate = next_equal(engine, number, &cursor);
	if (duplicate == number)
		duplicate = next_equal(engine, number, &cursor);
	if (duplicate == REACH_NO_ENTRY)
		return;
	/* With more than two, the others have the bit already. */
	entry_at(engine, number)->bits |= REACH_BIT_DUPLICATE;
	entry_at(engine, duplicate)->bits |= REACH_BIT_DUPLICATE;
}

/* Takes the mark off an entry. @return whether it had one. */
static bool unmark(struct reach_engine *engine, uint32_t number)
{
	struct reach_entry *entry = entry_at(engine, number);
	bool marked = entry->bits & REACH_BIT_DIRTY;

	if (entry->kind == REACH_ENTRY_PART) {
		entry->bits &= (uint16_t)~REACH_BIT_DIRTY;
		return marked;
	}
	marked = reach_list_has(&engine->entries, number, REACH_HOOK_DIRTY);
	reach_list_remove(&engine->entries, number, REACH_HOOK_DIRTY);
	return marked;
}

void reach_duplicates_join(struct reach_engine *engine, uint32_t number)
{
	struct reach_cursor cursor;
	bool alone = true;
	uint32_t duplicate;

	if (reach_list_empty(&engine->entries, REACH_LIST_DIRTY,
			     REACH_HOOK_DIRTY))
		return;
	seek_equal(engine, number, &cursor);
	while ((duplicate = next_equal(engine, number, &cursor)) !=
	       REACH_NO_ENTRY) {
		if (duplicate == number)
			continue;
		alone = false;
		if (unmark(engine, duplicate))
			entry_at(engine, duplicate)->outstanding = 1;
	}
	/* The last duplicate was removed since the bit was set. */
	if (alone)
		entry_at(engine, number)->bits &=
			(uint16_t)~REACH_BIT_DUPLICATE;
}

uint32_t reach_duplicates_first(const struct reach_engine *engine,
				uint32_t number, struct reach_cursor *cursor)
{
	const struct reach_entry *entry = entry_at(engine, number);

	if (entry->bits & REACH_BIT_DUPLICATE) {
		seek_equal(engine, number, cursor);
		return reach_duplicates_next(engine, number, cursor);
	}
	cursor->block = NO_BLOCK;
	return entry->outstanding ? number : REACH_NO_ENTRY;
}

uint32_t reach_duplicates_next(const struct reach_engine *engine,
			       uint32_t number, struct reach_cursor *cursor)
{
	uint32_t duplicate;

	if (cursor->block == NO_BLOCK)
		return REACH_NO_ENTRY;
	do
		duplicate = next_equal(engine, number, cursor);
	while (duplicate != REACH_NO_ENTRY &&
	       !entry_at(engine, duplicate)->outstanding);
	return duplicate;
}

void reach_duplicates_mark(struct reach_engine *engine, uint32_t number)
{
	struct reach_cursor cursor;
	uint32_t duplicate;

	for (duplicate = reach_duplicates_first(engine, number, &cursor);
	     duplicate != REACH_NO_ENTRY;
	     duplicate = reach_duplicates_next(engine, number, &cursor)) {
		entry_at(engine, duplicate)->outstanding = 0;
		reach_mark(engine, duplicate);
	}
}
