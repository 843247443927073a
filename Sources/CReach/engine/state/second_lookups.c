/* SPDX-License-Identifier: MIT */
#include "engine/state/state.h"

#include <sys/socket.h>

#include <linux/rtnetlink.h>

/* Whether the source alone decides: with a source, IPv4 sends multicast and
 * broadcast through the link that has it (ip_route_output_key_hash_rcu,
 * net/ipv4/route.c). */
static bool follows_source(const struct reach_engine *engine,
			   const struct reach_path_key *key)
{
	return key->family == AF_INET && key->bits & REACH_PATH_MULTICAST &&
	       !reach_selectors_are_bound(
		       reach_selectors_at(engine, key->selectors));
}

/* Whether the answer is a route whose source only a socket knows: IPv6's answer
 * ignores the VRF, and an answer names none if the host has none, or in gVisor
 * up to 2024. */
static bool lacks_source(const struct reach_engine *engine,
			 const struct reach_path_key *key)
{
	if (reach_path_error(key))
		return false;
	if (key->type == RTN_UNICAST && !key->source.family)
		return true;
	return key->family == AF_INET6 &&
	       reach_selectors_at(engine, key->selectors)->is_vrf;
}

/* Whether the source helps to choose among legs: IPv4 hashes it
 * (fib_multipath_hash(), net/ipv4/route.c), and has none in the first lookup.
 * IPv6 doesn't look up again. */
static bool hashes_source(const struct reach_path_key *key)
{
	return key->family == AF_INET && key->bits & REACH_PATH_LEGS;
}

bool reach_second_lookup_is_needed(const struct reach_engine *engine,
				   const struct reach_path_key *key)
{
	if (reach_selectors_at(engine, key->selectors)->key.local.family)
		return false;
	if (lacks_source(engine, key))
		return true;
	if (follows_source(engine, key))
		return !key->error && key->source.family;
	if (!hashes_source(key) &&
	    reach_rules_ignore_source(engine, key->family))
		return false;
	if (key->family == AF_INET)
		return key->source.family;
	return reach_path_error(key) != 0;
}

struct reach_second_lookup *
reach_second_lookups_add(struct reach_engine *engine,
			 const struct reach_request *request)
{
	struct reach_second_lookups *lookups = &engine->second_lookups;
	struct reach_second_lookup *second = &lookups->items[lookups->count++];

	*second = (struct reach_second_lookup){ .first = *request };
	return second;
}

void reach_second_lookup_begin(const struct reach_engine *engine,
			       struct reach_second_lookup *second,
			       const struct reach_path_key *key)
{
	second->has_route = lacks_source(engine, key);
	second->state = REACH_SECOND_WANTS_SOURCE;
	if (key->family == AF_INET6 || second->has_route)
		return;
	second->state = REACH_SECOND_HAS_SOURCE;
	second->whatever_the_rules = follows_source(engine, key);
	second->by_legs = !second->whatever_the_rules && hashes_source(key);
	second->source = key->source;
}

/* Whether the rules tell if IPv4's second lookup is sent; after a change-over,
 * that comes next. */
static bool wants_rules(const struct reach_engine *engine,
			const struct reach_second_lookup *second)
{
	const struct reach_destination *destination =
		reach_destination_of(engine, second->first.subject);

	return reach_request_is_current(&second->first) &&
	       destination->family == AF_INET && !second->whatever_the_rules &&
	       (second->state == REACH_SECOND_HAS_SOURCE ||
		second->state == REACH_SECOND_OTHER_LINKS);
}

bool reach_second_lookups_want_rules(const struct reach_engine *engine)
{
	const struct reach_second_lookups *lookups = &engine->second_lookups;
	size_t i;

	if (!reach_rules_are_unknown(engine, AF_INET))
		return false;
	for (i = 0; i < lookups->count; i++)
		if (wants_rules(engine, &lookups->items[i]))
			return true;
	return false;
}

struct reach_second_lookup *
reach_second_lookups_hand(struct reach_engine *engine)
{
	struct reach_second_lookups *lookups = &engine->second_lookups;

	while (lookups->handed < lookups->count) {
		struct reach_second_lookup *second =
			&lookups->items[lookups->handed++];

		if (second->state == REACH_SECOND_WANTS_SOURCE &&
		    (second->has_route ||
		     !reach_rules_ignore_source(engine, AF_INET6)) &&
		    reach_request_is_current(&second->first))
			return second;
	}
	return NULL;
}

void reach_second_lookups_clear(struct reach_engine *engine)
{
	engine->second_lookups.count = 0;
	engine->second_lookups.handed = 0;
}
