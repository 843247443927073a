/* SPDX-License-Identifier: MIT */
#include "engine/verdict/verdict.h"

#include <sys/socket.h>

#include <linux/if.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>

const struct reach_address *reach_source_of(const struct reach_engine *engine,
					    const struct reach_path *path)
{
	const struct reach_address *local =
		&reach_selectors_at(engine, path->key.selectors)->key.local;

	return local->family ? local : &path->key.source;
}

bool reach_source_is_of_many(const struct reach_path_key *key)
{
	return key->type == RTN_MULTICAST || key->type == RTN_BROADCAST;
}

static enum reach_source_state usable(const struct reach_own_address *own)
{
	return own->flags & IFA_F_DEPRECATED ? REACH_SOURCE_DEPRECATED
					     : REACH_SOURCE_USABLE;
}

/* Why reach_own_addresses_find() does not find an address. */
static enum reach_source_state unusable(const struct reach_engine *engine,
					const struct reach_address *source)
{
	const struct reach_own_address *own =
		reach_own_addresses_find_any(&engine->addresses, source);

	if (own && own->flags & IFA_F_DADFAILED)
		return REACH_SOURCE_DUPLICATE;
	return own && own->flags & IFA_F_TENTATIVE ? REACH_SOURCE_TENTATIVE
						   : REACH_SOURCE_NOT_OWN;
}

/* Whether the host took the address itself, from 169.254.0.0/16, and sends ARP
 * requests for all destinations with it: dhcpcd, when no DHCP server answers,
 * gives it global scope and a default route. No router forwards such packets
 * (RFC 3927, 2.7). With a gateway the address came from DHCP, or from a cloud
 * that translates it; a tunnel has no ARP, so its other end gets the packets. */
static bool is_self_assigned(const struct reach_engine *engine,
			     const struct reach_path *path,
			     const struct reach_own_address *own)
{
	const struct reach_link *link =
		reach_links_find(&engine->links, path->key.output);

	return path->key.family == AF_INET &&
	       reach_path_is_direct(&path->key) &&
	       reach_path_is_default(&path->key) && link &&
	       reach_link_resolves(link) &&
	       reach_address_scope(&own->address) == REACH_SCOPE_LINK;
}

/* Whether IPv6 can ask for the neighbors on the link of @path: with the source
 * of the packet that waits if the link has it, else with a link-local one
 * (ndisc_solicit(), net/ipv6/ndisc.c). A link with disable_ipv6 has neither, and
 * routes with nexthop objects stay on it. */
static bool can_solicit(const struct reach_engine *engine,
			const struct reach_path *path,
			const struct reach_own_address *own)
{
	const struct reach_path_key *key = &path->key;
	const struct reach_link *link =
		reach_links_find(&engine->links, key->output);

	return key->family == AF_INET || own->interface_index == key->output ||
	       !link || !reach_link_resolves(link) ||
	       reach_own_addresses_link_local(&engine->addresses, key->output);
}

/* Whether the packets of a link-local source stay on its link, where neighbors
 * answer them. Routers don't forward them (RFC 4291, 2.5.6), and behind a default
 * route or a tunnel is one. */
static bool stays_on_link(const struct reach_engine *engine,
			  const struct reach_path *path,
			  const struct reach_own_address *own)
{
	const struct reach_path_key *key = &path->key;
	const struct reach_link *link =
		reach_links_find(&engine->links, key->output);

	return key->family == AF_INET6 && own->scope == RT_SCOPE_LINK &&
	       own->interface_index == key->output &&
	       reach_path_is_direct(key) && !reach_path_is_default(key) &&
	       link && reach_link_resolves(link);
}

/* An own address whose scope is wide enough for the destination. The kernel
 * returns ::1 if the host has no IPv6 address at all, a link-local source for a
 * global destination, and none on an unnumbered IPv4 tunnel. */
static enum reach_source_state judge(const struct reach_engine *engine,
				     const struct reach_path *path,
				     const struct reach_own_address *own)
{
	const uint8_t scope = path->key.destination_scope;
	bool wide = true;

	if (scope == REACH_SCOPE_LINK)
		wide = own->scope != RT_SCOPE_HOST;
	else if (scope != REACH_SCOPE_HOST)
		wide = (own->scope <= RT_SCOPE_SITE &&
			!is_self_assigned(engine, path, own)) ||
		       stays_on_link(engine, path, own);
	if (!can_solicit(engine, path, own))
		return REACH_SOURCE_NOT_OWN;
	return wide ? usable(own) : REACH_SOURCE_NARROW;
}

/* Multicast and broadcast. IPv4 sends without a source. IPv6 takes an address
 * of the link, of any scope, and none of another link (ipv6_dev_get_saddr,
 * net/ipv6/addrconf.c). */
static enum reach_source_state judge_many(const struct reach_path_key *key,
					  const struct reach_own_address *own)
{
	return own->interface_index == key->output ? usable(own)
						   : REACH_SOURCE_NOT_OWN;
}

enum reach_source_state reach_source_judge(const struct reach_engine *engine,
					   const struct reach_path *path)
{
	const struct reach_path_key *key = &path->key;
	const struct reach_address *source = reach_source_of(engine, path);
	const bool many = reach_source_is_of_many(key);
	const struct reach_own_address *own;

	if (many && key->family == AF_INET)
		return REACH_SOURCE_NOT_NEEDED;
	if (!source->family)
		return REACH_SOURCE_MISSING;
	own = reach_own_addresses_find(&engine->addresses, source, key->output);
	if (!own)
		return unusable(engine, source);
	return many ? judge_many(key, own) : judge(engine, path, own);
}
