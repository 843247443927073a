/* SPDX-License-Identifier: MIT */
/* What lookups brought, as keys of paths. */
#include "core.h"

#include <errno.h>
#include <sys/socket.h>

#include <linux/rtnetlink.h>

/* A route is looked up again this long after it should be over: the kernel
 * counts in jiffies, up to 10 ms each. In nanoseconds. */
#define EXPIRY_SLACK INT64_C(20000000)

#define MILLISECOND INT64_C(1000000)

/* Deadlines are a multiple of this, so that those of one route's answers are
 * the same. In nanoseconds. */
#define EXPIRY_GRAIN INT64_C(20000000)

/* When to look again at what is over in @left milliseconds. */
static int64_t deadline_of(const struct reach_engine *engine, int64_t left)
{
	const int64_t deadline =
		engine->now + left * MILLISECOND + EXPIRY_SLACK;

	return (deadline + EXPIRY_GRAIN - 1) / EXPIRY_GRAIN * EXPIRY_GRAIN;
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
	reply->type = route->type;
	reply->scope = route->scope;
	reply->table = route->table;
	reply->length = route->destination_length;
	reply->output = route->output;
	reply->gateway = route->gateway;
	reply->source = route->preferred_source;
	reply->prescribed = route->present & REACH_ROUTE_PREFERRED_SOURCE_AGAIN;
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
		.profile = entry->profile,
		.family = entry->family,
		.length = REACH_LENGTH_UNKNOWN,
	};
}

static void set_path(struct reach_path_key *key,
		     const struct reach_entry *entry,
		     const struct reach_reply *reply)
{
	struct reach_address destination = { .family = entry->family };

	memcpy(destination.bytes, entry->u.bytes, sizeof(destination.bytes));
	key->reach = (uint8_t)reach_address_scope(&destination);
	key->type = reply->type;
	key->output = reply->output;
	key->gateway_family = (uint8_t)reply->gateway.family;
	memcpy(key->gateway, reply->gateway.bytes, sizeof(key->gateway));
	key->source_family = (uint8_t)reply->source.family;
	memcpy(key->source, reply->source.bytes, sizeof(key->source));
	if (key->type == RTN_LOCAL)
		memcpy(key->destination, entry->u.bytes,
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
	if (engine->now < last->deadline) {
		key->deadline = last->deadline;
		key->bits |= REACH_PATH_EXPIRING;
	} else {
		key->deadline = deadline_of(engine, 0);
	}
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

struct reach_path_key reach_reply_key(const struct reach_engine *engine,
				      const struct reach_entry *entry,
				      const struct reach_reply *plain,
				      const struct reach_reply *match)
{
	struct reach_path_key key = begin_key(entry);

	key.error = plain->error;
	/* Asked through an interface, only the match tells the truth. */
	if (match->asked && match->error &&
	    reach_profile_is_scoped(reach_profile_at(engine, entry->profile)))
		key.error = match->error;
	if (key.error)
		return key;
	set_path(&key, entry, plain);
	if (match->asked && !match->error)
		set_match(engine, &key, entry, match);
	return key;
}

bool reach_reply_shared_key(const struct reach_engine *engine,
			    const struct reach_entry *entry,
			    const struct reach_reply *match,
			    struct reach_path_key *ret)
{
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

bool reach_reply_is_of_route(uint16_t error)
{
	return error == ENETUNREACH || error == EHOSTUNREACH ||
	       error == EACCES || error == EINVAL;
}

/* Whether the kernel chooses the source of what matched by destination and
 * output: for a nexthop object it takes that of its first leg. */
static bool is_free(const struct reach_reply *match)
{
	return match->asked && !match->error && match->type == RTN_UNICAST &&
	       !match->legs && !match->source.family;
}

/*
 * Match and lookup are of two moments, and a route that was there for the one
 * alone may be gone before anybody hears of it. So the lookup has to show by
 * itself that it was chosen: nothing prescribed it, and it is an address of the
 * output, which is the best of all addresses for the output if it is that for
 * any interface.
 */
bool reach_reply_is_chosen(const struct reach_engine *engine,
			   const struct reach_reply *plain,
			   const struct reach_reply *match)
{
	const struct reach_own_address *own;

	if (!is_free(match) || plain->error || plain->type != match->type ||
	    plain->output != match->output || plain->prescribed ||
	    !plain->source.family ||
	    /* A router has sent it elsewhere (rt6_do_redirect). */
	    !reach_address_equal(&plain->gateway, &match->gateway))
		return false;
	own = reach_own_addresses_find(&engine->addresses, &plain->source,
				       plain->output);
	return own && own->interface_index == plain->output;
}

bool reach_reply_kept_key(const struct reach_engine *engine,
			  const struct reach_entry *entry,
			  const struct reach_reply *match,
			  struct reach_path_key *ret)
{
	const struct reach_path_key *last =
		&reach_path_at(engine, entry->path)->key;

	*ret = begin_key(entry);
	ret->error = match->error;
	if (match->error)
		return reach_reply_is_of_route(match->error);
	if (!is_free(match) || match->output != last->output)
		return false;
	set_path(ret, entry, match);
	ret->source_family = last->source_family;
	memcpy(ret->source, last->source, sizeof(ret->source));
	set_match(engine, ret, entry, match);
	return true;
}
