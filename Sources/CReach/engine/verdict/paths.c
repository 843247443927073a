/* SPDX-License-Identifier: MIT */
#include "engine/verdict/verdict.h"

#include <errno.h>
#include <string.h>

#include <linux/rtnetlink.h>

/* Takes a reference to the path of @key, for one destination. @return its
 * number, or 0 if memory is out. */
static uint32_t hold_path(struct reach_engine *engine,
			  const struct reach_path_key *key)
{
	bool created;
	const uint32_t path = reach_pool_hold(&engine->paths, key, &created);

	if (path && created) {
		reach_path_compute(engine, reach_path_at(engine, path));
		engine->uncertain |= reach_path_is_uncertain(engine, key);
		if (key->deadline < engine->clock.deadline)
			engine->clock.deadline = key->deadline;
	}
	return path;
}

void reach_path_detach(struct reach_engine *engine, uint32_t number)
{
	struct reach_destination *destination =
		reach_destination_of(engine, number);
	const uint32_t next = destination->path_next;
	const uint32_t previous = destination->path_previous;
	struct reach_path *path;

	if (!destination->path)
		return;
	path = reach_path_at(engine, destination->path);
	if (path->witness == number) {
		path->waits = false;
		reach_mark_group(engine, destination->path);
	}
	if (next)
		reach_destination_of(engine, next)->path_previous = previous;
	if (previous)
		reach_destination_of(engine, previous)->path_next = next;
	else
		path->first = next;
	reach_pool_release(&engine->paths, destination->path);
	destination->path = 0;
}

/* Moves destination @number to path @path, which is held for it. */
static void link_path(struct reach_engine *engine, uint32_t number,
		      uint32_t path_number)
{
	struct reach_destination *destination =
		reach_destination_of(engine, number);
	struct reach_path *path = reach_path_at(engine, path_number);

	reach_path_detach(engine, number);
	engine->path_changes++;
	destination->path = path_number;
	destination->path_next = path->first;
	destination->path_previous = 0;
	if (path->first)
		reach_destination_of(engine, path->first)->path_previous =
			number;
	path->first = number;
}

int reach_path_attach(struct reach_engine *engine, uint32_t number,
		      const struct reach_path_key *key)
{
	const struct reach_destination *destination =
		reach_destination_of(engine, number);
	const uint32_t old = destination->path;
	uint32_t path = old;

	if (!old ||
	    memcmp(&reach_path_at(engine, old)->key, key, sizeof(*key)) != 0) {
		/* Held before the old path is released: a failure changes
		 * nothing. */
		path = hold_path(engine, key);
		if (!path)
			return -ENOMEM;
		if (old)
			reach_confirmation_answered(
				engine, &reach_path_at(engine, old)->key, key,
				1);
		link_path(engine, number, path);
	}
	reach_path_at(engine, path)->unconfirmed |= reach_unconfirmed(engine);
	/* It can be the witness now, if no other could. */
	engine->dirty.groups += reach_path_at(engine, path)->waits;
	return 0;
}

/* ---- groups ------------------------------------------------------------ */

/*
 * Groups: one lookup for all destinations that match one route.
 *
 * Under the stock policy, and with IPv4's table default empty, destinations
 * whose longest match is the same route share all shorter matches, too. So when
 * that route goes, or one comes that covers all of them, all get the same
 * answer, which their witness is looked up for. It holds for all if its match
 * covers the group. If not, or if the policy may tell the destinations apart, each is
 * looked up itself. IPv6 selects the source by the destination (ip6_route_get_saddr,
 * include/net/ip6_route.h), so there only an error holds for all.
 *
 * RTM_GETROUTE returns no prefix with an error. So a group keeps its prefix when
 * it gets one. Errors of destinations that were looked up themselves form no
 * group: their causes may be different routes.
 */

/* A marked family may have lost any number of routes without an event. */
bool reach_path_is_group(const struct reach_engine *engine,
			 const struct reach_path_key *key)
{
	return key->bits & REACH_PATH_GROUP &&
	       reach_policy_use_main_only(engine, key->family) &&
	       !reach_mark_is_family(engine, key->family) &&
	       (key->error ||
		(key->type == RTN_UNICAST && key->table == RT_TABLE_MAIN));
}

/* A destination that is not looked up on its own account, or 0. */
static uint32_t choose(const struct reach_engine *engine,
		       const struct reach_path *path)
{
	const uint8_t own = REACH_DESTINATION_STALE | REACH_DESTINATION_ASKED;
	uint32_t number = path->first;

	while (number && reach_destination_of(engine, number)->bits & own)
		number = reach_destination_of(engine, number)->path_next;
	return number;
}

void reach_groups_ask(struct reach_engine *engine)
{
	uint32_t i, witness;

	if (!engine->dirty.groups)
		return;
	engine->dirty.groups = 0;
	for (i = 0; (i = reach_pool_next(&engine->paths, i));) {
		struct reach_path *path = reach_path_at(engine, i);

		if (!path->waits || path->witness)
			continue;
		/* Without one, the next answer tries again. */
		witness = choose(engine, path);
		if (!witness)
			continue;
		path->witness = witness;
		reach_destination_of(engine, witness)->bits |=
			REACH_DESTINATION_STALE;
		reach_list_remove(&engine->destinations.table, witness);
		reach_list_insert(&engine->destinations.table, witness, 0);
	}
}

bool reach_group_narrow(struct reach_engine *engine, uint32_t number,
			uint8_t length)
{
	const struct reach_destination *destination =
		reach_destination_of(engine, number);
	const uint32_t from = destination->path;
	struct reach_path_key key = reach_path_at(engine, from)->key;
	struct reach_path *to;
	uint32_t path;

	reach_path_key_set_prefix(&key, destination->bytes, length);
	path = hold_path(engine, &key);
	if (!path)
		return false;
	to = reach_path_at(engine, path);
	to->unconfirmed |= reach_path_at(engine, from)->unconfirmed;
	link_path(engine, number, path);
	return true;
}

void reach_path_mark_each(struct reach_engine *engine, uint32_t path,
			  uint32_t except)
{
	uint32_t number = reach_path_at(engine, path)->first;

	reach_group_end(reach_path_at(engine, path));
	for (; number; number = reach_destination_of(engine, number)->path_next)
		if (number != except)
			reach_mark(engine, number);
}

/* Moves all destinations of path @from to path @to, which is held once for
 * them, as its first ones. @witness: the one that was looked up. @return their
 * number. */
static uint32_t move(struct reach_engine *engine, uint32_t from, uint32_t to,
		     uint32_t witness)
{
	struct reach_path *old = reach_path_at(engine, from);
	struct reach_path *path = reach_path_at(engine, to);
	const uint32_t count = old->record.references;
	uint32_t number = old->first, last = 0;

	reach_confirmation_answered(engine, &old->key, &path->key, count);
	engine->path_changes += count;
	for (; number;
	     number = reach_destination_of(engine, number)->path_next) {
		reach_destination_of(engine, number)->path = to;
		last = number;
	}
	reach_destination_of(engine, last)->path_next = path->first;
	if (path->first)
		reach_destination_of(engine, path->first)->path_previous = last;
	else
		path->witness = witness;
	path->first = old->first;
	path->record.references += count - 1;
	old->record.references = 1;
	reach_pool_release(&engine->paths, from);
	return count;
}

/* Holds the path of @key, the witness's answer, for the group of path @from.
 * @return 0 if the answer doesn't hold for all, or memory is out. */
static uint32_t hold_for_all(struct reach_engine *engine, uint32_t from,
			     const struct reach_path_key *key)
{
	const struct reach_path_key *old = &reach_path_at(engine, from)->key;
	struct reach_path_key shared = *key;

	if (key->error && reach_error_is_of_route(key->error)) {
		shared.bits |= REACH_PATH_GROUP;
		shared.extent = old->extent;
		memcpy(shared.prefix, old->prefix, sizeof(shared.prefix));
	}
	if (shared.extent > old->extent ||
	    (!shared.error && shared.family == AF_INET6) ||
	    !reach_policy_ignore_source(engine, key->family) ||
	    !reach_path_is_group(engine, old) ||
	    !reach_path_is_group(engine, &shared))
		return 0;
	return hold_path(engine, &shared);
}

/* @number has an answer of its own. */
static int answer_one(struct reach_engine *engine, uint32_t number,
		      const struct reach_path_key *key)
{
	const int err = reach_path_attach(engine, number, key);

	if (!err)
		reach_evaluate_users(engine, number);
	return err;
}

/* The witness's answer holds for the group of path @from, which goes to path
 * @to. */
static void answer_all(struct reach_engine *engine, uint32_t number,
		       uint32_t from, uint32_t to)
{
	struct reach_path *path = reach_path_at(engine, to);
	const bool is_awaited = path->is_awaited;
	uint32_t moved = 0;

	if (to == from) {
		path->waits = false;
		reach_pool_release(&engine->paths, to);
	} else {
		moved = move(engine, from, to, number);
	}
	path->unconfirmed |= reach_unconfirmed(engine);
	/* If the path's own witness has no answer yet, that one counts. */
	if (path->waits) {
		path->is_awaited |= moved != 0;
		return;
	}
	path->is_awaited = false;
	reach_path_evaluate(engine, to, is_awaited ? UINT32_MAX : moved);
}

int reach_path_answered(struct reach_engine *engine, uint32_t number,
			const struct reach_path_key *key)
{
	const uint32_t from = reach_destination_of(engine, number)->path;
	uint32_t to;

	if (!from || !reach_path_at(engine, from)->waits ||
	    reach_path_at(engine, from)->witness != number)
		return answer_one(engine, number, key);
	to = hold_for_all(engine, from, key);
	if (!to) {
		reach_path_mark_each(engine, from, number);
		return answer_one(engine, number, key);
	}
	answer_all(engine, number, from, to);
	return 0;
}
