/* SPDX-License-Identifier: MIT */
/*
 * The passes of reach_check() without a monitor.
 *
 * A pass reads the links and addresses that are known to be needed, then the
 * routes. If it shows that more are needed (the link below a VLAN), the next
 * pass reads those, too.
 *
 * The answers come from different moments, but the verdict must belong to one.
 * This works like a seqlock: routes are read before and after the link. If both
 * readings agree, the state of the link belongs to that route. So does the
 * source, since an answer names no source that cannot be used.
 *
 * With more than one link, links and addresses must also be the same in two
 * passes. Then all of them were true at one moment between the two. A change
 * that is undone in between goes unseen.
 */
#include "engine/query/query.h"

#include <errno.h>
#include <sys/socket.h>

#include <linux/rtnetlink.h>
#include <stdlib.h>

#include "engine/invalidate/invalidate.h"
#include "engine/verdict/verdict.h"

/* Passes before the engine gives up and check.c uses a monitor. On a host that
 * changes constantly, two readings may never agree. Other failures set `passes`
 * to this number, too. */
#define PASSES_MAX 16

/* ---- needs ---------------------------------------------------- */

/* Whether the answer for @known contains that for @need. */
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

/* @return whether it has been read already. If not, the next pass reads it. */
static bool require(struct reach_engine *engine, enum reach_need_kind kind,
		    uint8_t family, uint32_t index)
{
	const struct reach_need need = { (uint8_t)kind, family, index };
	struct reach_oneshot *oneshot = engine->oneshot;
	size_t i;

	for (i = 0; i < oneshot->count; i++)
		if (covers(&oneshot->items[i], &need))
			return true;
	oneshot->unfinished = true;
	if (oneshot->count < REACH_NEEDS_MAX)
		oneshot->items[oneshot->count++] = need;
	else
		oneshot->passes = PASSES_MAX;
	return false;
}

static void need_link(struct reach_engine *engine, uint32_t index,
		      unsigned int depth);

/* Adds the links that decide the class of @link: its lower link and its
 * ports. */
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
	    !require(engine, REACH_NEED_PORTS, AF_UNSPEC, link->index))
		return;
	for (i = 0; i < links->count; i++)
		if (links->items[i].master == link->index)
			need_class(engine, &links->items[i], depth + 1);
}

static void need_link(struct reach_engine *engine, uint32_t index,
		      unsigned int depth)
{
	const struct reach_link *link;

	if (!index || !require(engine, REACH_NEED_LINK, AF_UNSPEC, index))
		return;
	link = reach_links_find(&engine->links, index);
	if (link)
		need_class(engine, link, depth);
}

/* Reads the addresses of the output interface, which are few. Reads all only if
 * the source is an address of another interface. */
static void need_source(struct reach_engine *engine,
			const struct reach_address *source, uint32_t output)
{
	const struct reach_own_address *own;

	if (!source->family || !require(engine, REACH_NEED_ADDRESSES,
					(uint8_t)source->family, output))
		return;
	own = reach_own_addresses_find(&engine->addresses, source, output);
	if (!own || own->interface_index != output)
		require(engine, REACH_NEED_ADDRESSES, (uint8_t)source->family,
			0);
}

static void need_for_path(struct reach_engine *engine,
			  const struct reach_path *path)
{
	const struct reach_path_key *key = &path->key;
	const struct reach_address *local =
		&reach_selectors_at(engine, key->selectors)->key.local;
	const struct reach_link *link;

	if (key->error)
		return;
	/* Another link may have the route that the kernel changes over to, or
	 * another leg. */
	if (key->predicted || key->bits & REACH_PATH_LEGS ||
	    reach_path_may_change_over(engine, key))
		require(engine, REACH_NEED_PORTS, AF_UNSPEC, 0);
	if (key->type != RTN_LOCAL) {
		need_link(engine, key->output, 0);
		/* Packets over a port of a VRF pass the VRF. */
		link = reach_links_find(&engine->links, key->output);
		if (link)
			need_link(engine, link->master, 0);
		need_source(engine, local->family ? local : &key->source,
			    key->output);
		return;
	}
	/* A local address may be on any interface. */
	need_link(engine, key->output, 0);
	if (require(engine, REACH_NEED_ADDRESSES, key->family, 0))
		need_link(engine, path->verdict.interface_index, 0);
}

static void need_for_target(struct reach_engine *engine,
			    const struct reach_target *target)
{
	if (target->kind == REACH_TARGET_LOCAL_WIFI) {
		require(engine, REACH_NEED_PORTS, AF_UNSPEC, 0);
		require(engine, REACH_NEED_ADDRESSES, AF_UNSPEC, 0);
	} else if (target->kind == REACH_TARGET_ADDRESS_PAIR) {
		require(engine, REACH_NEED_ADDRESSES,
			(uint8_t)target->local.family, 0);
	}
}

static void need_for_selectors(struct reach_engine *engine, uint32_t number)
{
	const struct reach_selectors *selectors =
		reach_selectors_at(engine, number);

	if (selectors->key.interface_index)
		require(engine, REACH_NEED_LINK, AF_UNSPEC,
			selectors->key.interface_index);
	else if (selectors->key.interface_name[0])
		require(engine, REACH_NEED_NAMED, AF_UNSPEC, number);
}

static void collect_needs(struct reach_engine *engine)
{
	uint32_t i;

	for (i = 0; (i = reach_pool_next(&engine->selectors, i));)
		need_for_selectors(engine, i);
	for (i = 0; (i = reach_aggregate_next(&engine->entries, i));)
		need_for_target(engine, &reach_entry_at(&engine->entries, i)
						 ->aggregate->target);
	for (i = 0; (i = reach_pool_next(&engine->paths, i));)
		need_for_path(engine, reach_path_at(engine, i));
}

/* ---- passes ------------------------------------------------------------ */

/* As in a dump, the end of the pass removes the links and addresses that the
 * pass doesn't show again. */
static void begin_pass(struct reach_engine *engine)
{
	struct reach_oneshot *oneshot = engine->oneshot;

	oneshot->interrupted = false;
	oneshot->path_changes = engine->path_changes;
	oneshot->changed = false;
	oneshot->next = 0;
	oneshot->passes++;
	reach_links_dump_begin(&engine->links);
	reach_own_addresses_dump_begin(&engine->addresses);
	reach_mark_all(engine);
}

/* Whether the readings of one pass belong to one moment: at most one link was
 * read. */
static bool is_of_one_moment(const struct reach_oneshot *oneshot)
{
	size_t i, links = 0;

	for (i = 0; i < oneshot->count; i++) {
		links += oneshot->items[i].kind != REACH_NEED_ADDRESSES;
		if (oneshot->items[i].kind == REACH_NEED_PORTS)
			return false;
	}
	return links <= 1;
}

/* Removes links and addresses that the pass didn't show, and finds out whether
 * another pass must follow. */
static void end_pass(struct reach_engine *engine)
{
	struct reach_oneshot *oneshot = engine->oneshot;
	const bool links = reach_links_dump_end(&engine->links);
	const bool addresses = reach_own_addresses_dump_end(&engine->addresses);

	if (links || addresses) {
		oneshot->changed = true;
		reach_recompute_later(engine);
	}
	reach_mark_flush(engine);
	/* The first reading of the routes has nothing to compare with. */
	oneshot->unfinished = oneshot->interrupted ||
			      oneshot->path_changes != engine->path_changes ||
			      !oneshot->passes ||
			      (oneshot->changed && !is_of_one_moment(oneshot));
	collect_needs(engine);
}

static size_t write_need(struct reach_engine *engine, void *buffer,
			 uint32_t number)
{
	const struct reach_need *need = &engine->oneshot->items[number];
	const uint32_t sequence =
		reach_batch_add(engine, REACH_REQUEST_NEED, number);

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
	struct reach_oneshot *oneshot = engine->oneshot;
	size_t used = 0;

	if (oneshot->next == oneshot->count) {
		end_pass(engine);
		if (!oneshot->unfinished || oneshot->passes == PASSES_MAX)
			return 0;
		begin_pass(engine);
	}
	while (oneshot->next < oneshot->count) {
		const uint8_t number = oneshot->next++;

		used += write_need(engine, buffer + used, number);
		/* A netlink socket runs one dump at a time. */
		if (is_dump(&oneshot->items[number]))
			break;
	}
	return used;
}

int reach_oneshot_take(struct reach_engine *engine,
		       struct reach_request *request,
		       const struct reach_message *message)
{
	const int changed = message->kind == REACH_MESSAGE_OTHER
				    ? 0
				    : reach_dump_apply(engine, message);

	if (message->flags & NLM_F_DUMP_INTR)
		engine->oneshot->interrupted = true;
	if (changed) {
		engine->oneshot->changed = true;
		reach_recompute_later(engine);
	}
	if (!is_dump(&engine->oneshot->items[request->subject]) ||
	    message->kind == REACH_MESSAGE_DONE ||
	    message->kind == REACH_MESSAGE_ERROR) {
		request->kind = REACH_REQUEST_NONE;
		engine->batch.outstanding--;
	}
	return changed < 0 ? changed : 0;
}

bool reach_oneshot_is_complete(const struct reach_engine *engine)
{
	return !engine->oneshot->unfinished;
}
