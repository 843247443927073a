/* SPDX-License-Identifier: MIT */
/*
 * Which event can change which verdict.
 *
 * The kernel reports neither most IPv4 route removals (link down, last
 * address gone, nexthop deleted: net/ipv4/fib_trie.c, fib_table_flush) nor
 * the state of multipath legs, so links, addresses, nexthops and rules mark
 * as widely as what they silently take away. Marking too much costs a
 * question; marking too little would be a wrong verdict.
 */
#include "core.h"

#include <errno.h>
#include <sys/socket.h>

#include <linux/rtnetlink.h>

/* Longest prefix that passes for a default route: VPNs split it into /1, and
 * 2000::/3 is all of the global unicast space. */
#define DEFAULT_LENGTH_MAX 3

void reach_mark(struct reach_engine *engine, struct reach_entry *entry)
{
	reach_list_put(&engine->dirty, &entry->dirty);
}

void reach_mark_all(struct reach_engine *engine)
{
	engine->all_dirty = true;
}

void reach_mark_family(struct reach_engine *engine, uint8_t family)
{
	if (family == AF_INET)
		engine->inet_dirty = true;
	else if (family == AF_INET6)
		engine->inet6_dirty = true;
}

static bool is_of_marked_family(const struct reach_engine *engine,
				const struct reach_entry *entry)
{
	uint32_t i;

	/* It is decided by addresses of either family. */
	if (entry->target.kind == REACH_TARGET_LOCAL_WIFI)
		return true;
	for (i = 0; i < entry->lookup_count; i++)
		if (entry->lookups[i].destination.family == AF_INET
			    ? engine->inet_dirty
			    : engine->inet6_dirty)
			return true;
	return false;
}

void reach_mark_flush(struct reach_engine *engine)
{
	size_t i;

	if (!engine->all_dirty && !engine->inet_dirty && !engine->inet6_dirty)
		return;
	for (i = 0; i < engine->slot_count; i++) {
		struct reach_entry *entry = engine->slots[i].entry;

		if (entry &&
		    (engine->all_dirty || is_of_marked_family(engine, entry)))
			reach_mark(engine, entry);
	}
	engine->all_dirty = false;
	engine->inet_dirty = false;
	engine->inet6_dirty = false;
}

static bool is_inside(const struct reach_entry *entry,
		      const struct reach_address *prefix, uint8_t length)
{
	uint32_t i;

	for (i = 0; i < entry->lookup_count; i++)
		if (reach_address_in_prefix(&entry->lookups[i].destination,
					    prefix, length))
			return true;
	return false;
}

/* A route decides for destinations inside its prefix and for no others,
 * whichever table it is in. */
static void mark_prefix(struct reach_engine *engine,
			const struct reach_route_message *route)
{
	const struct reach_address prefix = {
		.family = route->family,
		.bytes = { 0 },
	};
	const struct reach_address *destination =
		route->present & REACH_ROUTE_DESTINATION ? &route->destination
							 : &prefix;
	size_t i;

	if (engine->all_dirty ||
	    (route->family == AF_INET ? engine->inet_dirty
				      : engine->inet6_dirty))
		return;
	for (i = 0; i < engine->slot_count; i++) {
		struct reach_entry *entry = engine->slots[i].entry;

		if (entry && !reach_list_has(&entry->dirty) &&
		    is_inside(entry, destination, route->destination_length))
			reach_mark(engine, entry);
	}
}

static void mark_due(struct reach_engine *engine, struct reach_entry *entry)
{
	uint32_t i;

	for (i = 0; i < entry->lookup_count; i++) {
		struct reach_lookup *lookup = &entry->lookups[i];

		if (lookup->deadline <= engine->now) {
			lookup->deadline = INT64_MAX;
			reach_mark(engine, entry);
		}
		if (lookup->deadline < engine->deadline)
			engine->deadline = lookup->deadline;
	}
}

void reach_mark_expired(struct reach_engine *engine)
{
	size_t i;

	if (engine->now < engine->deadline)
		return;
	engine->deadline = INT64_MAX;
	for (i = 0; i < engine->slot_count; i++)
		if (engine->slots[i].entry)
			mark_due(engine, engine->slots[i].entry);
}

static int link_event(struct reach_engine *engine,
		      const struct reach_message *message)
{
	int delta;

	/* AF_BRIDGE reports a port's bridge attributes; its RTM_DELLINK means
	 * "left the bridge", not "gone". */
	if (message->u.link.family != AF_UNSPEC)
		return 0;
	engine->barrier = true;
	delta = reach_links_apply(&engine->links, &message->u.link,
				  message->type == RTM_DELLINK);
	if (delta < 0)
		return delta;
	if (delta & REACH_LINK_DELTA_IDENTITY)
		engine->want_evidence = true;
	if (delta) {
		engine->network_changes++;
		reach_mark_all(engine);
	}
	return 0;
}

static int address_event(struct reach_engine *engine,
			 const struct reach_message *message)
{
	int changed;

	engine->barrier = true;
	changed = reach_own_addresses_apply(&engine->addresses,
					    &message->u.address,
					    message->type == RTM_DELADDR);
	if (changed < 0)
		return changed;
	if (changed) {
		engine->network_changes++;
		reach_mark_family(engine, message->u.address.family);
	}
	return 0;
}

static void route_event(struct reach_engine *engine,
			const struct reach_message *message)
{
	if (message->u.route.flags & RTM_F_CLONED)
		return;
	/* fib_table_delete() announces before it removes. */
	if (message->type == RTM_DELROUTE)
		engine->barrier = true;
	if (message->u.route.destination_length <= DEFAULT_LENGTH_MAX)
		engine->network_changes++;
	mark_prefix(engine, &message->u.route);
}

static void netconf_event(struct reach_engine *engine,
			  const struct reach_netconf_message *netconf)
{
	if (netconf->ignore_routes_with_linkdown < 0)
		return;
	engine->barrier = true;
	reach_mark_family(engine, netconf->family);
}

int reach_event(struct reach_engine *engine,
		const struct reach_message *message)
{
	engine->stats.events++;
	switch (message->kind) {
	case REACH_MESSAGE_LINK:
		return link_event(engine, message);
	case REACH_MESSAGE_ADDRESS:
		return address_event(engine, message);
	case REACH_MESSAGE_ROUTE:
		route_event(engine, message);
		return 0;
	case REACH_MESSAGE_RULE:
		engine->barrier = true;
		engine->network_changes++;
		reach_mark_family(engine, message->u.rule.family);
		return 0;
	case REACH_MESSAGE_NEXTHOP:
		/* Routes of either family may hang on it, and go silently. */
		engine->barrier = true;
		reach_mark_all(engine);
		return 0;
	case REACH_MESSAGE_NETCONF:
		netconf_event(engine, &message->u.netconf);
		return 0;
	default:
		return 0;
	}
}
