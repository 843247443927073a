/* SPDX-License-Identifier: MIT */
/* Who is to be asked. */
#include "engine/core.h"

#include <sys/socket.h>

/* Entries that events may visit between two batches, for each that there is:
 * beyond it all of a family are asked, and further events cost nothing. */
#define VISITS	   4
#define VISITS_MIN 1024

void reach_mark(struct reach_engine *engine, uint32_t number)
{
	struct reach_entry *entry = reach_entry_at(&engine->entries, number);
	uint32_t i;

	if (entry->kind == REACH_ENTRY_PART) {
		entry->bits |= REACH_BIT_DIRTY;
		number = entry->v.owner;
	} else if (entry->kind == REACH_ENTRY_COMPOUND) {
		for (i = 0; i < entry->u.compound->part_count; i++)
			reach_entry_at(&engine->entries,
				       entry->u.compound->parts[i])
				->bits |= REACH_BIT_DIRTY;
	}
	reach_list_put(&engine->entries, REACH_LIST_DIRTY, number,
		       REACH_HOOK_DIRTY);
}

void reach_mark_all(struct reach_engine *engine)
{
	reach_class_dissolve_family(engine, AF_INET);
	reach_class_dissolve_family(engine, AF_INET6);
	reach_doubt_explain(engine);
	engine->all_dirty = true;
}

void reach_mark_family(struct reach_engine *engine, uint8_t family)
{
	reach_class_dissolve_family(engine, family);
	if (family == AF_INET)
		engine->inet_dirty = true;
	else if (family == AF_INET6)
		engine->inet6_dirty = true;
}

bool reach_mark_is_family(const struct reach_engine *engine, uint8_t family)
{
	return engine->all_dirty ||
	       (family == AF_INET ? engine->inet_dirty : engine->inet6_dirty);
}

void reach_mark_spend(struct reach_engine *engine, uint8_t family,
		      size_t visits)
{
	engine->visits += visits;
	if (engine->visits >
	    VISITS_MIN + VISITS * (size_t)engine->entries.asked)
		reach_mark_family(engine, family);
}

void reach_mark_asked(struct reach_engine *engine)
{
	struct reach_cursor cursor;
	uint32_t number;
	size_t i;

	if (!engine->outstanding)
		return;
	for (i = 0; i < engine->question_count; i++) {
		const struct reach_question *question = &engine->questions[i];

		if (question->kind != REACH_QUESTION_LOOKUP ||
		    !reach_question_is_current(engine, question))
			continue;
		for (number = reach_twins_first(engine, question->subject,
						&cursor);
		     number != REACH_NO_ENTRY;
		     number = reach_twins_next(engine, question->subject,
					       &cursor))
			reach_mark(engine, number);
	}
}

void reach_mark_path(struct reach_engine *engine, uint32_t path)
{
	uint32_t number, next;
	size_t visits = 0;

	reach_class_begin(engine);
	reach_path_unsettle(reach_path_at(engine, path));
	for (number = reach_path_at(engine, path)->first;
	     number != REACH_NO_ENTRY; number = next) {
		next = reach_entry_at(&engine->entries, number)->path_next;
		/* Only the default routes are bound to be one and the same
		 * for all. */
		reach_class_mark(engine, number, 0);
		visits++;
	}
	reach_mark_spend(engine, reach_path_at(engine, path)->key.family,
			 visits);
}

static void mark_everything(struct reach_engine *engine)
{
	const struct reach_entries *entries = &engine->entries;
	uint32_t i;

	for (i = REACH_LISTS; i < entries->used; i++) {
		const struct reach_entry *entry = reach_entry_at(entries, i);

		if (entry->kind != REACH_ENTRY_FREE &&
		    entry->kind != REACH_ENTRY_CLASS)
			reach_mark(engine, i);
	}
}

/* Those of the family alone are looked at: there may be few of them. */
static void mark_asked_of(struct reach_engine *engine, uint8_t family)
{
	const struct reach_index *index = &engine->indices[family == AF_INET6];
	const struct reach_address all = { .family = family };
	struct reach_cursor cursor;
	uint32_t number;

	if (!reach_index_seek(&engine->entries, index, &all, 0, &cursor))
		return;
	while ((number = reach_index_next(&engine->entries, index, &cursor)) !=
	       REACH_NO_ENTRY)
		reach_mark(engine, number);
}

static void flush_marks(struct reach_engine *engine)
{
	uint32_t i;

	if (engine->all_dirty)
		mark_everything(engine);
	else if (engine->inet_dirty)
		mark_asked_of(engine, AF_INET);
	if (!engine->all_dirty && engine->inet6_dirty)
		mark_asked_of(engine, AF_INET6);
	for (i = 1; i < engine->paths.used; i++) {
		struct reach_path *path = reach_path_at(engine, i);

		if (path->record.references &&
		    (engine->all_dirty || engine->inet_dirty))
			reach_path_unsettle(path);
	}
}

void reach_mark_flush(struct reach_engine *engine)
{
	if (engine->redraw)
		reach_profiles_resolve(engine);
	if (engine->all_dirty || engine->inet_dirty || engine->inet6_dirty)
		flush_marks(engine);
	engine->all_dirty = false;
	engine->inet_dirty = false;
	engine->inet6_dirty = false;
	engine->visits = 0;
	reach_paths_redraw(engine);
}

void reach_mark_expired(struct reach_engine *engine)
{
	uint32_t i;

	if (engine->now < engine->deadline)
		return;
	engine->deadline = INT64_MAX;
	reach_doubt_explain(engine);
	for (i = 1; i < engine->paths.used; i++) {
		const struct reach_path *path = reach_path_at(engine, i);

		if (!path->record.references)
			continue;
		if (path->key.deadline <= engine->now)
			reach_mark_path(engine, i);
		else if (path->key.deadline < engine->deadline)
			engine->deadline = path->key.deadline;
	}
}
