/* SPDX-License-Identifier: MIT */
/* What an answer comes to, joined with links and addresses. */
#include "engine/state/verdict.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/if.h>
#include <linux/rtnetlink.h>

#include "base/address.h"
#include "engine/state/selectors.h"
#include "engine/state/state.h"
#include "host/classify.h"

struct reach_verdict reach_verdict_none(enum reach_reason reason, int error)
{
	return (struct reach_verdict){ .reason = (uint8_t)reason,
				       .error = (uint16_t)error };
}

static enum reach_reason reason_of_error(int error)
{
	switch (error) {
	case ENETUNREACH:
		return REACH_REASON_NO_ROUTE;
	case EHOSTUNREACH:
		return REACH_REASON_UNREACHABLE;
	case EACCES:
		return REACH_REASON_PROHIBITED;
	case EINVAL:
		return REACH_REASON_BLACKHOLE;
	case ENODEV:
		return REACH_REASON_NO_INTERFACE;
	default:
		return REACH_REASON_REFUSED;
	}
}

/* The error a route of @type answers with, or 0 for one that carries. */
static int error_of_type(uint8_t type)
{
	switch (type) {
	case RTN_UNREACHABLE:
		return EHOSTUNREACH;
	case RTN_PROHIBIT:
		return EACCES;
	case RTN_BLACKHOLE:
		return EINVAL;
	case RTN_THROW:
		return ENETUNREACH;
	default:
		return 0;
	}
}

static bool is_transient(const struct reach_link *link,
			 enum reach_interface_class class)
{
	return link->flags & IFF_POINTOPOINT || class == REACH_INTERFACE_PPP ||
	       class == REACH_INTERFACE_VPN;
}

static uint32_t dormant_flags(enum reach_interface_class class)
{
	const uint32_t flags = REACH_FLAG_REACHABLE |
			       REACH_FLAG_CONNECTION_REQUIRED;

	if (class == REACH_INTERFACE_CELLULAR)
		return flags | REACH_FLAG_TRANSIENT_CONNECTION |
		       REACH_FLAG_CONNECTION_ON_TRAFFIC | REACH_FLAG_IS_WWAN;
	if (class == REACH_INTERFACE_PPP)
		return flags | REACH_FLAG_TRANSIENT_CONNECTION |
		       REACH_FLAG_CONNECTION_ON_TRAFFIC;
	return flags;
}

static uint32_t unicast_flags(const struct reach_path *path,
			      const struct reach_link *link,
			      enum reach_interface_class class)
{
	const struct reach_path_key *key = &path->key;
	const bool transient = is_transient(link, class);
	uint32_t flags = REACH_FLAG_REACHABLE;

	if (path->direct && !transient && !(link->flags & IFF_LOOPBACK))
		flags |= REACH_FLAG_IS_DIRECT;
	/* Without a zeroconf route the answer is the default gateway, but a
	 * link-local destination is on the link all the same. */
	if (key->family == AF_INET && key->reach == REACH_SCOPE_LINK &&
	    (class == REACH_INTERFACE_WIFI ||
	     class == REACH_INTERFACE_WIRED_ETHERNET))
		flags |= REACH_FLAG_IS_DIRECT;
	if (class == REACH_INTERFACE_CELLULAR)
		flags |= REACH_FLAG_IS_WWAN | REACH_FLAG_TRANSIENT_CONNECTION;
	if (transient)
		flags |= REACH_FLAG_TRANSIENT_CONNECTION;
	return flags;
}

/* The kernel answers with "src ::1" where there is no IPv6 address at all,
 * with fe80:: for a global destination, and with no source on an unnumbered
 * IPv4 tunnel. */
static bool source_usable(const struct reach_engine *engine,
			  const struct reach_path_key *key,
			  const struct reach_address *source)
{
	const struct reach_own_address *own;

	if (!source->family)
		return false;
	own = reach_own_addresses_find(&engine->addresses, source, key->output);
	if (!own)
		return false;
	switch (key->reach) {
	case REACH_SCOPE_HOST:
		return true;
	case REACH_SCOPE_LINK:
		return own->scope != RT_SCOPE_HOST;
	default:
		return own->scope <= RT_SCOPE_SITE;
	}
}

/* Whether a packet to @key's multicast or broadcast address has a source. IPv4
 * sends without one. IPv6 takes an address of the link, whatever its scope, and
 * none elsewhere (ipv6_dev_get_saddr, net/ipv6/addrconf.c). */
static bool has_source_for_many(const struct reach_engine *engine,
				const struct reach_path_key *key,
				const struct reach_address *source)
{
	const struct reach_own_address *own;

	if (key->family == AF_INET)
		return true;
	if (!source->family)
		return false;
	own = reach_own_addresses_find(&engine->addresses, source, key->output);
	return own && own->interface_index == key->output;
}

static struct reach_verdict local_verdict(const struct reach_engine *engine,
					  const struct reach_path *path)
{
	const struct reach_path_key *key = &path->key;
	const uint32_t scope_id =
		reach_selectors_at(engine, key->selectors)->key.scope_id;
	struct reach_address destination = { .family = key->family,
					     .scope_id = scope_id };
	const struct reach_own_address *own;
	const struct reach_link *link =
		reach_links_find(&engine->links, key->output);
	struct reach_verdict verdict = {
		.interface_index = key->output,
		.source = path->source,
		.reason = REACH_REASON_LINK_DOWN,
	};

	/* Whoever has the address, packets to it pass through lo, or the device
	 * of the VRF, and are lost while that is down. */
	if (!link || !reach_link_usable(link))
		return verdict;
	verdict.reason = REACH_REASON_NONE;
	verdict.flags = REACH_FLAG_REACHABLE | REACH_FLAG_IS_LOCAL_ADDRESS;
	memcpy(destination.bytes, key->destination, sizeof(destination.bytes));
	own = reach_own_addresses_find(&engine->addresses, &destination,
				       scope_id);
	if (own)
		verdict.interface_index = own->interface_index;
	link = reach_links_find(&engine->links, verdict.interface_index);
	if (link)
		verdict.interface_class =
			(uint8_t)reach_classify(&engine->links, link);
	if (key->reach != REACH_SCOPE_HOST)
		verdict.flags |= REACH_FLAG_IS_DIRECT;
	return verdict;
}

static struct reach_verdict link_verdict(const struct reach_engine *engine,
					 const struct reach_path *path)
{
	const struct reach_path_key *key = &path->key;
	const struct reach_link *link =
		reach_links_find(&engine->links, key->output);
	/* Asked with a source, the kernel does not repeat it. */
	const struct reach_address *local =
		&reach_selectors_at(engine, key->selectors)->key.local;
	const struct reach_address *source = local->family ? local
							   : &path->source;
	const bool many = key->type == RTN_MULTICAST ||
			  key->type == RTN_BROADCAST;
	struct reach_verdict verdict = {
		.interface_index = key->output,
		.source = *source,
	};
	enum reach_interface_class class;

	if (!path->direct) {
		verdict.gateway.family = key->gateway_family;
		memcpy(verdict.gateway.bytes, key->gateway,
		       sizeof(key->gateway));
	}
	/* It went since the kernel answered. */
	if (!link)
		return reach_verdict_none(REACH_REASON_LINK_DOWN, 0);
	verdict.reason = REACH_REASON_LINK_DOWN;
	class = reach_classify(&engine->links, link);
	verdict.interface_class = (uint8_t)class;
	if (reach_link_dormant(link)) {
		verdict.flags = dormant_flags(class);
		verdict.reason = REACH_REASON_DORMANT;
		return verdict;
	}
	if (!reach_link_usable(link))
		return verdict;
	verdict.reason = REACH_REASON_NO_SOURCE;
	if (!(many ? has_source_for_many(engine, key, source)
		   : source_usable(engine, key, source)))
		return verdict;
	verdict.reason = REACH_REASON_NONE;
	verdict.flags = many ? REACH_FLAG_REACHABLE | REACH_FLAG_IS_DIRECT
			     : unicast_flags(path, link, class);
	return verdict;
}

struct reach_verdict reach_verdict(const struct reach_engine *engine,
				   const struct reach_path *path)
{
	const int error = path->key.error ? path->key.error
					  : error_of_type(path->key.type);

	if (path->key.bits & REACH_PATH_NO_INTERFACE)
		return reach_verdict_none(REACH_REASON_NO_INTERFACE, 0);
	/* Asked for the route through an interface, IPv4 has this one error for
	 * every way of not having any. */
	if (error == EHOSTUNREACH && path->key.family == AF_INET &&
	    reach_selectors_are_scoped(
		    reach_selectors_at(engine, path->key.selectors)))
		return reach_verdict_none(REACH_REASON_NO_ROUTE, error);
	if (error)
		return reach_verdict_none(reason_of_error(error), error);
	if (path->key.type == RTN_LOCAL)
		return local_verdict(engine, path);
	return link_verdict(engine, path);
}

bool reach_error_is_of_route(uint16_t error)
{
	return error == ENETUNREACH || error == EHOSTUNREACH ||
	       error == EACCES || error == EINVAL;
}
