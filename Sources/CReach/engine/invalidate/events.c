/* SPDX-License-Identifier: MIT */
/*
 * Which answers an event can change; routes are in route_events.c.
 *
 * The kernel doesn't announce most removals of IPv4 routes (link down, last
 * address gone, nexthop object deleted: fib_table_flush(),
 * net/ipv4/fib_trie.c), or the state of multipath legs. So an event of a link,
 * address, nexthop or policy rule marks every answer whose route may have gone with it.
 * An extra mark costs a lookup; a missing one is a wrong verdict.
 *
 * The source of any IPv6 answer may change (ipv6_dev_get_saddr,
 * net/ipv6/addrconf.c) with an event of an address or its flags, and of a
 * device that comes, goes, or changes its master. Answers with a wider source
 * don't change with a link-local address.
 *
 * The kernel doesn't announce settings (use_tempaddr, use_oif_addrs_only,
 * use_optimistic) and address labels (net/ipv6/addrlabel.c) to the multicast
 * groups of the monitor. They take effect on a target with its next lookup.
 */
#include "engine/invalidate/invalidate.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/if.h>
#include <linux/rtnetlink.h>

#include "engine/state/state.h"
#include "engine/verdict/verdict.h"

/* A change of a link, or of an address on it. */
struct event {
	uint32_t index;
	/* The address that changed; NULL if the link did. */
	const struct reach_address *address;
	/* IPv6 addresses of link scope come or go, and no wider ones. */
	bool narrow;
	/* The link came into a VRF, or out of one, with its addresses. */
	bool moved;
	/* The link can't carry packets any more. */
	bool lost;
};

/* Whether an IPv6 path may have a link-local source, of any link: it may if
 * there is no wider address (ipv6_dev_get_saddr, net/ipv6/addrconf.c). If
 * sources matter, a socket may choose one after an error, too. */
static bool may_be_narrow(const struct reach_engine *engine,
			  const struct reach_path *path)
{
	const struct reach_path_key *key = &path->key;

	if (key->error)
		return !reach_policy_ignore_source(engine, AF_INET6);
	return !path->key.source.family ||
	       reach_address_scope(&path->key.source) <= REACH_SCOPE_LINK;
}

/* Whether @event can change the IPv4 answer @key, which is by another link. */
static bool may_change(const struct reach_engine *engine,
		       const struct reach_path_key *key,
		       const struct event *event)
{
	/* A route by a nexthop object hides larger metrics from sockets that
	 * are bound to another link (fib_table_lookup(), net/ipv4/fib_trie.c),
	 * and goes with the carrier, unannounced (nexthop_flush_dev(),
	 * net/ipv4/nexthop.c). */
	if (key->error)
		return event->lost && key->error == EHOSTUNREACH &&
		       reach_selectors_are_bound(
			       reach_selectors_at(engine, key->selectors));
	/* Any route may get the source of an unnumbered link, and of a VRF. */
	return event->moved ||
	       (event->address && event->address->family == AF_INET);
}

static bool is_affected(const struct reach_engine *engine,
			const struct reach_path *path,
			const struct event *event)
{
	const struct reach_path_key *key = &path->key;

	if (key->bits & REACH_PATH_NO_INTERFACE)
		return false;
	/* An answer shows only the chosen leg, so any link may be one of the
	 * others. A second answer (state/state.h) shows neither the
	 * link nor the source of the first. A local address may be on any
	 * link. */
	if (key->output == event->index || key->type == RTN_LOCAL ||
	    key->bits & (REACH_PATH_LEGS | REACH_PATH_BY_SOURCE))
		return true;
	/* The link may be the one that the kernel leaves, or changes over
	 * to. */
	if (key->predicted || reach_path_may_change_over(engine, key))
		return true;
	if (key->family == AF_INET6)
		return event->narrow && may_be_narrow(engine, path);
	return may_change(engine, key, event);
}

/* Whether @selectors name the link or the address of @event. */
static bool is_named(const struct reach_selectors *selectors,
		     const struct event *event)
{
	return (event->index && (selectors->bound == event->index ||
				 selectors->key.scope_id == event->index)) ||
	       (event->address && selectors->key.local.family &&
		reach_address_equal(&selectors->key.local, event->address));
}

/* Marks the paths that @event can change. Those of selectors that name its link or
 * address are marked before the next batch. */
static void mark_paths(struct reach_engine *engine, const struct event *event)
{
	uint32_t i;

	if (engine->dirty.families[0] && engine->dirty.families[1])
		return;
	reach_mark_outstanding(engine);
	for (i = 0; (i = reach_pool_next(&engine->paths, i));)
		if (is_affected(engine, reach_path_at(engine, i), event))
			reach_mark_path(engine, i);
	for (i = 0; (i = reach_pool_next(&engine->selectors, i));)
		reach_selectors_at(engine, i)->moved |=
			is_named(reach_selectors_at(engine, i), event);
}

/* What a link event is compared by; all 0 for a link that doesn't exist. */
struct link_state {
	bool up;
	bool usable;
	/* Index of the master (bridge, bond, VRF), or 0. */
	uint32_t master;
};

static struct link_state state_of(const struct reach_engine *engine,
				  uint32_t index)
{
	const struct reach_link *link = reach_links_find(&engine->links, index);

	if (!link)
		return (struct link_state){ 0 };
	return (struct link_state){ link->flags & IFF_UP,
				    reach_link_usable(link), link->master };
}

/* Whether link @index has only link-local IPv6 addresses, so that no others
 * become, or cease to be, sources with it. Policy rules beyond the stock ones may name
 * the link (l3mdev). */
static bool is_narrow(const struct reach_engine *engine, uint32_t index)
{
	const struct reach_own_addresses *own = &engine->addresses;
	size_t i;

	if (!reach_policy_are_stock(engine, AF_INET6))
		return false;
	for (i = 0; i < own->count; i++)
		if (own->items[i].interface_index == index &&
		    own->items[i].address.family == AF_INET6 &&
		    reach_address_scope(&own->items[i].address) !=
			    REACH_SCOPE_LINK)
			return false;
	return true;
}

/* A policy rule may suppress routes by the group of their link: the group of a link has
 * changed, or IPv4 routes may have gone that hid others from the rule. The kernel
 * may ignore routes without carrier: the link or its first address may have
 * revived a leg of a route whose other legs have none (fib_sync_up(),
 * net/ipv4/fib_semantics.c). */
static void mark_hidden(struct reach_engine *engine, uint8_t family)
{
	if (!reach_policy_ignore_groups(engine, family) ||
	    !reach_policy_ignore_carrier(engine, family))
		reach_mark_family(engine, family);
}

/* Link @index changed. */
static void mark_link(struct reach_engine *engine, uint32_t index,
		      const struct link_state *before,
		      const struct link_state *now)
{
	struct event event = { .index = index,
			       .lost = before->usable && !now->usable };

	/* IPv6 removes an interface's addresses when it goes down; those that
	 * are kept (keep_addr_on_down) become tentative without an event
	 * (addrconf_ifdown, net/ipv6/addrconf.c). Source selection is limited
	 * to the interfaces of a VRF, so the master counts too. */
	event.moved = before->master != now->master;
	if (before->up != now->up || event.moved) {
		event.narrow = is_narrow(engine, index);
		if (!event.narrow)
			reach_mark_family(engine, AF_INET6);
	}
	mark_hidden(engine, AF_INET6);
	mark_hidden(engine, AF_INET);
	mark_paths(engine, &event);
}

/* Whether names may resolve differently because of @address on link @index, or
 * of the link itself (NULL) if it has an address. A link-local one doesn't
 * count on the port of a bridge, or on a veth: each container has one of these,
 * and with 50 names, containers that came and went cost 40 DNS queries per
 * second. */
static bool concerns_names(const struct reach_engine *engine, uint32_t index,
			   const struct reach_address *address)
{
	const struct reach_link *link = reach_links_find(&engine->links, index);
	const struct reach_own_address *own;

	if (!address) {
		own = reach_own_addresses_of(&engine->addresses, index);
		address = own ? &own->address : NULL;
	}
	if (!address || reach_address_scope(address) > REACH_SCOPE_LINK)
		return address;
	return link && !link->master &&
	       reach_classify_basis(link) != REACH_BASIS_PEER;
}

static int link_event(struct reach_engine *engine,
		      const struct reach_message *message)
{
	const struct reach_link_message *link = &message->u.link;
	struct link_state before, now;
	const struct reach_link *known;
	int delta;

	/* AF_BRIDGE reports a port's bridge attributes; its RTM_DELLINK means
	 * "left the bridge", not "gone". */
	if (link->family != AF_UNSPEC)
		return 0;
	reach_confirmation_announce(engine);
	before = state_of(engine, link->index);
	delta = reach_links_apply(&engine->links, link,
				  message->type == RTM_DELLINK);
	if (delta < 0)
		return delta;
	now = state_of(engine, link->index);
	if (before.up && !now.up)
		reach_own_addresses_down(&engine->addresses, link->index);
	if (delta & REACH_LINK_DELTA_IDENTITY)
		reach_want_evidence(engine, link->index);
	if (before.usable != now.usable &&
	    concerns_names(engine, link->index, NULL))
		engine->network_changes++;
	if (delta) {
		/* If a gateway on it was left meanwhile, the kernel returns to
		 * that gateway once it has probed it. */
		known = reach_links_find(&engine->links, link->index);
		engine->uncertain |= known && reach_link_is_awaited(known);
		reach_recompute_later(engine);
		mark_link(engine, link->index, &before, &now);
	}
	return 0;
}

/* Marks targets that are an IPv4 address of this host, or the broadcast address
 * of a subnet: their routes come and go with the address. */
static void mark_at_address(struct reach_engine *engine,
			    const struct reach_address *address)
{
	struct reach_cursor cursor;
	uint32_t number;

	if (address->family != AF_INET ||
	    !reach_index_seek(&engine->destinations, &engine->indices[0],
			      address, 32, &cursor))
		return;
	while ((number = reach_index_next(&engine->destinations,
					  &engine->indices[0], &cursor)))
		reach_mark(engine, number);
}

static int address_event(struct reach_engine *engine,
			 const struct reach_message *message)
{
	const struct reach_address_message *address = &message->u.address;
	struct event event = { .index = address->interface_index,
			       .address = &address->address };
	int changed;

	reach_confirmation_announce(engine);
	changed = reach_own_addresses_apply(&engine->addresses, address,
					    message->type == RTM_DELADDR);
	if (changed < 0)
		return changed;
	if (!changed)
		return 0;
	if (concerns_names(engine, event.index, event.address))
		engine->network_changes++;
	reach_recompute_later(engine);
	event.narrow = reach_address_scope(&address->address) ==
			       REACH_SCOPE_LINK &&
		       reach_policy_are_stock(engine, AF_INET6);
	/* The source of any IPv6 answer may change (RFC 6724). */
	if (address->family == AF_INET6 && !event.narrow) {
		reach_mark_family(engine, AF_INET6);
		return 0;
	}
	if (address->family == AF_INET)
		mark_hidden(engine, AF_INET);
	mark_at_address(engine, &address->address);
	mark_at_address(engine, &address->broadcast);
	mark_paths(engine, &event);
	return 0;
}

/* A setting that is switched off and never was on changes no answer. */
static void netconf_event(struct reach_engine *engine,
			  const struct reach_netconf_message *netconf)
{
	/* -1: the message is about other settings, as all of MPLS are. */
	if (netconf->ignore_routes_with_linkdown < 0)
		return;
	reach_confirmation_announce(engine);
	if (netconf->ignore_routes_with_linkdown == 0 &&
	    reach_policy_ignore_carrier(engine, netconf->family))
		return;
	engine->policy[netconf->family == AF_INET6].carrier = true;
	reach_mark_family(engine, netconf->family);
}

int reach_event(struct reach_engine *engine,
		const struct reach_message *message)
{
	engine->stats.events++;
	reach_confirmation_disregard(engine);
	/* The dumps of the policy wait until events pause. */
	engine->clock.policy = engine->clock.policy_latest;
	switch (message->kind) {
	case REACH_MESSAGE_LINK:
		return link_event(engine, message);
	case REACH_MESSAGE_ADDRESS:
		return address_event(engine, message);
	case REACH_MESSAGE_ROUTE:
		reach_route_event(engine, message);
		return 0;
	case REACH_MESSAGE_RULE:
		reach_confirmation_announce(engine);
		engine->network_changes++;
		reach_policy_changed(engine, message->u.rule.family);
		reach_mark_family(engine, message->u.rule.family);
		return 0;
	case REACH_MESSAGE_NEXTHOP:
		/* Routes of both families may use it, and disappear without an
		 * event. */
		reach_confirmation_announce(engine);
		reach_mark_family(engine, AF_INET);
		reach_mark_family(engine, AF_INET6);
		return 0;
	case REACH_MESSAGE_NETCONF:
		netconf_event(engine, &message->u.netconf);
		return 0;
	default:
		if ((message->type & ~1U) == RTM_NEWNEIGH)
			reach_recheck(engine);
		return 0;
	}
}
