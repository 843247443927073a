/* SPDX-License-Identifier: MIT */
/*
 * Which answers call for a second lookup, as connect() makes it if routing depends
 * on the source.
 *
 * A socket without a source looks up twice. IPv4 takes the source of the first
 * answer and looks up again with it (ip_route_connect, include/net/route.h).
 * With an interface, it also does so after the answer that it makes up where
 * there is no route. IPv6 does so if the first answer is an error, with a
 * source of its choice (ip6_dst_lookup_tail, net/ipv6/ip6_output.c).
 *
 * RTM_GETROUTE looks up once. So if a policy rule or route selects by source, the
 * first answer isn't final. The lookup waits here until its batch ends. For
 * IPv6 it also waits for the caller to supply the source.
 *
 * A socket bound to a VRF chooses its IPv6 source among the links of the VRF;
 * RTM_GETROUTE chooses among all (rt6_fill_node passes no l3mdev to
 * ip6_route_get_saddr, net/ipv6/route.c). There the caller supplies the source
 * even if a route was found. A second lookup follows only if a policy rule or route
 * selects by source: the kernel then routes each packet with the source, since
 * the route found leaves by another link than the VRF (ip6_sk_dst_check,
 * net/ipv6/ip6_output.c).
 */
#include "engine/query/query.h"

#include <sys/socket.h>

#include <linux/rtnetlink.h>

#include "engine/verdict/verdict.h"

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

/* Whether a socket of the pair, bound to an interface, gets another answer.
 * RTM_GETROUTE with interface and source is not limited to the interface (any_src
 * in ip6_route_output_flags_noref(), net/ipv6/route.c), and without the source
 * it is. So an answer over another interface, or an error, isn't that of the
 * socket. */
static bool is_lax(const struct reach_path_key *key,
		   const struct reach_selectors *selectors)
{
	return key->family == AF_INET6 && selectors->bound &&
	       !selectors->is_vrf &&
	       (key->error || key->output != selectors->bound);
}

bool reach_second_lookup_is_needed(const struct reach_engine *engine,
				   const struct reach_path_key *key)
{
	const struct reach_selectors *selectors =
		reach_selectors_at(engine, key->selectors);

	if (selectors->key.local.family)
		return is_lax(key, selectors);
	if (lacks_source(engine, key))
		return true;
	if (follows_source(engine, key))
		return !key->error && key->source.family;
	if (!hashes_source(key) &&
	    reach_policy_ignore_source(engine, key->family))
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
	const struct reach_selectors *selectors =
		reach_selectors_at(engine, key->selectors);

	if (selectors->key.local.family) {
		second->state = REACH_SECOND_HAS_SOURCE;
		second->strict_link = selectors->bound;
		return;
	}
	second->has_route = lacks_source(engine, key);
	second->state = REACH_SECOND_WANTS_SOURCE;
	if (key->family == AF_INET6 || second->has_route)
		return;
	second->state = REACH_SECOND_HAS_SOURCE;
	second->whatever_the_policy = follows_source(engine, key);
	second->by_legs = hashes_source(key);
	second->source = key->source;
}
