/* SPDX-License-Identifier: MIT */
/*
 * Turns replies into keys of paths, and finds the deadlines of expiring routes.
 * The kernel announces neither the end of such a route nor its revival.
 */
#include "engine/query/query.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/rtnetlink.h>

#include "engine/verdict/verdict.h"

/* Nanoseconds from the end of a route's lifetime to its next lookup. The kernel
 * counts lifetimes in jiffies of up to 10 ms. */
#define EXPIRY_SLACK INT64_C(20000000)

/* Nanoseconds. Deadlines are multiples of this: answers for one route, which
 * come at different moments, then have the same deadline and share a path. */
#define EXPIRY_GRAIN INT64_C(20000000)

/* Lookups, one per second, in which an expired route may show up again. The
 * kernel's collector removes it within 30 s (net.ipv6.route.gc_interval), and
 * may be late. */
#define RECHECKS_MAX 60

/* The deadline of a route that expires in @left milliseconds. INT64_MAX, never,
 * if the sum overflows: RTA_EXPIRES reaches 136 years, the clock 292. */
static int64_t deadline_of(const struct reach_engine *engine, int64_t left)
{
	const int64_t deadline = reach_after(
		engine->clock.now,
		left * REACH_MILLISECOND + EXPIRY_SLACK + EXPIRY_GRAIN - 1);

	return deadline < INT64_MAX ? deadline / EXPIRY_GRAIN * EXPIRY_GRAIN
				    : INT64_MAX;
}

/* The length of the matched prefix. Before Linux 4.13 the kernel ignores
 * RTM_F_FIB_MATCH, and the answer has the length of the destination, 32 or 128.
 * IPv4 marks such an answer with RTM_F_CLONED. For IPv6 the sign is a source
 * (RTA_PREFSRC), which host routes in the FIB rarely have. */
static uint8_t length_of(const struct reach_route_message *route)
{
	if (route->flags & RTM_F_CLONED ||
	    (route->family == AF_INET6 && route->destination_length == 128 &&
	     route->preferred_source.family))
		return REACH_LENGTH_UNKNOWN;
	return route->destination_length;
}

/* IPv4 caches one answer per CPU and next hop (rt_cache_route,
 * net/ipv4/route.c), with the type of the first destination looked up. So it
 * may report a multicast destination as unicast, and the reverse. */
static uint8_t type_of(const struct reach_route_message *route)
{
	/* An own anycast address: packets to it pass lo. */
	if (route->family == AF_INET6 && route->type == RTN_ANYCAST)
		return RTN_LOCAL;
	if (route->family != AF_INET || route->destination_length != 32 ||
	    (route->type != RTN_UNICAST && route->type != RTN_MULTICAST))
		return route->type;
	return reach_address_is_group(route->destination.bytes) ? RTN_MULTICAST
								: RTN_UNICAST;
}

static uint8_t saturated(uint32_t count)
{
	return count < UINT8_MAX ? (uint8_t)count : UINT8_MAX;
}

/* Legs beyond those that are decoded count as the last of them. */
static void count_legs(const struct reach_engine *engine,
		       struct reach_reply *reply,
		       const struct reach_route_message *route)
{
	uint32_t i, usable = 0;

	for (i = 0; i < route->leg_count; i++) {
		const uint32_t at = i < REACH_LEGS_MAX ? i : REACH_LEGS_MAX - 1;
		const struct reach_link *link = reach_links_find(
			&engine->links, route->legs[at].interface_index);

		usable += link &&
			  reach_links_pass(&engine->links, link, true) &&
			  !(route->legs[at].flags & RTNH_F_DEAD);
	}
	reply->legs = saturated(route->leg_count);
	reply->usable_legs = saturated(usable);
}

void reach_reply_take(const struct reach_engine *engine,
		      struct reach_reply *reply,
		      const struct reach_message *message)
{
	const struct reach_route_message *route = &message->u.route;

	*reply = (struct reach_reply){ .deadline = INT64_MAX, .error = EPROTO };
	if (message->kind == REACH_MESSAGE_ERROR && message->u.error.error)
		reply->error = (uint16_t)message->u.error.error;
	if (message->kind != REACH_MESSAGE_ROUTE)
		return;
	reply->error = 0;
	reply->type = type_of(route);
	reply->scope = route->scope;
	reply->table = route->table;
	reply->priority = route->priority;
	reply->length = length_of(route);
	reply->output = route->output;
	reply->gateway = route->gateway;
	reply->source = route->preferred_source;
	/* The kernel announces the end of a route when its collector removes
	 * it. Until then look up once per second. Repeating the lookup at once
	 * would be a busy loop. */
	if (route->present & REACH_ROUTE_EXPIRES)
		reply->deadline = deadline_of(
			engine, route->expires > 0 ? route->expires : 1000);
	reply->encapsulated = route->present & REACH_ROUTE_ENCAPSULATION;
	reply->has_legs = route->leg_count || route->nexthop_id ||
			  route->present & REACH_ROUTE_MULTIPATH;
	count_legs(engine, reply, route);
}

static bool is_multicast(const struct reach_destination *destination)
{
	static const uint8_t broadcast[4] = { 255, 255, 255, 255 };

	if (destination->family == AF_INET6)
		return destination->bytes[0] == 0xff;
	return reach_address_is_group(destination->bytes) ||
	       memcmp(destination->bytes, broadcast, sizeof(broadcast)) == 0;
}

/* The members that the key has for an error, too. */
static struct reach_path_key
begin_key(const struct reach_destination *destination)
{
	const struct reach_address address =
		reach_destination_address(destination);

	return (struct reach_path_key){
		.deadline = INT64_MAX,
		.selectors = destination->selectors,
		.family = destination->family,
		.length = REACH_LENGTH_UNKNOWN,
		.destination_scope = (uint8_t)reach_address_scope(&address),
		.bits = is_multicast(destination) ? REACH_PATH_MULTICAST : 0,
	};
}

static void set_path(struct reach_path_key *key,
		     const struct reach_destination *destination,
		     const struct reach_reply *reply)
{
	key->type = reply->type;
	key->output = reply->output;
	key->gateway = reply->gateway;
	key->source = reply->source;
	if (reply->encapsulated)
		key->bits |= REACH_PATH_INDIRECT;
	/* The verdict depends on the link that has the address. */
	if (key->type == RTN_LOCAL)
		memcpy(key->prefix, destination->bytes, sizeof(key->prefix));
}

/* The kernel reports the remaining lifetime in ticks of 10 ms. In the last tick
 * it reports 0, which means that the route never expires. So a destination whose
 * route was expiring keeps its deadline, and is looked up once more after
 * it. */
static void keep_deadline(const struct reach_engine *engine,
			  struct reach_path_key *key,
			  const struct reach_destination *destination)
{
	const struct reach_path_key *last;

	if (!destination->path)
		return;
	last = &reach_path_at(engine, destination->path)->key;
	if (!(last->bits & REACH_PATH_EXPIRING))
		return;
	if (engine->clock.now < last->deadline) {
		key->deadline = last->deadline;
		key->bits |= REACH_PATH_EXPIRING;
	} else {
		key->deadline = deadline_of(engine, 0);
		key->rechecks = 1;
	}
}

static bool is_same_next_hop(const struct reach_path_key *a,
			     const struct reach_path_key *b)
{
	return !a->error && !b->error && a->output == b->output &&
	       reach_address_equal(&a->gateway, &b->gateway);
}

/* How many lookups are left for a destination whose answer was @last and is now
 * @key. */
static uint8_t rechecks_left(const struct reach_engine *engine,
			     const struct reach_path_key *key,
			     const struct reach_path_key *last)
{
	const bool same = is_same_next_hop(key, last);

	if (last->bits & REACH_PATH_EXPIRING) {
		if (same)
			return key->rechecks;
		/* Removed before its end, and announced: it will not return. */
		return deadline_of(engine, 0) >= last->deadline ? RECHECKS_MAX
								: 0;
	}
	/* The expired route was in use until its last tick, and isn't now. */
	if (!last->error && !same)
		return RECHECKS_MAX;
	return (uint8_t)(last->rechecks -
			 (engine->clock.now >= last->deadline));
}

/*
 * An expired route stays in the FIB until the collector runs. Meanwhile a
 * router advertisement revives it without an event, by setting a new end of the
 * lifetime (ndisc_router_discovery, net/ipv6/ndisc.c). So destinations that got
 * another answer are looked up every second, RECHECKS_MAX times.
 */
static void recheck_expired(const struct reach_engine *engine,
			    struct reach_path_key *key,
			    const struct reach_destination *destination)
{
	const struct reach_path_key *last;

	if (!destination->path || key->bits & REACH_PATH_EXPIRING)
		return;
	last = &reach_path_at(engine, destination->path)->key;
	if (!last->rechecks && !(last->bits & REACH_PATH_EXPIRING))
		return;
	key->rechecks = rechecks_left(engine, key, last);
	if (!key->rechecks || key->deadline < INT64_MAX)
		return;
	key->deadline = last->rechecks && engine->clock.now < last->deadline
				? last->deadline
				: deadline_of(engine, 1000);
}

static void set_match(const struct reach_engine *engine,
		      struct reach_path_key *key,
		      const struct reach_destination *destination,
		      const struct reach_reply *match)
{
	key->length = match->length;
	key->table = match->table;
	key->deadline = match->deadline;
	if (match->deadline != INT64_MAX)
		key->bits |= REACH_PATH_EXPIRING;
	else
		keep_deadline(engine, key, destination);
	if (match->has_legs)
		key->bits |= REACH_PATH_LEGS;
	key->legs = match->legs;
	key->usable_legs = match->usable_legs;
}

/* IPv4 sends multicast and broadcast through any interface that is up, without
 * a route (ip_route_output_key_hash_rcu, net/ipv4/route.c). */
static bool needs_no_route(const struct reach_path_key *key)
{
	return key->family == AF_INET && key->bits & REACH_PATH_MULTICAST;
}

/* Whether one route decides: not several legs or a nexthop object, of which an
 * answer shows one leg, and no exception for this destination, such as a
 * redirect. The plain answer of a route whose gateway is not on a link has none
 * (rt_set_nexthop, net/ipv4/route.c). */
static bool is_one_route(const struct reach_path_key *key,
			 const struct reach_reply *plain,
			 const struct reach_reply *match)
{
	return !key->error && key->length != REACH_LENGTH_UNKNOWN &&
	       key->type == RTN_UNICAST && match->type == RTN_UNICAST &&
	       key->output == match->output &&
	       (!plain->gateway.family ||
		reach_address_equal(&plain->gateway, &match->gateway)) &&
	       !(key->bits & ~REACH_PATH_EXPIRING);
}

struct reach_path_key
reach_reply_key(const struct reach_engine *engine,
		const struct reach_destination *destination,
		const struct reach_reply *plain,
		const struct reach_reply *match)
{
	struct reach_path_key key = begin_key(destination);

	key.error = plain->error;
	/* With an interface the plain lookup of IPv4 invents an on-link route
	 * (lookups.c). The match reports that there is none. */
	if (match->error && !needs_no_route(&key) &&
	    reach_selectors_are_bound(
		    reach_selectors_at(engine, destination->selectors)))
		key.error = match->error;
	if (!key.error)
		set_path(&key, destination, plain);
	if (!key.error && !match->error)
		set_match(engine, &key, destination, match);
	recheck_expired(engine, &key, destination);
	if (is_one_route(&key, plain, match)) {
		key.bits |= REACH_PATH_GROUP;
		reach_path_key_set_prefix(&key, destination->bytes, key.length);
	}
	return key;
}

void reach_reply_set_source(struct reach_path_key *key,
			    const struct reach_address *source)
{
	key->source = *source;
	key->source.scope_id = 0;
}

/* An IPv6 socket bound to an interface has found a route over it, and a source.
 * A lookup with interface and source is not limited to the interface (any_src
 * in ip6_route_output_flags_noref(), net/ipv6/route.c): if its answer leaves by
 * another one, only the interface is known. */
static void use_interface(struct reach_path_key *key, uint32_t interface_index)
{
	key->error = 0;
	key->type = RTN_UNICAST;
	key->output = interface_index;
	memset(&key->gateway, 0, sizeof(key->gateway));
	memset(key->prefix, 0, sizeof(key->prefix));
	key->extent = 0;
	key->table = RT_TABLE_UNSPEC;
	key->length = REACH_LENGTH_UNKNOWN;
	/* The other interface's route may expire, and the socket gets a new
	 * answer then. */
	key->bits &= REACH_PATH_MULTICAST | REACH_PATH_EXPIRING;
	key->bits |= REACH_PATH_INDIRECT;
}

void reach_reply_second_key(const struct reach_engine *engine,
			    struct reach_path_key *key,
			    const struct reach_second_lookup *second)
{
	const struct reach_selectors *selectors =
		reach_selectors_at(engine, key->selectors);
	const uint32_t bound = selectors->bound;

	reach_path_key_end_group(key);
	key->bits |= REACH_PATH_BY_SOURCE;
	if (second->strict_link)
		return;
	/* A VRF's packets leave by its ports. */
	if (key->family == AF_INET6 && bound && !selectors->is_vrf &&
	    (key->error || key->output != bound))
		use_interface(key, bound);
	reach_reply_set_source(key, &second->source);
}
