/* SPDX-License-Identifier: MIT */
/*
 * One question for equal entries.
 *
 * Entries with the same address and profile put the same question, and get the
 * same answer, whatever the rules are. Of those that are marked when a batch is
 * written one is asked, and the others wait for its answer: as if each had been
 * asked, an answer is missing for it, and an event marks it again. They are
 * neighbours in the index.
 */
#include "engine/core.h"

static struct reach_entry *entry_at(const struct reach_engine *engine,
				    uint32_t number)
{
	return reach_entry_at(&engine->entries, number);
}

static const struct reach_index *index_of(const struct reach_engine *engine,
					  uint32_t number)
{
	return &engine->indices[entry_at(engine, number)->family == AF_INET6];
}

static void begin(const struct reach_engine *engine, uint32_t number,
		  struct reach_cursor *cursor)
{
	reach_index_seek_equal(&engine->entries, index_of(engine, number),
			       number, cursor);
}

static uint32_t next(const struct reach_engine *engine, uint32_t number,
		     struct reach_cursor *cursor)
{
	const uint32_t profile = entry_at(engine, number)->profile;
	uint32_t twin;

	do
		twin = reach_index_next(&engine->entries,
					index_of(engine, number), cursor);
	while (twin == number);
	if (twin != REACH_NO_ENTRY &&
	    entry_at(engine, twin)->profile != profile)
		return REACH_NO_ENTRY;
	return twin;
}

void reach_twins_enter(struct reach_engine *engine, uint32_t number)
{
	struct reach_cursor cursor;
	uint32_t twin;

	begin(engine, number, &cursor);
	twin = next(engine, number, &cursor);
	if (twin == REACH_NO_ENTRY)
		return;
	/* If there are more they know it. */
	entry_at(engine, number)->bits |= REACH_BIT_TWIN;
	entry_at(engine, twin)->bits |= REACH_BIT_TWIN;
}

/* Takes the mark off an entry; whether it had one. */
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

bool reach_twins_wait(struct reach_engine *engine, uint32_t number)
{
	struct reach_entry *entry = entry_at(engine, number);
	struct reach_cursor cursor;
	bool alone = true, any = false;
	uint32_t twin;

	if (reach_list_empty(&engine->entries, REACH_LIST_DIRTY,
			     REACH_HOOK_DIRTY))
		return false;
	begin(engine, number, &cursor);
	while ((twin = next(engine, number, &cursor)) != REACH_NO_ENTRY) {
		alone = false;
		if (!unmark(engine, twin))
			continue;
		entry_at(engine, twin)->outstanding = 1;
		any = true;
	}
	if (alone)
		entry->bits &= (uint16_t)~REACH_BIT_TWIN;
	return any;
}

void reach_twins_begin(const struct reach_engine *engine, uint32_t number,
		       struct reach_cursor *cursor)
{
	begin(engine, number, cursor);
}

uint32_t reach_twins_next(const struct reach_engine *engine, uint32_t number,
			  struct reach_cursor *cursor)
{
	uint32_t twin;

	do
		twin = next(engine, number, cursor);
	while (twin != REACH_NO_ENTRY && !entry_at(engine, twin)->outstanding);
	return twin;
}

void reach_twins_mark(struct reach_engine *engine, uint32_t number)
{
	struct reach_cursor cursor;
	uint32_t twin;

	begin(engine, number, &cursor);
	while ((twin = reach_twins_next(engine, number, &cursor)) !=
	       REACH_NO_ENTRY)
		reach_mark(engine, twin);
}

void reach_twins_ask(struct reach_engine *engine, uint32_t number)
{
	struct reach_cursor cursor;
	uint32_t twin;

	if (!(entry_at(engine, number)->bits & REACH_BIT_TWIN))
		return;
	begin(engine, number, &cursor);
	while ((twin = reach_twins_next(engine, number, &cursor)) !=
	       REACH_NO_ENTRY) {
		struct reach_entry *entry = entry_at(engine, twin);

		entry->outstanding = 0;
		if (entry->kind == REACH_ENTRY_PART &&
		    entry_at(engine, entry->v.owner)->outstanding)
			entry_at(engine, entry->v.owner)->outstanding--;
		reach_mark(engine, twin);
	}
}
