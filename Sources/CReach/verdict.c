/* SPDX-License-Identifier: MIT */
/* What the kernel's answers come to, joined with links and addresses. */
#include "core.h"

#include <errno.h>
#include <sys/socket.h>

#include <linux/if.h>
#include <linux/rtnetlink.h>

static struct reach_verdict unreachable(enum reach_reason reason, int error)
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

static uint32_t unicast_flags(const struct reach_lookup *lookup,
			      const struct reach_link *link,
			      enum reach_interface_class class)
{
	const bool transient = is_transient(link, class);
	uint32_t flags = REACH_FLAG_REACHABLE;

	if (!lookup->gateway.family && !transient &&
	    !(link->flags & IFF_LOOPBACK))
		flags |= REACH_FLAG_IS_DIRECT;
	/* Without a zeroconf route the answer is the default gateway, but a
	 * link-local destination is on the link all the same. */
	if (lookup->destination.family == AF_INET &&
	    reach_address_scope(&lookup->destination) == REACH_SCOPE_LINK &&
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
			  const struct reach_lookup *lookup,
			  const struct reach_address *source)
{
	const struct reach_own_address *own;

	if (!source->family)
		return false;
	own = reach_own_addresses_find(&engine->addresses, source,
				       lookup->output);
	if (!own)
		return false;
	switch (reach_address_scope(&lookup->destination)) {
	case REACH_SCOPE_HOST:
		return true;
	case REACH_SCOPE_LINK:
		return own->scope != RT_SCOPE_HOST;
	default:
		return own->scope <= RT_SCOPE_SITE;
	}
}

static struct reach_verdict local_verdict(const struct reach_engine *engine,
					  const struct reach_lookup *lookup)
{
	const struct reach_own_address *own = reach_own_addresses_find(
		&engine->addresses, &lookup->destination,
		lookup->destination.scope_id);
	struct reach_verdict verdict = {
		.flags = REACH_FLAG_REACHABLE | REACH_FLAG_IS_LOCAL_ADDRESS,
		.interface_index = own ? own->interface_index : lookup->output,
		.source = lookup->source,
	};

	if (reach_address_scope(&lookup->destination) != REACH_SCOPE_HOST)
		verdict.flags |= REACH_FLAG_IS_DIRECT;
	return verdict;
}

static struct reach_verdict link_verdict(const struct reach_engine *engine,
					 const struct reach_target *target,
					 const struct reach_lookup *lookup)
{
	const struct reach_link *link =
		reach_links_find(&engine->links, lookup->output);
	/* Asked with a source, the kernel does not repeat it. */
	const struct reach_address *source =
		target->kind == REACH_TARGET_ADDRESS_PAIR ? &target->local
							  : &lookup->source;
	const bool many = lookup->type == RTN_MULTICAST ||
			  lookup->type == RTN_BROADCAST;
	struct reach_verdict verdict = {
		.interface_index = lookup->output,
		.source = *source,
		.gateway = lookup->gateway,
	};
	enum reach_interface_class class;

	verdict.reason = REACH_REASON_LINK_DOWN;
	if (!link)
		return verdict;
	class = reach_classify(&engine->links, link);
	if (reach_link_dormant(link)) {
		verdict.flags = dormant_flags(class);
		verdict.reason = REACH_REASON_DORMANT;
		return verdict;
	}
	if (!reach_link_usable(link))
		return verdict;
	verdict.reason = REACH_REASON_NO_SOURCE;
	if (!many && !source_usable(engine, lookup, source))
		return verdict;
	verdict.reason = REACH_REASON_NONE;
	verdict.flags = many ? REACH_FLAG_REACHABLE | REACH_FLAG_IS_DIRECT
			     : unicast_flags(lookup, link, class);
	return verdict;
}

static struct reach_verdict lookup_verdict(const struct reach_engine *engine,
					   const struct reach_target *target,
					   const struct reach_lookup *lookup)
{
	int error = lookup->error;

	/* Asked through an interface, only the match tells the truth. */
	if (lookup->match_error &&
	    (target->interface_index || target->interface_name[0]))
		error = lookup->match_error;
	if (!error)
		error = error_of_type(lookup->type);
	if (error)
		return unreachable(reason_of_error(error), error);
	if (lookup->type == RTN_LOCAL)
		return local_verdict(engine, lookup);
	return link_verdict(engine, target, lookup);
}

/* As Apple ranks addresses: reachable, with a connection to be made, not. */
static int rank(const struct reach_verdict *verdict)
{
	if (!(verdict->flags & REACH_FLAG_REACHABLE))
		return 0;
	return verdict->flags & REACH_FLAG_CONNECTION_REQUIRED ? 1 : 2;
}

/* The first with the highest rank. */
static struct reach_verdict best_verdict(const struct reach_engine *engine,
					 const struct reach_entry *entry)
{
	struct reach_verdict best = unreachable(REACH_REASON_NO_ADDRESS, 0);
	uint32_t i;

	for (i = 0; i < entry->lookup_count; i++) {
		const struct reach_verdict verdict = lookup_verdict(
			engine, &entry->target, &entry->lookups[i]);

		if (i == 0 || rank(&verdict) > rank(&best))
			best = verdict;
	}
	return best;
}

/* Reachable in a family if most of its probes are: the split default routes
 * of VPNs cover all of them, half a default route does not. */
static struct reach_verdict family_verdict(const struct reach_engine *engine,
					   const struct reach_entry *entry,
					   uint16_t family)
{
	struct reach_verdict best = unreachable(REACH_REASON_NO_ROUTE, 0);
	struct reach_verdict worst = best;
	uint32_t asked = 0, reached = 0, i;

	for (i = 0; i < entry->lookup_count; i++) {
		struct reach_verdict verdict;

		if (entry->lookups[i].destination.family != family)
			continue;
		verdict = lookup_verdict(engine, &entry->target,
					 &entry->lookups[i]);
		if (asked++ == 0)
			best = worst = verdict;
		if (rank(&verdict) > rank(&best))
			best = verdict;
		if (rank(&verdict) < rank(&worst))
			worst = verdict;
		reached += rank(&verdict) > 0;
	}
	return 2 * reached > asked ? best : worst;
}

static struct reach_verdict internet_verdict(const struct reach_engine *engine,
					     const struct reach_entry *entry)
{
	struct reach_verdict verdict = family_verdict(engine, entry, AF_INET);
	const struct reach_verdict other =
		family_verdict(engine, entry, AF_INET6);

	if (rank(&other) > rank(&verdict))
		verdict = other;
	verdict.flags &=
		~(uint32_t)(REACH_FLAG_IS_DIRECT | REACH_FLAG_IS_LOCAL_ADDRESS);
	return verdict;
}

static struct reach_verdict pair_verdict(const struct reach_engine *engine,
					 const struct reach_entry *entry)
{
	const struct reach_target *target = &entry->target;

	if (!reach_own_addresses_find(&engine->addresses, &target->local,
				      target->local.scope_id))
		return unreachable(REACH_REASON_NOT_LOCAL, 0);
	return lookup_verdict(engine, target, &entry->lookups[0]);
}

static struct reach_verdict
local_wifi_verdict(const struct reach_engine *engine, uint32_t scope)
{
	struct reach_verdict none = unreachable(REACH_REASON_LINK_DOWN, 0);
	size_t i;

	for (i = 0; i < engine->links.count; i++) {
		const struct reach_link *link = &engine->links.items[i];
		const struct reach_own_address *own;
		enum reach_interface_class class;

		if ((scope && link->index != scope) || !reach_link_usable(link))
			continue;
		class = reach_classify(&engine->links, link);
		if (class != REACH_INTERFACE_WIFI &&
		    class != REACH_INTERFACE_WIRED_ETHERNET)
			continue;
		none.reason = REACH_REASON_NO_SOURCE;
		own = reach_own_addresses_of(&engine->addresses, link->index);
		if (own)
			return (struct reach_verdict){
				.flags = REACH_FLAG_REACHABLE |
					 REACH_FLAG_IS_DIRECT,
				.interface_index = link->index,
				.source = own->address,
			};
	}
	return none;
}

static struct reach_verdict name_verdict(const struct reach_engine *engine,
					 const struct reach_entry *entry)
{
	if (entry->resolution == REACH_RESOLUTION_DONE)
		return best_verdict(engine, entry);
	if (entry->target.policy == REACH_NAME_STRICT)
		return unreachable(REACH_REASON_RESOLVING, 0);
	return internet_verdict(engine, entry);
}

bool reach_verdict_scope(const struct reach_engine *engine,
			 const struct reach_target *target, uint32_t *ret)
{
	const struct reach_link *link;

	*ret = 0;
	if (target->interface_index)
		link = reach_links_find(&engine->links,
					target->interface_index);
	else if (target->interface_name[0])
		link = reach_links_find_name(&engine->links,
					     target->interface_name);
	else
		return true;
	if (!link)
		return false;
	*ret = link->index;
	return true;
}

struct reach_verdict reach_verdict(const struct reach_engine *engine,
				   const struct reach_entry *entry)
{
	uint32_t scope;

	if (!reach_verdict_scope(engine, &entry->target, &scope))
		return unreachable(REACH_REASON_NO_INTERFACE, 0);
	switch (entry->target.kind) {
	case REACH_TARGET_INTERNET:
		return internet_verdict(engine, entry);
	case REACH_TARGET_ADDRESS_PAIR:
		return pair_verdict(engine, entry);
	case REACH_TARGET_LOCAL_WIFI:
		return local_wifi_verdict(engine, scope);
	case REACH_TARGET_NAME:
		return name_verdict(engine, entry);
	default:
		return best_verdict(engine, entry);
	}
}
