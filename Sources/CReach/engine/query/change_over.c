/* SPDX-License-Identifier: MIT */
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
 * Destinations of one default route share which links have one, too: else 500
 * destinations beside 100 links of containers take 0.5 s of CPU time.
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
#include "engine/query/query.h"

#include <sys/socket.h>

#include <linux/rtnetlink.h>

#include "engine/verdict/verdict.h"

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

/* Nanoseconds; a fraction of the time until the confirming lookup. */
#define WAYS_LAST INT64_C(100000000)

static uint64_t count_events(const struct reach_engine *engine)
{
	return engine->stats.events + engine->stats.overruns;
}

/* Where the ways of @second's destination are those of all others: no other route
 * is longer than the default route that it has, no rule tells them apart, and no
 * packet leaves by the link of that route. NULL if they are its own. */
static struct reach_ways *shared_ways(struct reach_engine *engine,
				      const struct reach_second_lookup *second)
{
	const struct reach_reply *match =
		&second->first.replies[REACH_REPLY_MATCH];
	const struct reach_destination *destination =
		reach_destination_of(engine, second->first.subject);
	const struct reach_selectors *selectors =
		reach_selectors_at(engine, destination->selectors);

	if (match->length || match->table != RT_TABLE_MAIN ||
	    selectors->key.local.family || hides_leg(engine, second) ||
	    !reach_policy_use_main_only(engine, destination->family))
		return NULL;
	return &engine->second_lookups.ways[destination->family == AF_INET6];
}

static bool are_known(const struct reach_engine *engine,
		      const struct reach_ways *ways)
{
	return ways && ways->end > engine->clock.now &&
	       ways->events == count_events(engine) &&
	       ways->count <= REACH_WAYS_MAX;
}

static const struct reach_link *
next_link(struct reach_engine *engine, const struct reach_second_lookup *second)
{
	const struct reach_links *links = &engine->links;
	const struct reach_ways *ways = shared_ways(engine, second);
	size_t at = reach_links_position(links, second->link + 1);
	uint32_t i = 0;

	if (!are_known(engine, ways)) {
		while (at < links->count &&
		       !is_candidate(engine, second, &links->items[at]))
			at++;
		return at < links->count ? &links->items[at] : NULL;
	}
	while (i < ways->count && ways->links[i] <= second->link)
		i++;
	return i < ways->count ? reach_links_find(links, ways->links[i]) : NULL;
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
	struct reach_ways *const shared = shared_ways(engine, second);
	size_t used = 0;

	if (!leaves(engine, second))
		return 0;
	/* What is known doesn't last longer by its use. */
	if (!second->link)
		second->ways = (struct reach_ways){
			.end = are_known(engine, shared)
				       ? shared->end
				       : engine->clock.now + WAYS_LAST,
			.events = count_events(engine),
		};
	while (engine->batch.outstanding + 2 <= REACH_BATCH &&
	       (link = next_link(engine, second))) {
		second->link = link->index;
		used += reach_lookup_write(
			engine, buffer + used, REACH_REQUEST_OTHER_LINK,
			second->first.subject, NULL, link->index);
		engine->batch.requests[engine->batch.count - 1].position =
			position;
	}
	if (!used && shared)
		*shared = second->ways;
	return used;
}

/* The answers to @request name the link that was asked, or there is no route: then
 * IPv4 makes one up, but not its match. */
static void note_way(struct reach_ways *ways,
		     const struct reach_request *request)
{
	const struct reach_reply *plain = &request->replies[REACH_REPLY_PLAIN];

	if (request->replies[REACH_REPLY_MATCH].error)
		return;
	if (plain->error || ways->count >= REACH_WAYS_MAX)
		ways->count = REACH_WAYS_MAX + 1;
	else
		ways->links[ways->count++] = plain->output;
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

	note_way(&second->ways, request);
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
