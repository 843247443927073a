/* SPDX-License-Identifier: MIT */
/*
 * The confirming lookup of unconfirmed answers. state/confirmation.c explains
 * when an answer is unconfirmed, and why.
 *
 * Unconfirmed entries have no list of their own: those with
 * REACH_BIT_UNCONFIRMED come first among the entries of their path. On a path
 * with `unconfirmed_anywhere` they may be anywhere, and all of its entries are
 * visited.
 */
#include "engine/invalidate/invalidate.h"

#include <string.h>

#include "base/base.h"
#include "engine/state/state.h"
#include "engine/store/store.h"

/* Whether no lookup is in flight or due. */
static bool is_quiet(const struct reach_engine *engine)
{
	return !engine->batch.outstanding && !engine->dirty.all &&
	       !engine->dirty.inet && !engine->dirty.inet6 &&
	       !engine->dirty.recompute && !engine->source_queue &&
	       reach_list_empty(&engine->entries, REACH_LIST_DIRTY,
				REACH_HOOK_DIRTY);
}

/* Marks the unconfirmed entries of @path. The entries of a path share the
 * length of the matched prefix, not the prefix. So only those inside the prefix
 * of the first entry have its route, and can be one equivalence group. The
 * others are marked one by one. */
static void mark_unconfirmed(struct reach_engine *engine,
			     struct reach_path *path)
{
	const uint8_t length =
		path->key.length != REACH_LENGTH_UNKNOWN ? path->key.length : 0;
	const struct reach_address prefix = reach_entry_destination(
		reach_entry_at(&engine->entries, path->first));
	uint32_t number = path->first;

	reach_equivalence_begin(engine);
	while (number != REACH_NO_ENTRY) {
		struct reach_entry *entry =
			reach_entry_at(&engine->entries, number);
		const struct reach_address address =
			reach_entry_destination(entry);
		const uint32_t next = entry->path_next, at = number;

		if (!(entry->bits & REACH_BIT_UNCONFIRMED) &&
		    !path->unconfirmed_anywhere)
			break;
		number = next;
		if (!(entry->bits & REACH_BIT_UNCONFIRMED))
			continue;
		entry->bits &= (uint16_t)~REACH_BIT_UNCONFIRMED;
		if (reach_address_in_prefix(&address, &prefix, length))
			reach_equivalence_mark(engine, at, length);
		else
			reach_mark(engine, at);
	}
	path->unconfirmed_in_front = 0;
	path->unconfirmed_anywhere = false;
}

void reach_confirm_due(struct reach_engine *engine)
{
	struct reach_confirmation *confirmation = &engine->confirmation;
	uint32_t i;

	confirmation->look = INT64_MAX;
	/* A different answer counts as a correction only if no other lookup was
	 * due that may explain it. */
	confirmation->looking = is_quiet(engine);
	for (i = 1; i < engine->paths.used; i++) {
		struct reach_path *path = reach_path_at(engine, i);

		if (path->record.references)
			mark_unconfirmed(engine, path);
	}
}
