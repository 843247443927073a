/* SPDX-License-Identifier: MIT */
/*
 * An extra mark costs a lookup, a missing one is a wrong verdict. So in doubt
 * mark the wider set. Scans of all paths are cheap: each distinct answer has
 * one path, however many destinations got it.
 */
#include <string.h>
#include <sys/socket.h>

#include "engine/invalidate/invalidate.h"
#include "engine/state/state.h"
#include "engine/verdict/verdict.h"

void reach_mark_all(struct reach_engine *engine)
{
	uint32_t i;

	/* Different answers from now on are not corrections. */
	reach_confirmation_disregard(engine);
	engine->dirty.families[0] = true;
	engine->dirty.families[1] = true;
	/* Those without parts have no destination that is marked. */
	for (i = 0; (i = reach_aggregate_next(&engine->entries, i));)
		reach_mark_aggregate(
			engine, reach_entry_at(&engine->entries, i)->aggregate);
}

void reach_mark_family(struct reach_engine *engine, uint8_t family)
{
	if (family == AF_INET || family == AF_INET6)
		engine->dirty.families[family == AF_INET6] = true;
}

void reach_mark_outstanding(struct reach_engine *engine)
{
	size_t i;

	for (i = 0; i < engine->second_lookups.count; i++)
		if (reach_request_is_current(
			    &engine->second_lookups.items[i].first))
			reach_mark(
				engine,
				engine->second_lookups.items[i].first.subject);
	if (!engine->batch.outstanding)
		return;
	for (i = 0; i < engine->batch.count; i++)
		if (engine->batch.requests[i].kind == REACH_REQUEST_LOOKUP &&
		    reach_request_is_current(&engine->batch.requests[i]))
			reach_mark(engine, engine->batch.requests[i].subject);
}

/* Marks each destination of @path. */
static void mark_each(struct reach_engine *engine, uint32_t path)
{
	if (!reach_mark_is_family(engine,
				  reach_path_at(engine, path)->key.family))
		reach_path_mark_each(engine, path, 0);
}

void reach_mark_path(struct reach_engine *engine, uint32_t path)
{
	if (reach_path_is_group(engine, &reach_path_at(engine, path)->key))
		reach_mark_group(engine, path);
	else
		mark_each(engine, path);
}

/* Marks all destinations of the marked families. */
static void mark_families(struct reach_engine *engine)
{
	uint32_t i;

	for (i = 0; (i = reach_pool_next(&engine->paths, i));) {
		struct reach_path *path = reach_path_at(engine, i);

		if (reach_mark_is_family(engine, path->key.family))
			reach_group_end(path);
	}
	for (i = 1; i < engine->destinations.table.used; i++) {
		const uint8_t own = reach_destination_of(engine, i)->family;

		if (own && reach_mark_is_family(engine, own))
			reach_mark(engine, i);
	}
	memset(engine->dirty.families, 0, sizeof(engine->dirty.families));
}

/* Marks the destinations of selectors with `moved`, and clears it: their lookups
 * name another interface now, and the answers may differ. Those without a path
 * are dirty already. */
static void mark_moved(struct reach_engine *engine)
{
	uint32_t i;

	reach_selectors_resolve(engine);
	for (i = 0; (i = reach_pool_next(&engine->paths, i));)
		if (reach_selectors_at(engine,
				       reach_path_at(engine, i)->key.selectors)
			    ->moved)
			mark_each(engine, i);
	for (i = 0; (i = reach_pool_next(&engine->selectors, i));)
		reach_selectors_at(engine, i)->moved = false;
}

/* Puts what the first marked aggregate needs on the dirty list, or evaluates
 * it. */
static void ask_parts(struct reach_engine *engine)
{
	struct reach_aggregate *aggregate = engine->dirty.marked.next;
	const uint32_t parts = reach_parts_lacking(engine, aggregate);
	uint32_t i;

	reach_unmark_aggregate(aggregate);
	for (i = 0; i < aggregate->part_count; i++) {
		if (!(parts & UINT32_C(1) << i))
			continue;
		reach_list_put(&engine->destinations.table,
			       aggregate->parts[i].destination);
		/* It may be the witness of its group already. */
		reach_destination_await(
			engine, reach_part_destination(engine, aggregate, i));
	}
	if (!parts)
		reach_evaluate(engine, aggregate->number);
}

void reach_mark_flush(struct reach_engine *engine)
{
	struct reach_dirty *dirty = &engine->dirty;

	if (dirty->recompute)
		mark_moved(engine);
	if (dirty->families[0] || dirty->families[1])
		mark_families(engine);
	reach_groups_ask(engine);
	reach_paths_recompute(engine);
	while (dirty->marked.next)
		ask_parts(engine);
}

void reach_mark_expired(struct reach_engine *engine)
{
	uint32_t i;

	engine->clock.deadline = INT64_MAX;
	reach_confirmation_disregard(engine);
	for (i = 0; (i = reach_pool_next(&engine->paths, i));) {
		const struct reach_path *path = reach_path_at(engine, i);

		if (path->key.deadline <= engine->clock.now)
			reach_mark_path(engine, i);
		else if (path->key.deadline < engine->clock.deadline)
			engine->clock.deadline = path->key.deadline;
	}
}

/* ---- confirm ----------------------------------------------------------- */

/* The confirming lookup of unconfirmed answers. state/state.c explains
 * when an answer is unconfirmed, and why. */

/* Whether no lookup is outstanding or due. */
static bool is_quiet(const struct reach_engine *engine)
{
	return !engine->batch.outstanding && !engine->dirty.families[0] &&
	       !engine->dirty.families[1] && !engine->dirty.recompute &&
	       !engine->dirty.groups && !engine->dirty.marked.next &&
	       !reach_list_first(&engine->destinations.table);
}

void reach_confirm_due(struct reach_engine *engine)
{
	struct reach_confirmation *confirmation = &engine->confirmation;
	uint32_t i;

	confirmation->look = INT64_MAX;
	/* A different answer counts as a correction only if no other lookup was
	 * due that may explain it. */
	confirmation->looking = is_quiet(engine);
	for (i = 0; (i = reach_pool_next(&engine->paths, i));) {
		struct reach_path *path = reach_path_at(engine, i);

		if (path->unconfirmed)
			reach_mark_path(engine, i);
		path->unconfirmed = false;
	}
}

/* ---- recheck ----------------------------------------------------------- */

/*
 * Answers that change with a neighbor, without an event of a route: those over a
 * link without carrier, or instead of one (query/change_over.c), and what IPv6
 * answers where a gateway has failed and nothing usable lies behind its route.
 *
 * The prediction names one successor, but the kernel may take another one, and
 * it keeps that when the cable is plugged in again until a probe of the old
 * gateway succeeds (rt6_probe(), net/ipv6/route.c). While there are such
 * answers, and only then, the monitor is in RTNLGRP_NEIGH, and each neighbor that
 * fails, is removed, or answers has them looked up again. The filter drops the
 * other events of neighbors (filter/filter_program.c).
 *
 * Hosts that need it: two uplinks of which one is unplugged, or a rejecting IPv6
 * default route behind a gateway that reboots. Without it, they may report the
 * wrong interface, or "not reachable", until a route changes. A permanent
 * rejecting IPv6 route has the same answer, so that its host stays in the group:
 * with ten neighbors that get UDP all the time, it woke up 6 times in two
 * minutes, for 9 ms of CPU in all; with ten that answer pings, twice.
 */

/* Links on which the kernel uses a gateway again are awaited no longer. Sockets
 * that name an interface have no choice. */
static void end_returns(struct reach_engine *engine)
{
	uint32_t i;

	for (i = 0; (i = reach_pool_next(&engine->paths, i));) {
		const struct reach_path_key *key =
			&reach_path_at(engine, i)->key;

		if (key->gateway.family && !key->predicted &&
		    !reach_selectors_are_bound(
			    reach_selectors_at(engine, key->selectors)))
			reach_links_set_left(&engine->links, key->output,
					     key->family, false);
	}
}

void reach_recheck(struct reach_engine *engine)
{
	bool awaits;
	uint32_t i;

	if (!engine->uncertain)
		return;
	end_returns(engine);
	awaits = reach_links_await(&engine->links);
	engine->uncertain = awaits;
	for (i = 0; (i = reach_pool_next(&engine->paths, i));) {
		const struct reach_path_key *key =
			&reach_path_at(engine, i)->key;
		const bool uncertain = reach_path_is_uncertain(engine, key);

		engine->uncertain |= uncertain;
		/* While IPv6 probes a gateway, it answers with its route. */
		if (awaits || uncertain ||
		    (key->family == AF_INET6 && key->gateway.family))
			reach_mark_path(engine, i);
	}
}
