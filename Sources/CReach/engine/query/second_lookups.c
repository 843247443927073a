/* SPDX-License-Identifier: MIT */
/*
 * Which answers call for further lookups: as connect() makes them if routing
 * depends on the source, and of the route that the kernel changes over to.
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

#include <string.h>
#include <sys/socket.h>

#include <linux/if.h>
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

/* ---- change-over -------------------------------------------------------- */

/*
 * A link without carrier, and the route that the kernel changes over to.
 *
 * On a link that lost its carrier, the neighbors of the kernel are gone, and
 * the next packet finds its gateway unreachable. From then on the kernel takes
 * another route, which it announces nowhere: IPv4 another default route of the
 * same metric (fib_select_default(), net/ipv4/fib_semantics.c), IPv6 one of any
 * metric in the table (find_rr_leaf() and fib6_table_lookup(),
 * net/ipv6/route.c), unless it is a router. Whoever waits for the verdict before
 * it sends would wait forever. So the answer is the route that packets end up
 * on: the best one over another usable link, each of which is asked (RTA_OIF).
 *
 * The same holds for the legs of a route: IPv6 leaves one whose gateway has
 * failed, IPv4 only with fib_multipath_use_neigh. If the kernel hashes ports to
 * choose the leg, no lookup shows it, and any usable leg counts.
 *
 * Hosts that need it have two uplinks and no daemon that removes the routes of
 * a dead one: router advertisements that the kernel takes, ifupdown, static
 * routes. Without it, `reachctl wait` fails after the cable is pulled, although
 * the first packet gets through 3 seconds later. Hosts with carrier, or with one
 * uplink, send no further lookup.
 */

/* Whether packets by the leg @key are lost, but not those by another one. A
 * socket that is bound to the leg's interface has no other. */
static bool is_dead_leg(const struct reach_engine *engine,
			const struct reach_path_key *key)
{
	const struct reach_link *link =
		reach_links_find(&engine->links, key->output);
	const struct reach_selectors *selectors =
		reach_selectors_at(engine, key->selectors);

	if (!selectors->is_vrf && reach_selectors_are_bound(selectors))
		return false;
	return key->bits & REACH_PATH_LEGS && key->usable_legs &&
	       !reach_path_error(key) && link &&
	       !reach_links_pass(&engine->links, link, true) &&
	       !reach_link_dormant(link);
}

bool reach_change_over_is_due(const struct reach_engine *engine,
			      const struct reach_request *request,
			      const struct reach_path_key *key)
{
	const struct reach_reply *match = &request->replies[REACH_REPLY_MATCH];

	return !match->error && match->length != REACH_LENGTH_UNKNOWN &&
	       (reach_path_may_change_over(engine, key) ||
		is_dead_leg(engine, key));
}

/* Whether the kernel may have a route over @link that it takes instead of
 * @second's. Ports of bridges and bonds have no routes. */
static bool is_candidate(const struct reach_engine *engine,
			 const struct reach_second_lookup *second,
			 const struct reach_link *link)
{
	const struct reach_selectors *selectors = reach_selectors_at(
		engine,
		reach_destination_of(engine, second->first.subject)->selectors);

	return reach_link_is_other(link,
				   selectors->is_vrf ? selectors->bound : 0) &&
	       link->index != second->first.replies[REACH_REPLY_PLAIN].output;
}

static const struct reach_link *
next_link(const struct reach_engine *engine,
	  const struct reach_second_lookup *second)
{
	const struct reach_links *links = &engine->links;
	size_t at = reach_links_position(links, second->link + 1);

	while (at < links->count &&
	       !is_candidate(engine, second, &links->items[at]))
		at++;
	return at < links->count ? &links->items[at] : NULL;
}

/* Whether no lookup shows the leg, so that any usable one counts. */
static bool hides_leg(const struct reach_engine *engine,
		      const struct reach_second_lookup *second)
{
	const struct reach_reply *match =
		&second->first.replies[REACH_REPLY_MATCH];
	const struct reach_destination *destination =
		reach_destination_of(engine, second->first.subject);

	return match->legs &&
	       engine->settings.hides_legs[destination->family == AF_INET6];
}

/* Whether the kernel takes another route or leg once the gateway has failed, or
 * may have taken one. */
static bool leaves(const struct reach_engine *engine,
		   const struct reach_second_lookup *second)
{
	const struct reach_reply *match =
		&second->first.replies[REACH_REPLY_MATCH];
	const struct reach_destination *destination =
		reach_destination_of(engine, second->first.subject);
	const struct reach_link *link = reach_links_find(
		&engine->links,
		second->first.replies[REACH_REPLY_PLAIN].output);

	if (hides_leg(engine, second))
		return true;
	if (!link || !reach_link_is_unplugged(link))
		return false;
	if (destination->family == AF_INET6)
		return !engine->settings.forwards;
	return !match->has_legs || engine->settings.leaves_legs;
}

size_t reach_change_over_write(struct reach_engine *engine, uint8_t *buffer,
			       uint32_t position)
{
	struct reach_second_lookup *second =
		&engine->second_lookups.items[position];
	const struct reach_link *link;
	size_t used = 0;

	if (!leaves(engine, second))
		return 0;
	while (engine->batch.outstanding + 2 <= REACH_BATCH &&
	       (link = next_link(engine, second))) {
		second->link = link->index;
		used += reach_lookup_write(
			engine, buffer + used, REACH_REQUEST_OTHER_LINK,
			second->first.subject, NULL, link->index);
		engine->batch.requests[engine->batch.count - 1].position =
			position;
	}
	return used;
}

static bool is_same_route(const struct reach_reply *a,
			  const struct reach_reply *b)
{
	return a->length == b->length && a->priority == b->priority &&
	       a->scope == b->scope && a->has_legs == b->has_legs;
}

/* Whether the kernel changes over from @second's route to this one. */
static bool is_successor(const struct reach_engine *engine,
			 const struct reach_second_lookup *second,
			 const struct reach_request *request)
{
	const struct reach_reply *old =
		&second->first.replies[REACH_REPLY_MATCH];
	const struct reach_reply *match = &request->replies[REACH_REPLY_MATCH];
	const struct reach_reply *plain = &request->replies[REACH_REPLY_PLAIN];
	const struct reach_link *link =
		reach_links_find(&engine->links, plain->output);

	/* A lookup with interface and source isn't limited to the interface. */
	if (match->error || plain->error || plain->type != RTN_UNICAST ||
	    match->table != old->table || match->length > old->length ||
	    !link || !is_candidate(engine, second, link))
		return false;
	if (reach_destination_of(engine, request->subject)->family ==
		    AF_INET6 &&
	    !hides_leg(engine, second))
		return true;
	return is_same_route(match, old) && plain->gateway.family;
}

void reach_change_over_take(struct reach_engine *engine,
			    const struct reach_request *request)
{
	struct reach_second_lookup *second =
		&engine->second_lookups.items[request->position];
	const struct reach_reply *match = &request->replies[REACH_REPLY_MATCH];

	if (!is_successor(engine, second, request) ||
	    (second->has_other && (match->length < second->other.length ||
				   (match->length == second->other.length &&
				    match->priority >= second->priority))))
		return;
	second->other = reach_reply_key(
		engine, reach_destination_of(engine, request->subject),
		&request->replies[REACH_REPLY_PLAIN], match);
	reach_path_key_end_group(&second->other);
	second->other.predicted = !hides_leg(engine, second);
	second->priority = match->priority;
	second->has_other = true;
}

void reach_change_over_from(const struct reach_engine *engine,
			    const struct reach_second_lookup *second,
			    const struct reach_request *request,
			    struct reach_path_key *key)
{
	const struct reach_reply *first =
		&second->first.replies[REACH_REPLY_PLAIN];
	const struct reach_reply *match = &request->replies[REACH_REPLY_MATCH];
	const struct reach_reply *old =
		&second->first.replies[REACH_REPLY_MATCH];
	const struct reach_link *link =
		reach_links_find(&engine->links, first->output);

	if (!reach_path_may_change_over(engine, key) &&
	    !is_dead_leg(engine, key))
		return;
	/* A policy rule has sent the source to another route. */
	if (match->table != old->table || !is_same_route(match, old))
		return;
	if (second->has_other)
		*key = second->other;
	else if (hides_leg(engine, second) && link &&
		 reach_links_pass(&engine->links, link, true))
		*key = reach_reply_key(
			engine,
			reach_destination_of(engine, second->first.subject),
			first, &second->first.replies[REACH_REPLY_MATCH]);
}
