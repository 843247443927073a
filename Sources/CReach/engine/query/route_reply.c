/* SPDX-License-Identifier: MIT */
/* What lookups brought, as keys of paths. */
#include "engine/query/route_reply.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/rtnetlink.h>

#include "base/address.h"
#include "base/clock.h"
#include "engine/state/selectors.h"
#include "engine/state/state.h"

/* A route is looked up again this long after it should be over: the kernel
 * counts in jiffies, up to 10 ms each. In nanoseconds. */
#define EXPIRY_SLACK INT64_C(20000000)

/* Deadlines are a multiple of this, so that those of one route's answers are
 * the same. In nanoseconds. */
#define EXPIRY_GRAIN INT64_C(20000000)

/* How often a second the kernel is asked whether an expired route has come
 * back: its collector runs every 30 s (net.ipv6.route.gc_interval), tells of
 * what it removes, and may have been delayed. */
#define LOOKS 60

/* When to look again at what is over in @left milliseconds. Never, where the
 * clock does not reach: RTA_EXPIRES is up to 136 years, and the clock's 64 bits
 * are 292. */
static int64_t deadline_of(const struct reach_engine *engine, int64_t left)
{
	const int64_t deadline = reach_after(
		engine->clock.now,
		left * REACH_MILLISECOND + EXPIRY_SLACK + EXPIRY_GRAIN - 1);

	return deadline < INT64_MAX ? deadline / EXPIRY_GRAIN * EXPIRY_GRAIN
				    : INT64_MAX;
}

/* Before 4.13 RTM_F_FIB_MATCH is ignored, and the plain answer tells the length
 * of the destination. IPv4 says that it is no route (RTM_F_CLONED), IPv6 says
 * it by a source that no host route prescribes, as a rule. */
static uint8_t length_of(const struct reach_route_message *route)
{
	if (route->flags & RTM_F_CLONED ||
	    (route->family == AF_INET6 && route->destination_length == 128 &&
	     route->preferred_source.family))
		return REACH_LENGTH_UNKNOWN;
	return route->destination_length;
}

/* IPv4 routes with the same next hop share the answer that a CPU keeps for it
 * (rt_cache_route, net/ipv4/route.c), whose type is that of the destination
 * asked first: a multicast one may be told as unicast and the reverse. */
static uint8_t type_of(const struct reach_route_message *route)
{
	const bool multicast = (route->destination.bytes[0] & 0xf0) == 0xe0;

	if (route->family != AF_INET || route->destination_length != 32 ||
	    (route->type != RTN_UNICAST && route->type != RTN_MULTICAST))
		return route->type;
	return multicast ? RTN_MULTICAST : RTN_UNICAST;
}

void reach_reply_take(const struct reach_engine *engine,
		      struct reach_reply *reply,
		      const struct reach_message *message)
{
	const struct reach_route_message *route = &message->u.route;

	*reply = (struct reach_reply){ .asked = true,
				       .deadline = INT64_MAX,
				       .error = EPROTO };
	if (message->kind == REACH_MESSAGE_ERROR && message->u.error.error)
		reply->error = (uint16_t)message->u.error.error;
	if (message->kind != REACH_MESSAGE_ROUTE)
		return;
	reply->error = 0;
	reply->type = type_of(route);
	reply->scope = route->scope;
	reply->table = route->table;
	reply->length = length_of(route);
	reply->output = route->output;
	reply->gateway = route->gateway;
	reply->source = route->preferred_source;
	/* What is over already waits for the kernel's collector, which reports
	 * what it removes; a second keeps us from spinning. */
	if (route->present & REACH_ROUTE_EXPIRES)
		reply->deadline = deadline_of(
			engine, route->expires > 0 ? route->expires : 1000);
	reply->legs = route->leg_count || route->nexthop_id ||
		      route->present & REACH_ROUTE_MULTIPATH;
}

static struct reach_path_key begin_key(const struct reach_entry *entry)
{
	return (struct reach_path_key){
		.deadline = INT64_MAX,
		.selectors = entry->selectors,
		.family = entry->family,
		.length = REACH_LENGTH_UNKNOWN,
	};
}

static void set_path(struct reach_path_key *key,
		     const struct reach_entry *entry,
		     const struct reach_reply *reply)
{
	struct reach_address destination = { .family = entry->family };

	memcpy(destination.bytes, entry->bytes, sizeof(destination.bytes));
	key->reach = (uint8_t)reach_address_scope(&destination);
	key->type = reply->type;
	key->output = reply->output;
	key->gateway_family = (uint8_t)reply->gateway.family;
	memcpy(key->gateway, reply->gateway.bytes, sizeof(key->gateway));
	key->source_family = (uint8_t)reply->source.family;
	memcpy(key->source, reply->source.bytes, sizeof(key->source));
	if (key->type == RTN_LOCAL)
		memcpy(key->destination, entry->bytes,
		       sizeof(key->destination));
}

/* The kernel tells what is left in ticks of 10 ms, and in the last of them what
 * it tells of routes that never expire, 0: one that has been expiring keeps its
 * deadline, and is looked at once more after that. */
static void keep_deadline(const struct reach_engine *engine,
			  struct reach_path_key *key,
			  const struct reach_entry *entry)
{
	const struct reach_path_key *last;

	if (!entry->path)
		return;
	last = &reach_path_at(engine, entry->path)->key;
	if (!(last->bits & REACH_PATH_EXPIRING))
		return;
	if (engine->clock.now < last->deadline) {
		key->deadline = last->deadline;
		key->bits |= REACH_PATH_EXPIRING;
	} else {
		key->deadline = deadline_of(engine, 0);
		key->looks = 1;
	}
}

static bool is_same_way(const struct reach_path_key *a,
			const struct reach_path_key *b)
{
	return !a->error && !b->error && a->output == b->output &&
	       memcmp(a->gateway, b->gateway, sizeof(a->gateway)) == 0;
}

/* How often what follows @path's answer is to be looked at. */
static uint8_t looks_left(const struct reach_engine *engine,
			  const struct reach_path_key *key,
			  const struct reach_path *path)
{
	const struct reach_path_key *last = &path->key;
	const bool same = is_same_way(key, last);

	if (last->bits & REACH_PATH_EXPIRING) {
		if (same)
			return key->looks;
		/* Else it went before its time, which is announced. */
		return deadline_of(engine, 0) >= last->deadline ? LOOKS : 0;
	}
	if (!(last->bits & REACH_PATH_EXPIRED) || path->removed)
		return 0;
	/* The last tick is over. */
	if (!last->error && !same)
		return LOOKS;
	return (uint8_t)(last->looks - (engine->clock.now >= last->deadline));
}

/*
 * A route that has expired stays in the FIB until the collector runs. A router
 * advertisement that comes before revives it, and nothing is announced
 * (ndisc_router_discovery, net/ipv6/ndisc.c, only sets its end anew). So what
 * took its place is looked at every second until its removal is announced.
 */
static void keep_looking(const struct reach_engine *engine,
			 struct reach_path_key *key,
			 const struct reach_entry *entry)
{
	const struct reach_path_key *last;

	if (!entry->path || key->bits & REACH_PATH_EXPIRING)
		return;
	last = &reach_path_at(engine, entry->path)->key;
	key->looks =
		looks_left(engine, key, reach_path_at(engine, entry->path));
	if (!key->looks)
		return;
	key->expired_length = last->bits & REACH_PATH_EXPIRING
				      ? last->length
				      : last->expired_length;
	key->bits |= REACH_PATH_EXPIRED;
	if (key->deadline < INT64_MAX)
		return;
	key->deadline = last->bits & REACH_PATH_EXPIRED &&
					engine->clock.now < last->deadline
				? last->deadline
				: deadline_of(engine, 1000);
}

static void set_match(const struct reach_engine *engine,
		      struct reach_path_key *key,
		      const struct reach_entry *entry,
		      const struct reach_reply *match)
{
	key->length = match->length;
	key->table = match->table;
	key->deadline = match->deadline;
	if (match->deadline != INT64_MAX)
		key->bits |= REACH_PATH_EXPIRING;
	else
		keep_deadline(engine, key, entry);
	if (match->legs)
		key->bits |= REACH_PATH_LEGS;
}

/* Whether IPv4 sends to the address through any interface that is up, whatever
 * the routes are (ip_route_output_key_hash_rcu, net/ipv4/route.c). */
static bool is_to_many(const struct reach_entry *entry)
{
	static const uint8_t broadcast[4] = { 255, 255, 255, 255 };

	return entry->family == AF_INET &&
	       ((entry->bytes[0] & 0xf0) == 0xe0 ||
		memcmp(entry->bytes, broadcast, sizeof(broadcast)) == 0);
}

struct reach_path_key reach_reply_key(const struct reach_engine *engine,
				      const struct reach_entry *entry,
				      const struct reach_reply *plain,
				      const struct reach_reply *match)
{
	struct reach_path_key key = begin_key(entry);

	key.error = plain->error;
	/* Asked through an interface, only the match tells the truth of what
	 * needs a route. */
	if (match->asked && match->error && !is_to_many(entry) &&
	    reach_selectors_are_scoped(
		    reach_selectors_at(engine, entry->selectors)))
		key.error = match->error;
	if (!key.error)
		set_path(&key, entry, plain);
	if (!key.error && match->asked && !match->error)
		set_match(engine, &key, entry, match);
	keep_looking(engine, &key, entry);
	return key;
}

bool reach_reply_shared_key(const struct reach_engine *engine,
			    const struct reach_entry *entry,
			    const struct reach_reply *match,
			    struct reach_path_key *ret)
{
	/* The match tells the type of the route, not of the destination. */
	if (is_to_many(entry))
		return false;
	*ret = begin_key(entry);
	ret->error = match->error;
	if (match->error)
		return true;
	if (match->type == RTN_LOCAL || match->legs)
		return false;
	set_path(ret, entry, match);
	set_match(engine, ret, entry, match);
	ret->scope = match->scope;
	ret->bits |= REACH_PATH_SHARED;
	return true;
}

bool reach_reply_fits(const struct reach_path_key *key,
		      const struct reach_reply *plain)
{
	return plain->asked && !plain->error && plain->output == key->output &&
	       plain->type == key->type;
}
