/* SPDX-License-Identifier: MIT */
/*
 * Links and addresses asked for one by one, as the verdict needs them.
 *
 * Each pass asks for all that was found to be needed, and then for the routes.
 * What it brings is of different moments, but the verdict must be that of one.
 * It is that of the moment when the link was looked at if the routes are the
 * same before and after: an answer names no source that is not there to be
 * used, so the source was there all the time. Where there is more than one
 * link, a pass has to bring what the one before brought: then all of it was so
 * between the two. What changes and changes back meanwhile is not seen. Where
 * all links are read one pass will do if nothing is announced meanwhile
 * (check.c).
 */
#include "engine/query/oneshot.h"

#include <errno.h>
#include <sys/socket.h>

#include <linux/rtnetlink.h>
#include <stdlib.h>

#include "engine/invalidate/marks.h"
#include "engine/query/dumps.h"
#include "engine/query/requests.h"
#include "engine/state/aggregate.h"
#include "engine/state/selectors.h"
#include "engine/state/state.h"
#include "engine/targets/targets.h"
#include "host/classify.h"

/* On a machine that never rests there may be no last one. */
#define PASSES_MAX 16

/* ---- what is needed ---------------------------------------------------- */

static bool covers(const struct reach_need *known,
		   const struct reach_need *need)
{
	if (known->kind == REACH_NEED_PORTS && !known->index)
		return need->kind <= REACH_NEED_PORTS;
	return known->kind == need->kind &&
	       (known->index == need->index ||
		(known->kind == REACH_NEED_ADDRESSES && !known->index)) &&
	       (known->family == need->family || !known->family);
}

/* Whether it has been asked for; if not, it will be. */
static bool have(struct reach_engine *engine, enum reach_need_kind kind,
		 uint8_t family, uint32_t index)
{
	const struct reach_need need = { (uint8_t)kind, family, index };
	struct reach_oneshot *needs = engine->oneshot;
	size_t i;

	for (i = 0; i < needs->count; i++)
		if (covers(&needs->items[i], &need))
			return true;
	needs->unfinished = true;
	if (needs->count < REACH_NEEDS_MAX)
		needs->items[needs->count++] = need;
	else
		needs->passes = PASSES_MAX;
	return false;
}

static void need_link(struct reach_engine *engine, uint32_t index,
		      unsigned int depth);

/* What the class of @link hangs on. */
static void need_class(struct reach_engine *engine,
		       const struct reach_link *link, unsigned int depth)
{
	const struct reach_links *links = &engine->links;
	const enum reach_basis basis = reach_classify_basis(link);
	size_t i;

	if (depth == REACH_LAYERS_MAX)
		return;
	if (basis == REACH_BASIS_LOWER && !link->lower_elsewhere)
		need_link(engine, link->lower, depth + 1);
	if (basis != REACH_BASIS_PORTS ||
	    !have(engine, REACH_NEED_PORTS, AF_UNSPEC, link->index))
		return;
	for (i = 0; i < links->count; i++)
		if (links->items[i].master == link->index)
			need_class(engine, &links->items[i], depth + 1);
}

static void need_link(struct reach_engine *engine, uint32_t index,
		      unsigned int depth)
{
	const struct reach_link *link;

	if (!index || !have(engine, REACH_NEED_LINK, AF_UNSPEC, index))
		return;
	link = reach_links_find(&engine->links, index);
	if (link)
		need_class(engine, link, depth);
}

/* An address that its interface has is found among the few of that one. */
static void need_source(struct reach_engine *engine,
			const struct reach_address *source, uint32_t output)
{
	const struct reach_own_address *own;

	if (!source->family || !have(engine, REACH_NEED_ADDRESSES,
				     (uint8_t)source->family, output))
		return;
	own = reach_own_addresses_find(&engine->addresses, source, output);
	if (!own || own->interface_index != output)
		have(engine, REACH_NEED_ADDRESSES, (uint8_t)source->family, 0);
}

static void need_for_path(struct reach_engine *engine,
			  const struct reach_path *path)
{
	const struct reach_path_key *key = &path->key;
	const struct reach_address *local =
		&reach_selectors_at(engine, key->selectors)->key.local;

	if (!path->record.references || key->error)
		return;
	if (key->type != RTN_LOCAL) {
		need_link(engine, key->output, 0);
		need_source(engine, local->family ? local : &path->source,
			    key->output);
		return;
	}
	/* Any interface may have the address. */
	need_link(engine, key->output, 0);
	if (have(engine, REACH_NEED_ADDRESSES, key->family, 0))
		need_link(engine, path->verdict.interface_index, 0);
}

static void need_for_target(struct reach_engine *engine,
			    const struct reach_target *target)
{
	if (target->kind == REACH_TARGET_LOCAL_WIFI) {
		have(engine, REACH_NEED_PORTS, AF_UNSPEC, 0);
		have(engine, REACH_NEED_ADDRESSES, AF_UNSPEC, 0);
	} else if (target->kind == REACH_TARGET_ADDRESS_PAIR) {
		have(engine, REACH_NEED_ADDRESSES,
		     (uint8_t)target->local.family, 0);
	}
}

static void need_for_profile(struct reach_engine *engine, uint32_t number)
{
	const struct reach_selectors *selectors =
		reach_selectors_at(engine, number);

	if (!selectors->record.references)
		return;
	if (selectors->key.interface_index)
		have(engine, REACH_NEED_LINK, AF_UNSPEC,
		     selectors->key.interface_index);
	else if (selectors->key.interface_name[0])
		have(engine, REACH_NEED_NAMED, AF_UNSPEC, number);
}

static void collect(struct reach_engine *engine)
{
	uint32_t i;

	for (i = 1; i < engine->selectors.used; i++)
		need_for_profile(engine, i);
	for (i = REACH_LISTS; i < engine->entries.used; i++) {
		const struct reach_entry *entry =
			reach_entry_at(&engine->entries, i);

		if (entry->kind == REACH_ENTRY_AGGREGATE)
			need_for_target(engine, &entry->aggregate->target);
	}
	for (i = 1; i < engine->paths.used; i++)
		need_for_path(engine, reach_path_at(engine, i));
}

/* ---- passes ------------------------------------------------------------ */

static void begin_pass(struct reach_engine *engine)
{
	struct reach_oneshot *needs = engine->oneshot;

	needs->interrupted = false;
	needs->path_changes = engine->path_changes;
	needs->changed = false;
	needs->next = 0;
	needs->passes++;
	reach_links_dump_begin(&engine->links);
	reach_own_addresses_dump_begin(&engine->addresses);
	reach_mark_all(engine);
}

/* Whether one pass tells of one moment: no more than one link was asked for. */
static bool is_simple(const struct reach_oneshot *needs)
{
	size_t i, links = 0;

	if (needs->told)
		return true;
	for (i = 0; i < needs->count; i++) {
		links += needs->items[i].kind != REACH_NEED_ADDRESSES;
		if (needs->items[i].kind == REACH_NEED_PORTS)
			return false;
	}
	return links <= 1;
}

/* Asks for all probes where the first ones do not decide. */
static int widen(struct reach_engine *engine)
{
	uint32_t i;
	int err = 0;

	engine->probes.majority = false;
	for (i = REACH_LISTS; i < engine->entries.used; i++) {
		const struct reach_entry *entry =
			reach_entry_at(&engine->entries, i);

		if (err || entry->kind != REACH_ENTRY_AGGREGATE ||
		    entry->aggregate->target.kind != REACH_TARGET_INTERNET ||
		    reach_aggregate_agrees(engine, entry->aggregate))
			continue;
		err = reach_targets_prepare(engine, i);
		engine->oneshot->unfinished = true;
	}
	return err;
}

/* Takes out what it did not show, and looks for what is still needed. */
static void end_pass(struct reach_engine *engine)
{
	struct reach_oneshot *needs = engine->oneshot;
	const bool links = reach_links_dump_end(&engine->links);
	const bool addresses = reach_own_addresses_dump_end(&engine->addresses);

	if (links || addresses) {
		needs->changed = true;
		reach_redraw_later(engine);
	}
	reach_mark_flush(engine);
	needs->unfinished = needs->interrupted ||
			    needs->path_changes != engine->path_changes ||
			    !needs->passes ||
			    (needs->changed && !is_simple(needs));
	collect(engine);
	if (!needs->unfinished && engine->probes.majority && widen(engine))
		needs->passes = PASSES_MAX;
}

static size_t write_need(struct reach_engine *engine, void *buffer,
			 uint32_t number)
{
	const struct reach_need *need = &engine->oneshot->items[number];
	const uint32_t sequence =
		reach_questions_add(engine, REACH_QUESTION_NEED, number);

	switch (need->kind) {
	case REACH_NEED_LINK:
		return reach_request_link(buffer, sequence, need->index, NULL);
	case REACH_NEED_NAMED:
		return reach_request_link(
			buffer, sequence, 0,
			reach_selectors_at(engine, need->index)
				->key.interface_name);
	case REACH_NEED_PORTS:
		return reach_request_links(buffer, sequence, need->index);
	default:
		return reach_request_addresses(buffer, sequence, need->family,
					       need->index);
	}
}

static bool is_dump(const struct reach_need *need)
{
	return need->kind >= REACH_NEED_PORTS;
}

size_t reach_oneshot_write(struct reach_engine *engine, uint8_t *buffer)
{
	struct reach_oneshot *needs = engine->oneshot;
	size_t used = 0;

	if (needs->next == needs->count) {
		end_pass(engine);
		if (!needs->unfinished || needs->passes == PASSES_MAX)
			return 0;
		begin_pass(engine);
	}
	while (needs->next < needs->count) {
		const uint8_t number = needs->next++;

		used += write_need(engine, buffer + used, number);
		/* A socket has one dump at a time. */
		if (is_dump(&needs->items[number]))
			break;
	}
	return used;
}

bool reach_oneshot_has_more(const struct reach_engine *engine)
{
	return engine->oneshot->next < engine->oneshot->count;
}

int reach_oneshot_take(struct reach_engine *engine,
		       struct reach_question *question,
		       const struct reach_message *message)
{
	const int changed = message->kind == REACH_MESSAGE_OTHER
				    ? 0
				    : reach_dump_apply(engine, message);

	if (message->flags & NLM_F_DUMP_INTR)
		engine->oneshot->interrupted = true;
	if (changed) {
		engine->oneshot->changed = true;
		reach_redraw_later(engine);
	}
	if (!is_dump(&engine->oneshot->items[question->subject]) ||
	    message->kind == REACH_MESSAGE_DONE ||
	    message->kind == REACH_MESSAGE_ERROR) {
		question->kind = REACH_QUESTION_NONE;
		engine->batch.outstanding--;
	}
	return changed < 0 ? changed : 0;
}

bool reach_oneshot_needs_all(const struct reach_engine *engine, uint64_t id)
{
	const struct reach_entry *entry = reach_entry_at(
		&engine->entries, reach_targets_find(engine, id));

	return entry->kind == REACH_ENTRY_AGGREGATE &&
	       entry->aggregate->target.kind == REACH_TARGET_LOCAL_WIFI;
}

void reach_oneshot_set_quiet(struct reach_engine *engine)
{
	engine->oneshot->told = true;
}

bool reach_oneshot_is_complete(const struct reach_engine *engine)
{
	return !engine->oneshot->unfinished;
}

int reach_oneshot_create(struct reach_engine *engine)
{
	engine->oneshot = calloc(1, sizeof(*engine->oneshot));
	engine->probes.majority = true;
	return engine->oneshot ? 0 : -ENOMEM;
}

void reach_oneshot_free(struct reach_engine *engine)
{
	free(engine->oneshot);
}
