/* SPDX-License-Identifier: MIT */
/* What the kernel answered, kept once for all who got the same answer. */
#include "engine/state/paths.h"

#include <errno.h>
#include <string.h>

#include "engine/state/evaluate.h"
#include "engine/state/redraw.h"
#include "engine/state/state.h"

/* Takes a path off the list of those whose source is wanted, unless that has
 * been asked for. */
static void forget_wanted(struct reach_engine *engine, uint32_t number)
{
	struct reach_path *path = reach_path_at(engine, number);
	const uint32_t next = path->wanted_next;
	const uint32_t previous = path->wanted_previous;

	if (!previous && engine->wanted_first != number)
		return;
	if (previous)
		reach_path_at(engine, previous)->wanted_next = next;
	else
		engine->wanted_first = next;
	if (next)
		reach_path_at(engine, next)->wanted_previous = previous;
	else
		engine->wanted_last = previous;
	path->wanted_next = 0;
	path->wanted_previous = 0;
}

static void release(struct reach_engine *engine, uint32_t number)
{
	struct reach_path *path = reach_path_at(engine, number);

	if (path->record.references == 1 && path->wanted)
		forget_wanted(engine, number);
	reach_pool_release(&engine->paths, number);
}

static inline void link_entry(struct reach_engine *engine, uint32_t number,
			      uint32_t path_number)
{
	struct reach_entry *entry = reach_entry_at(&engine->entries, number);
	struct reach_path *path = reach_path_at(engine, path_number);

	entry->bits &= (uint16_t)~REACH_BIT_UNCONFIRMED;
	entry->bits |= reach_unconfirmed(engine);
	entry->path = path_number;
	entry->path_next = path->first;
	entry->path_previous = REACH_NO_ENTRY;
	if (path->first != REACH_NO_ENTRY)
		reach_entry_at(&engine->entries, path->first)->path_previous =
			number;
	path->first = number;
}

static inline void unlink_entry(struct reach_engine *engine,
				const struct reach_entry *entry)
{
	struct reach_entries *entries = &engine->entries;

	if (entry->path_next != REACH_NO_ENTRY)
		reach_entry_at(entries, entry->path_next)->path_previous =
			entry->path_previous;
	if (entry->path_previous != REACH_NO_ENTRY)
		reach_entry_at(entries, entry->path_previous)->path_next =
			entry->path_next;
	else
		reach_path_at(engine, entry->path)->first = entry->path_next;
}

/* The entry got the answer that it had; the doubted come first. */
static inline void relink_entry(struct reach_engine *engine, uint32_t number)
{
	struct reach_entry *entry = reach_entry_at(&engine->entries, number);
	struct reach_path *path = reach_path_at(engine, entry->path);

	if ((entry->bits & REACH_BIT_UNCONFIRMED) == reach_unconfirmed(engine))
		return;
	if (path->fronted >= path->record.references / 16) {
		path->scattered = true;
		entry->bits |= REACH_BIT_UNCONFIRMED;
		return;
	}
	path->fronted++;
	unlink_entry(engine, entry);
	link_entry(engine, number, entry->path);
}

static struct reach_address address_of(uint8_t family, const uint8_t *bytes)
{
	struct reach_address address = { .family = family };

	memcpy(address.bytes, bytes, sizeof(address.bytes));
	return address;
}

/* Whether the answer was all there is to know: a source that the route
 * prescribes is that of all. */
static bool is_told(const struct reach_path_key *key)
{
	return !(key->bits & REACH_PATH_SHARED) ||
	       (key->source_family && !key->gateway_family);
}

static void fill(struct reach_engine *engine, uint32_t number)
{
	struct reach_path *path = reach_path_at(engine, number);

	path->first = REACH_NO_ENTRY;
	path->source = address_of(path->key.source_family, path->key.source);
	path->direct = !path->key.gateway_family;
	path->settled = is_told(&path->key);
	reach_path_draw(engine, path);
	if (path->key.deadline < engine->clock.deadline)
		engine->clock.deadline = path->key.deadline;
}

/* The source is to be asked with @number's address. */
static void want(struct reach_engine *engine, uint32_t path_number,
		 uint32_t number)
{
	struct reach_path *path = reach_path_at(engine, path_number);

	if (path->wanted)
		return;
	path->wanted = true;
	path->wanted_by = number;
	path->wanted_previous = engine->wanted_last;
	if (engine->wanted_last)
		reach_path_at(engine, engine->wanted_last)->wanted_next =
			path_number;
	else
		engine->wanted_first = path_number;
	engine->wanted_last = path_number;
}

/* The answer made @number's path sure of itself but for the source. */
static void want_source(struct reach_engine *engine, uint32_t number)
{
	const uint32_t path_number =
		reach_entry_at(&engine->entries, number)->path;

	if (!reach_path_at(engine, path_number)->settled)
		want(engine, path_number, number);
}

/*
 * @number is asked again, or goes and leaves the path to @next. If the source
 * of all who have the path is what it was told, then an event is the reason as
 * a rule, and the kernel had carried out what the event tells of before it told
 * the source, but not yet before it told the path: by then @number may have had
 * another path already, and nothing else is to come that would tell the others.
 */
static void doubt(struct reach_engine *engine, uint32_t path_number,
		  uint32_t number, uint32_t next)
{
	struct reach_path *path = reach_path_at(engine, path_number);

	if (path->wanted_by != number || is_told(&path->key))
		return;
	path->inquiry++;
	if (next != REACH_NO_ENTRY)
		want(engine, path_number, next);
}

void reach_path_detach(struct reach_engine *engine, uint32_t number)
{
	struct reach_entry *entry = reach_entry_at(&engine->entries, number);

	if (!entry->path)
		return;
	unlink_entry(engine, entry);
	doubt(engine, entry->path, number,
	      reach_path_at(engine, entry->path)->first);
	release(engine, entry->path);
	entry->path = 0;
}

int reach_path_attach(struct reach_engine *engine, uint32_t number,
		      const struct reach_path_key *key)
{
	const struct reach_entry *entry =
		reach_entry_at(&engine->entries, number);
	uint32_t path = entry->path;
	bool created;

	if (path &&
	    memcmp(&reach_path_at(engine, path)->key, key, sizeof(*key)) == 0) {
		doubt(engine, path, number, number);
		want_source(engine, number);
		relink_entry(engine, number);
		return 0;
	}
	path = reach_pool_hold(&engine->paths, key, &created);
	if (!path)
		return -ENOMEM;
	engine->path_changes++;
	if (created)
		fill(engine, path);
	if (entry->path)
		reach_confirmation_answered(
			engine, &reach_path_at(engine, entry->path)->key, key,
			1);
	reach_path_detach(engine, number);
	link_entry(engine, number, path);
	want_source(engine, number);
	return 0;
}

/* Neighbours on a path's list, in its order. */
struct run {
	uint32_t first;
	uint32_t last;
	uint32_t count;
	/* One of them told the path's source. */
	bool told;
};

/* Whether the entry, which has path @path, stands next to them. */
static bool extend(struct run *run, const struct reach_entry *entry,
		   uint32_t number, uint32_t path)
{
	if (entry->path != path)
		return false;
	if (entry->path_previous == run->last)
		run->last = number;
	else if (entry->path_next == run->first)
		run->first = number;
	else
		return false;
	return true;
}

/* Puts them in front of path @to's. */
static void move_run(struct reach_engine *engine, const struct run *run,
		     uint32_t from_number, uint32_t to_number)
{
	struct reach_entries *entries = &engine->entries;
	struct reach_entry *first = reach_entry_at(entries, run->first);
	struct reach_entry *last = reach_entry_at(entries, run->last);
	struct reach_path *from = reach_path_at(engine, from_number);
	struct reach_path *to = reach_path_at(engine, to_number);

	if (last->path_next != REACH_NO_ENTRY)
		reach_entry_at(entries, last->path_next)->path_previous =
			first->path_previous;
	if (first->path_previous != REACH_NO_ENTRY)
		reach_entry_at(entries, first->path_previous)->path_next =
			last->path_next;
	else
		from->first = last->path_next;
	last->path_next = to->first;
	if (to->first != REACH_NO_ENTRY)
		reach_entry_at(entries, to->first)->path_previous = run->last;
	first->path_previous = REACH_NO_ENTRY;
	to->first = run->first;
	to->record.references += run->count;
	if (run->told)
		doubt(engine, from_number, from->wanted_by, from->first);
	reach_confirmation_answered(engine, &from->key, &to->key, run->count);
	from->record.references -= run->count - 1;
	release(engine, from_number);
}

void reach_path_follow(struct reach_engine *engine, uint32_t list,
		       uint32_t like)
{
	struct reach_entries *entries = &engine->entries;
	const uint32_t to = reach_entry_at(entries, like)->path;
	const bool settled = reach_path_at(engine, to)->settled;
	const struct reach_verdict *verdict =
		&reach_path_at(engine, to)->verdict;
	const uint64_t report = reach_report_verdict(verdict);
	const uint64_t path_report = reach_report_path(verdict);
	uint32_t number, next, from = 0;
	struct run run = { .count = 0 };

	for (number = reach_list_next(entries, list, REACH_HOOK_DIRTY);
	     number != list; number = next) {
		struct reach_entry *entry = reach_entry_at(entries, number);

		next = entry->hooks[REACH_HOOK_DIRTY].next;
		entry->hooks[REACH_HOOK_DIRTY] =
			(struct reach_hook){ number, number };
		if (entry->path == to) {
			doubt(engine, to, number, number);
			relink_entry(engine, number);
		} else {
			entry->bits |= reach_unconfirmed(engine);
			if (run.count && !extend(&run, entry, number, from)) {
				move_run(engine, &run, from, to);
				run.count = 0;
			}
			if (!run.count) {
				from = entry->path;
				run = (struct run){ .first = number,
						    .last = number };
			}
			run.count++;
			run.told |= reach_path_at(engine, from)->wanted_by ==
				    number;
			entry->path = to;
		}
		if (settled)
			reach_list_if(
				engine, number,
				!reach_is_reported(entry,
						   entry->bits & REACH_BIT_PATH
							   ? path_report
							   : report));
	}
	if (run.count)
		move_run(engine, &run, from, to);
	reach_entry_at(entries, list)->hooks[REACH_HOOK_DIRTY] =
		(struct reach_hook){ list, list };
}

void reach_path_unsettle(struct reach_path *path)
{
	if (is_told(&path->key))
		return;
	path->settled = false;
	path->inquiry++;
}

uint32_t reach_path_next_wanted(struct reach_engine *engine)
{
	const uint32_t number = engine->wanted_first;

	if (number)
		forget_wanted(engine, number);
	return number;
}

void reach_path_settle(struct reach_engine *engine, uint32_t number,
		       uint32_t entry, const struct reach_address *source,
		       bool direct)
{
	struct reach_path *path = reach_path_at(engine, number);
	const bool known =
		path->settled && path->direct == direct &&
		memcmp(&path->source, source, sizeof(path->source)) == 0;

	/* Who told it first still has the path. */
	if (known && !path->wanted)
		return;
	if (path->wanted)
		forget_wanted(engine, number);
	path->wanted = false;
	path->wanted_by = entry;
	if (known)
		return;
	path->source = *source;
	path->direct = direct;
	path->settled = true;
	path->tries = 0;
	reach_path_draw(engine, path);
	reach_path_evaluate(engine, number);
}
