/* SPDX-License-Identifier: MIT */
/*
 * Route events.
 *
 * A route decides for destinations inside its prefix and for no others. With
 * the stock rules there is more to say: one that comes changes nothing where
 * a longer match is found, one that goes only where it was the match. IPv4
 * keeps local and main in one trie until the first other rule comes
 * (fib_unmerge, net/ipv4/fib_frontend.c), so a route in local may or may not
 * go before a longer one in main.
 */
#include "engine/invalidate/route_events.h"

#include <string.h>
#include <sys/socket.h>

#include <linux/rtnetlink.h>

#include "base/address.h"
#include "base/prefix.h"
#include "engine/invalidate/equivalence.h"
#include "engine/invalidate/marks.h"
#include "engine/state/state.h"

struct change {
	struct reach_address prefix;
	uint32_t table;
	uint8_t length;
	bool gone;
	/* It stands for what the table does not know. */
	bool throws;
	bool stock;
};

/* Whether the change can affect who has @key for an answer. */
static bool can_affect(const struct change *change,
		       const struct reach_path_key *key)
{
	const bool longer = key->length > change->length;

	if (!change->stock || key->length == REACH_LENGTH_UNKNOWN)
		return true;
	/* It hid all shorter ones of its table, so that a later table, by any
	 * match of its own, decided. */
	if (change->gone && change->throws)
		return true;
	if (change->gone)
		return key->length == change->length;
	switch (change->table) {
	case RT_TABLE_LOCAL:
		return !longer || key->table != RT_TABLE_LOCAL;
	case RT_TABLE_MAIN:
		return !longer || key->table == RT_TABLE_DEFAULT;
	default:
		return !longer && key->table == RT_TABLE_DEFAULT;
	}
}

static struct reach_index *index_of(struct reach_engine *engine,
				    const struct change *change)
{
	return &engine->indices[change->prefix.family == AF_INET6];
}

/* Whether the route goes whose return the path's entries wait for. */
static void note_removal(const struct change *change, struct reach_path *path)
{
	if (change->gone && path->key.bits & REACH_PATH_EXPIRED &&
	    path->key.expired_length == change->length)
		path->removed = true;
}

static void mark_if_affected(struct reach_engine *engine, uint32_t number,
			     const struct change *change)
{
	const uint32_t path = reach_entry_at(&engine->entries, number)->path;

	if (!path || !can_affect(change, &reach_path_at(engine, path)->key))
		return;
	note_removal(change, reach_path_at(engine, path));
	reach_equivalence_mark(engine, number, change->length);
}

/* Looks at all who are inside. */
static size_t mark_inside(struct reach_engine *engine,
			  const struct change *change,
			  struct reach_cursor *cursor)
{
	const struct reach_index *index = index_of(engine, change);
	size_t visits = 0;
	uint32_t number;

	while ((number = reach_index_next(&engine->entries, index, cursor)) !=
	       REACH_NO_ENTRY) {
		mark_if_affected(engine, number, change);
		visits++;
	}
	return visits;
}

static bool is_inside(const struct change *change,
		      const struct reach_entry *entry)
{
	struct reach_address address = { .family = entry->family };

	if (!change->length)
		return true;
	memcpy(address.bytes, entry->bytes, sizeof(address.bytes));
	return reach_address_in_prefix(&address, &change->prefix,
				       change->length);
}

static size_t mark_on_path(struct reach_engine *engine,
			   const struct change *change, uint32_t path)
{
	uint32_t number = reach_path_at(engine, path)->first;
	size_t visits = 0;

	note_removal(change, reach_path_at(engine, path));
	while (number != REACH_NO_ENTRY) {
		const struct reach_entry *entry =
			reach_entry_at(&engine->entries, number);

		if (is_inside(change, entry))
			reach_equivalence_mark(engine, number, change->length);
		number = entry->path_next;
		visits++;
	}
	return visits;
}

/* Looks at all who have an answer that can change. Who has none is marked. */
static size_t mark_by_path(struct reach_engine *engine,
			   const struct change *change)
{
	size_t visits = 0;
	uint32_t i;

	for (i = 1; i < engine->paths.used; i++) {
		const struct reach_path *path = reach_path_at(engine, i);

		if (path->record.references &&
		    path->key.family == change->prefix.family &&
		    can_affect(change, &path->key))
			visits += mark_on_path(engine, change, i);
	}
	return visits + engine->paths.used;
}

/* Leaders may have answered for others with the error of a route that had
 * come, but was not announced yet, and which only the leader is inside of. */
static bool recheck_errors(struct reach_engine *engine, uint8_t family)
{
	size_t visits = 0;
	bool any = false;
	uint32_t i;

	reach_equivalence_dissolve_family(engine, family);
	for (i = 1; i < engine->paths.used; i++) {
		const struct reach_path *path = reach_path_at(engine, i);
		uint32_t number;

		if (!path->record.references || !path->key.group ||
		    path->key.family != family)
			continue;
		for (number = path->first; number != REACH_NO_ENTRY;
		     number = reach_entry_at(&engine->entries, number)
				      ->path_next) {
			reach_mark(engine, number);
			visits++;
		}
		any = true;
	}
	reach_mark_spend(engine, family, visits);
	return any;
}

bool reach_engine_recheck_errors(struct reach_engine *engine)
{
	const bool inet = recheck_errors(engine, AF_INET);

	reach_confirmation_explain(engine);
	return recheck_errors(engine, AF_INET6) || inet;
}

static bool is_error_type(uint8_t type)
{
	return type == RTN_UNREACHABLE || type == RTN_PROHIBIT ||
	       type == RTN_BLACKHOLE || type == RTN_THROW;
}

static void mark_affected(struct reach_engine *engine,
			  const struct change *change)
{
	struct reach_index *index = index_of(engine, change);
	struct reach_cursor cursor;
	size_t visits;

	if (!reach_index_seek(&engine->entries, index, &change->prefix,
			      change->length, &cursor)) {
		reach_churn_sample(engine, &change->prefix, change->length);
		return;
	}
	reach_equivalence_dissolve_family(engine,
					  (uint8_t)change->prefix.family);
	reach_mark_asked(engine);
	reach_equivalence_begin(engine);
	if (change->stock &&
	    reach_index_estimate(index, &cursor) > engine->paths.used)
		visits = mark_by_path(engine, change);
	else
		visits = mark_inside(engine, change, &cursor);
	reach_mark_spend(engine, (uint8_t)change->prefix.family, visits);
}

/* Whether lookups by the stock rules never see the table. */
static bool is_foreign(const struct change *change)
{
	return change->stock && change->table != RT_TABLE_LOCAL &&
	       change->table != RT_TABLE_MAIN &&
	       change->table != RT_TABLE_DEFAULT;
}

void reach_route_event(struct reach_engine *engine,
		       const struct reach_message *message)
{
	const struct reach_route_message *route = &message->u.route;
	struct change change = {
		.table = route->table,
		.length = route->destination_length,
		.gone = message->type == RTM_DELROUTE,
		.throws = route->type == RTN_THROW,
		.stock = reach_rules_are_stock(engine, route->family),
	};

	if (route->flags & RTM_F_CLONED)
		return;
	/* fib_table_delete() announces before it removes. */
	if (change.gone)
		reach_confirmation_announce(engine);
	if (is_foreign(&change))
		return;
	if (change.length <= REACH_DEFAULT_LENGTH_MAX) {
		engine->network_changes++;
		engine->returns += !change.gone;
	}
	if (change.table == RT_TABLE_DEFAULT && route->family == AF_INET)
		reach_rules_table_default_used(engine);
	if (reach_mark_is_family(engine, route->family))
		return;
	if (route->present & REACH_ROUTE_DESTINATION)
		change.prefix = route->destination;
	change.prefix.family = route->family;
	mark_affected(engine, &change);
	if (!change.gone && is_error_type(route->type))
		recheck_errors(engine, route->family);
}
