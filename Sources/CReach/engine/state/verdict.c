/* SPDX-License-Identifier: MIT */
/*
 * The rules of the verdict.
 *
 * A route alone does not mean that a packet could leave. The kernel keeps the
 * routes of a link without carrier, and lookups that end there succeed; and the
 * source it chooses may be none that the packet could have. So the answer is
 * joined with the state of the link (UP, RUNNING, LOWER_UP) and with the own
 * addresses.
 */
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

/* Error of an answer that is a route of @type, 0 for a type that forwards. As
 * fib_props (net/ipv4/fib_semantics.c) has them; RTN_THROW: the lookup goes on
 * in the next table, and this answer says that there was none. */
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

/* Whether the link is a transient connection, such as PPP (Apple's
 * kSCNetworkReachabilityFlagsTransientConnection). */
static bool is_transient(const struct reach_link *link,
			 enum reach_interface_class class)
{
	return link->flags & IFF_POINTOPOINT || class == REACH_INTERFACE_PPP ||
	       class == REACH_INTERFACE_VPN;
}

/* Link that is up and waits for an event (RFC 2863, dormant): 802.1X, WPA, or
 * dialling on demand. */
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
	/* 169.254.0.0/16 is on the link (RFC 3927) even if no route says so,
	 * and the answer is the default gateway. */
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

/* Whether the kernel's source is an own address whose scope is wide enough for
 * the destination. The kernel returns ::1 if the host has no IPv6 address at
 * all, a link-local source for a global destination, and none on an unnumbered
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

/* Whether packets to a multicast or broadcast address have a source. IPv4 sends
 * without one. IPv6 takes an address of the link, of any scope, and none of
 * another link (ipv6_dev_get_saddr, net/ipv6/addrconf.c). */
static bool multicast_source_usable(const struct reach_engine *engine,
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

/* RTN_LOCAL: the destination is an own address. The interface reported is the
 * one that has it, although the kernel's oif is lo or the VRF device. */
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

	/* Packets to an own address pass through the oif and are lost while it
	 * is down. */
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

/* Any other type of route: the packet leaves by an interface. */
static struct reach_verdict link_verdict(const struct reach_engine *engine,
					 const struct reach_path *path)
{
	const struct reach_path_key *key = &path->key;
	const struct reach_link *link =
		reach_links_find(&engine->links, key->output);
	/* A source in the request is not repeated in the answer. */
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
	/* The link was deleted after the answer. */
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
	if (!(many ? multicast_source_usable(engine, key, source)
		   : source_usable(engine, key, source)))
		return verdict;
	verdict.reason = REACH_REASON_NONE;
	verdict.flags = many ? REACH_FLAG_REACHABLE | REACH_FLAG_IS_DIRECT
			     : unicast_flags(path, link, class);
	return verdict;
}

static struct reach_verdict path_verdict(const struct reach_engine *engine,
					 const struct reach_path *path)
{
	const int error = path->key.error ? path->key.error
					  : error_of_type(path->key.type);

	if (path->key.bits & REACH_PATH_NO_INTERFACE)
		return reach_verdict_none(REACH_REASON_NO_INTERFACE, 0);
	/* With an oif in the request IPv4 returns EHOSTUNREACH whenever there
	 * is no route by that interface, whatever the cause. */
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

/* Rank of a modem, higher is better; 0 for one that cannot help. */
static int modem_rank(uint32_t conditions)
{
	if (conditions & REACH_MODEM_CONNECTED)
		return 0;
	if (conditions & REACH_MODEM_REGISTERED)
		return conditions & REACH_MODEM_ON_TRAFFIC ? 3 : 2;
	return conditions & REACH_MODEM_LOCKED ? 1 : 0;
}

/* The first modem of the highest rank for targets with these selectors, or
 * NULL. */
static const struct reach_modem *best_modem(const struct reach_engine *engine,
					    uint32_t selectors_number)
{
	const struct reach_selectors *selectors =
		reach_selectors_at(engine, selectors_number);
	const struct reach_modem *best = NULL;
	int rank = 0;
	size_t i;

	for (i = 0; i < engine->modems.count; i++) {
		const struct reach_modem *modem = &engine->modems.items[i];

		if (modem_rank(modem->conditions) <= rank ||
		    (reach_selectors_are_scoped(selectors) &&
		     modem->interface_index != selectors->scope))
			continue;
		best = modem;
		rank = modem_rank(modem->conditions);
	}
	return best;
}

struct reach_verdict reach_verdict_by_modem(const struct reach_engine *engine,
					    uint32_t selectors,
					    struct reach_verdict verdict)
{
	const struct reach_modem *modem = best_modem(engine, selectors);
	const struct reach_link *link;
	uint32_t flags = REACH_FLAG_REACHABLE |
			 REACH_FLAG_TRANSIENT_CONNECTION |
			 REACH_FLAG_CONNECTION_REQUIRED | REACH_FLAG_IS_WWAN;

	if (!modem)
		return verdict;
	if (!(modem->conditions & REACH_MODEM_REGISTERED)) {
		verdict = reach_verdict_none(REACH_REASON_LOCKED_SIM,
					     (int)verdict.error);
		flags |= REACH_FLAG_INTERVENTION_REQUIRED;
	} else {
		verdict = reach_verdict_none(REACH_REASON_NOT_CONNECTED,
					     (int)verdict.error);
		if (modem->conditions & REACH_MODEM_ON_TRAFFIC)
			flags |= REACH_FLAG_CONNECTION_ON_TRAFFIC;
	}
	verdict.flags = flags;
	link = reach_links_find(&engine->links, modem->interface_index);
	if (link) {
		verdict.interface_index = link->index;
		verdict.interface_class =
			(uint16_t)reach_classify(&engine->links, link);
	}
	return verdict;
}

/* Whether a new connection could be a way to the destination: there is none,
 * and no administrator wants that. */
static bool lacks_way(const struct reach_path_key *key, uint32_t reason)
{
	return (reason == REACH_REASON_NO_ROUTE ||
		reason == REACH_REASON_LINK_DOWN ||
		reason == REACH_REASON_NO_SOURCE) &&
	       key->type != RTN_LOCAL && key->reach == REACH_SCOPE_GLOBAL &&
	       !(key->bits & REACH_PATH_MANY);
}

struct reach_verdict reach_verdict(const struct reach_engine *engine,
				   const struct reach_path *path)
{
	const struct reach_verdict verdict = path_verdict(engine, path);

	if (!engine->modems.count || verdict.flags ||
	    !lacks_way(&path->key, verdict.reason))
		return verdict;
	return reach_verdict_by_modem(engine, path->key.selectors, verdict);
}

bool reach_error_is_of_route(uint16_t error)
{
	return error == ENETUNREACH || error == EHOSTUNREACH ||
	       error == EACCES || error == EINVAL;
}
