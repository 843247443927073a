/* SPDX-License-Identifier: MIT */
#include "engine/state/state.h"

#include <errno.h>
#include <string.h>

#include "engine/verdict/verdict.h"

/* Takes a path off the queue of source lookups. No effect if its source lookup
 * has been sent. */
static void dequeue_source_lookup(struct reach_engine *engine, uint32_t number)
{
	struct reach_path *path = reach_path_at(engine, number);
	const uint32_t next = path->queue_next;
	const uint32_t previous = path->queue_previous;

	if (!previous && engine->source_queue != number)
		return;
	if (previous)
		reach_path_at(engine, previous)->queue_next = next;
	else
		engine->source_queue = next;
	if (next)
		reach_path_at(engine, next)->queue_previous = previous;
	else
		engine->source_queue_last = previous;
	path->queue_next = 0;
	path->queue_previous = 0;
}

/* Drops one entry's reference. */
static void release(struct reach_engine *engine, uint32_t number)
{
	struct reach_path *path = reach_path_at(engine, number);

	if (path->record.references == 1 && path->source_pending)
		dequeue_source_lookup(engine, number);
	reach_pool_release(&engine->paths, number);
}

/* Puts the entry at the front of its path's list. Entries that get an answer
 * while a confirming lookup is pending are unconfirmed, so they precede the
 * others. The confirming lookup stops at the first confirmed one. */
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

/* Takes the entry off its path's list; its own links stay as they are. */
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

/*
 * The entry got the same path again. If it becomes unconfirmed, it moves to the
 * front of the list, but at most 1/16 of the entries do: the list is usually in
 * memory order, which makes a walk several times as fast. The others keep their
 * place, and the confirming lookup walks the whole list.
 */
static inline void relink_entry(struct reach_engine *engine, uint32_t number)
{
	struct reach_entry *entry = reach_entry_at(&engine->entries, number);
	struct reach_path *path = reach_path_at(engine, entry->path);

	if ((entry->bits & REACH_BIT_UNCONFIRMED) == reach_unconfirmed(engine))
		return;
	if (path->unconfirmed_in_front >= path->record.references / 16) {
		path->unconfirmed_anywhere = true;
		entry->bits |= REACH_BIT_UNCONFIRMED;
		return;
	}
	path->unconfirmed_in_front++;
	unlink_entry(engine, entry);
	link_entry(engine, number, entry->path);
}

static struct reach_address address_of(uint8_t family, const uint8_t *bytes)
{
	struct reach_address address = { .family = family };

	memcpy(address.bytes, bytes, sizeof(address.bytes));
	return address;
}

/* Whether the key has `source` and `direct`, so that no source lookup is
 * needed. A plain answer has both. A match has both if the route prescribes a
 * source and has no gateway (packets may not use one: see `direct`). */
static bool key_has_source(const struct reach_path_key *key)
{
	return !(key->bits & REACH_PATH_SHARED) ||
	       (key->source_family && !key->gateway_family);
}

/* Sets what follows from the key of a new path. */
static void init_path(struct reach_engine *engine, uint32_t number)
{
	struct reach_path *path = reach_path_at(engine, number);

	path->first = REACH_NO_ENTRY;
	path->source = address_of(path->key.source_family, path->key.source);
	path->direct = !path->key.gateway_family &&
		       !(path->key.bits & REACH_PATH_INDIRECT);
	path->settled = key_has_source(&path->key);
	reach_path_compute(engine, path);
	reach_path_recheck_later(engine, &path->key);
	if (path->key.deadline < engine->clock.deadline)
		engine->clock.deadline = path->key.deadline;
}

/* Queues the source lookup, a plain lookup of entry @number. */
static void queue_source_lookup(struct reach_engine *engine,
				uint32_t path_number, uint32_t number)
{
	struct reach_path *path = reach_path_at(engine, path_number);

	if (path->source_pending)
		return;
	path->source_pending = true;
	path->source_entry = number;
	path->queue_previous = engine->source_queue_last;
	if (engine->source_queue_last)
		reach_path_at(engine, engine->source_queue_last)->queue_next =
			path_number;
	else
		engine->source_queue = path_number;
	engine->source_queue_last = path_number;
}

/* Queues the source lookup if the new path of entry @number has no known
 * source. */
static void look_up_source_if_unsettled(struct reach_engine *engine,
					uint32_t number)
{
	const uint32_t path_number =
		reach_entry_at(&engine->entries, number)->path;

	if (!reach_path_at(engine, path_number)->settled)
		queue_source_lookup(engine, path_number, number);
}

/*
 * Repeats the source lookup by entry @next if the source came from entry
 * @number, which was looked up again or leaves the path.
 *
 * The match and the plain lookup of one entry happen at two moments. A route
 * for that entry alone may come between them, over the same link. The match
 * then returns the old route, and the plain lookup the new route's source. So
 * the old route's path gets a wrong source. The event of the new route marks
 * that entry alone, so its next lookup is the only sign that the source of all
 * others may be wrong.
 */
static void repeat_source_lookup(struct reach_engine *engine,
				 uint32_t path_number, uint32_t number,
				 uint32_t next)
{
	struct reach_path *path = reach_path_at(engine, path_number);

	if (path->source_entry != number || key_has_source(&path->key))
		return;
	path->source_generation++;
	if (next != REACH_NO_ENTRY)
		queue_source_lookup(engine, path_number, next);
}

void reach_path_detach(struct reach_engine *engine, uint32_t number)
{
	struct reach_entry *entry = reach_entry_at(&engine->entries, number);

	if (!entry->path)
		return;
	unlink_entry(engine, entry);
	repeat_source_lookup(engine, entry->path, number,
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
		repeat_source_lookup(engine, path, number, number);
		look_up_source_if_unsettled(engine, number);
		relink_entry(engine, number);
		return 0;
	}
	/* Held before the old path is released: a failure changes nothing. */
	path = reach_pool_hold(&engine->paths, key, &created);
	if (!path)
		return -ENOMEM;
	engine->path_changes++;
	if (created)
		init_path(engine, path);
	if (entry->path)
		reach_confirmation_answered(
			engine, &reach_path_at(engine, entry->path)->key, key,
			1);
	reach_path_detach(engine, number);
	link_entry(engine, number, path);
	look_up_source_if_unsettled(engine, number);
	return 0;
}

/* Consecutive entries of a path's list, first to last. Most followers are
 * consecutive, and move to another list in one step. */
struct run {
	uint32_t first;
	uint32_t last;
	uint32_t count;
	/* The path's source came from one of them. */
	bool has_source_entry;
};

/* Extends @run by the entry if that is next to it on the list of @path. */
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

/* Moves @run to the front of the list of path @to_number. */
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
	/* The source entry has left @from: another one looks the source up. */
	if (run->has_source_entry)
		repeat_source_lookup(engine, from_number, from->source_entry,
				     from->first);
	reach_confirmation_answered(engine, &from->key, &to->key, run->count);
	/* The last reference, which may free the path, is left to release(). */
	from->record.references -= run->count - 1;
	release(engine, from_number);
}

/*
 * The hot path of an event that affects many entries, such as a lost default
 * route. Groups are formed along the list of a path, so most followers are
 * still neighbors on it. Whole runs change the path in O(1); each entry costs
 * one visit in list order. The hooks of @list are reset, not unlinked one by
 * one, since the whole list is emptied.
 */
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
			repeat_source_lookup(engine, to, number, number);
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
			run.has_source_entry |=
				reach_path_at(engine, from)->source_entry ==
				number;
			entry->path = to;
		}
		if (settled)
			reach_list_changed(
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
	if (key_has_source(&path->key))
		return;
	path->settled = false;
	path->source_generation++;
}

uint32_t reach_path_next_source_lookup(struct reach_engine *engine)
{
	const uint32_t number = engine->source_queue;

	if (number)
		dequeue_source_lookup(engine, number);
	return number;
}

void reach_path_settle(struct reach_engine *engine, uint32_t number,
		       uint32_t entry, const struct reach_address *source,
		       bool direct)
{
	struct reach_path *path = reach_path_at(engine, number);
	bool known;

	direct = direct && !(path->key.bits & REACH_PATH_INDIRECT);
	known = path->settled && path->direct == direct &&
		memcmp(&path->source, source, sizeof(path->source)) == 0;

	/* Nothing new: keep watching the first entry that it came from. */
	if (known && !path->source_pending)
		return;
	if (path->source_pending)
		dequeue_source_lookup(engine, number);
	path->source_pending = false;
	path->source_entry = entry;
	if (known)
		return;
	/* Another source changes the verdict of all entries. */
	path->source = *source;
	path->direct = direct;
	path->settled = true;
	path->mismatches = 0;
	reach_path_compute(engine, path);
	reach_path_evaluate(engine, number);
}
