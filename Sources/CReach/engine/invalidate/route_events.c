/* SPDX-License-Identifier: MIT */
/*
 * Which answers a route that comes or goes can change.
 *
 * A route decides for destinations inside its prefix only. Under the stock
 * policy the length of the match tells more. A new route changes nothing for a
 * longer match. A removed route changes only the answers that it gave. IPv4
 * keeps the tables local and main in one trie until the first policy rule
 * beyond the stock ones comes (fib_unmerge, net/ipv4/fib_frontend.c). So a route in local
 * may or may not be preferred to a longer one in main.
 */
#include "engine/invalidate/invalidate.h"

#include <sys/socket.h>

#include <linux/rtnetlink.h>

#include "engine/state/state.h"
#include "engine/verdict/verdict.h"

/* A route that came or went. */
struct change {
	struct reach_address prefix;
	uint32_t table;
	uint8_t length;
	bool gone;
	/* The route hid those of shorter prefixes, or of the same one: RTN_THROW
	 * sends the lookup on to the next table, and an IPv6 route by source
	 * hides from any other source the routes without one that have its
	 * prefix (fib6_node_lookup_1(), net/ipv6/ip6_fib.c). */
	bool hides;
	/* The family has the stock policy (state/state.h). */
	bool stock;
};

/* Whether the change can affect destinations whose answer is @key, and whose
 * route keeps its carrier. */
static bool can_decide(const struct change *change,
		       const struct reach_path_key *key)
{
	/* A route by source isn't compared with those that select by none. */
	if (!change->stock || key->length == REACH_LENGTH_UNKNOWN ||
	    key->bits & REACH_PATH_BY_SOURCE)
		return true;
	/* The answer came from elsewhere, with a match of any length. */
	if (change->gone && change->hides)
		return true;
	if (change->gone)
		return key->length == change->length;
	/* A longer match keeps the new route from being used, if it is of the same
	 * table. */
	return key->length <= change->length || key->table != change->table;
}

/* Instead of a route without carrier, the kernel may take a shorter match. */
static bool can_affect(const struct reach_engine *engine,
		       const struct change *change,
		       const struct reach_path_key *key)
{
	return can_decide(change, key) || key->predicted ||
	       reach_path_may_change_over(engine, key);
}

/* Marks @number, which is inside the prefix: as part of its group if one lookup
 * is enough for all of the group that are inside. */
static void mark_inside(struct reach_engine *engine, uint32_t number,
			const struct change *change)
{
	const uint32_t path = reach_destination_of(engine, number)->path;
	const struct reach_path_key *key;

	if (!path)
		return;
	key = &reach_path_at(engine, path)->key;
	if (!can_affect(engine, change, key))
		return;
	if (!reach_path_is_group(engine, key) ||
	    (key->extent < change->length &&
	     !reach_group_narrow(engine, number, change->length)))
		reach_mark(engine, number);
	else
		reach_mark_group(engine,
				 reach_destination_of(engine, number)->path);
}

static bool is_inside(const struct change *change, const uint8_t *bytes)
{
	const struct reach_address address =
		reach_address_of(change->prefix.family, bytes);

	return !change->length ||
	       reach_address_in_prefix(&address, &change->prefix,
				       change->length);
}

static void mark_on_path(struct reach_engine *engine,
			 const struct change *change, uint32_t path)
{
	const struct reach_path_key *key = &reach_path_at(engine, path)->key;
	uint32_t number = reach_path_at(engine, path)->first, next;

	/* The prefix contains a group as a whole, or not at all. */
	if (key->extent >= change->length && reach_path_is_group(engine, key)) {
		if (is_inside(change, key->prefix))
			reach_mark_group(engine, path);
		return;
	}
	for (; number; number = next) {
		next = reach_destination_of(engine, number)->path_next;
		if (is_inside(change,
			      reach_destination_of(engine, number)->bytes))
			mark_inside(engine, number, change);
	}
}

/* Visits the paths that can change. With a short prefix these are fewer than the
 * destinations inside it. Destinations without a path are dirty already. */
static void mark_by_path(struct reach_engine *engine,
			 const struct change *change)
{
	const uint32_t used = engine->paths.used;
	uint32_t i;

	/* Those that narrowing appends are marked. */
	for (i = 0; (i = reach_pool_next(&engine->paths, i)) && i < used;) {
		const struct reach_path *path = reach_path_at(engine, i);

		if (path->key.family == change->prefix.family &&
		    can_affect(engine, change, &path->key))
			mark_on_path(engine, change, i);
	}
}

static void mark_affected(struct reach_engine *engine,
			  const struct change *change)
{
	const struct reach_index *index =
		reach_index_of(engine, change->prefix.family);
	struct reach_cursor cursor;
	uint32_t number;

	if (!reach_index_seek(&engine->destinations, index, &change->prefix,
			      change->length, &cursor))
		return;
	reach_mark_outstanding(engine);
	/* Paths show what can change only under the stock policy. A default route
	 * contains each group as a whole. */
	if (change->stock && change->length <= REACH_DEFAULT_LENGTH_MAX) {
		mark_by_path(engine, change);
		return;
	}
	while ((number = reach_index_next(&engine->destinations, index,
					  &cursor)))
		mark_inside(engine, number, change);
}

/* Whether the route is in a table that the stock policy doesn't search. */
static bool is_in_unused_table(const struct change *change)
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
		.hides = route->type == RTN_THROW || route->source_length,
		.stock = reach_policy_are_stock(engine, route->family),
	};

	/* A cached exception (redirect, PMTU), not a route of the FIB. */
	if (route->flags & RTM_F_CLONED)
		return;
	/* fib_table_delete() (net/ipv4/fib_trie.c) announces, then removes. */
	if (change.gone)
		reach_confirmation_announce(engine);
	reach_policy_route_seen(engine, route);
	if (is_in_unused_table(&change))
		return;
	/* A name may resolve differently over another default route. */
	if (change.length <= REACH_DEFAULT_LENGTH_MAX)
		engine->network_changes++;
	if (reach_mark_is_family(engine, route->family))
		return;
	if (route->present & REACH_ROUTE_DESTINATION)
		change.prefix = route->destination;
	change.prefix.family = route->family;
	mark_affected(engine, &change);
}
