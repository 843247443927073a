/* SPDX-License-Identifier: MIT */
/*
 * One verdict for several addresses, depending on the kind of target. It is the
 * verdict of one part, chosen by rank. Flags of different parts are never
 * combined.
 */
#include "engine/verdict/verdict.h"

#include <string.h>
#include <sys/socket.h>

/* An address that stands for the internet is neither direct nor local. */
static struct reach_verdict
internet_verdict(const struct reach_engine *engine,
		 const struct reach_aggregate *aggregate)
{
	struct reach_verdict verdict = reach_part_verdict(
		engine, aggregate, reach_parts_internet(engine, aggregate));

	verdict.flags &=
		~(uint32_t)(REACH_FLAG_IS_DIRECT | REACH_FLAG_IS_LOCAL_ADDRESS);
	return verdict;
}

/* Address pair: the local address must belong to this host, then the remote one
 * decides. */
static struct reach_verdict
pair_verdict(const struct reach_engine *engine,
	     const struct reach_aggregate *aggregate)
{
	const struct reach_target *target = &aggregate->target;
	const struct reach_verdict verdict = reach_part_verdict(
		engine, aggregate, reach_parts_best(engine, aggregate));

	if (!reach_own_addresses_find(&engine->addresses, &target->local,
				      target->local.scope_id))
		return reach_verdict_none(REACH_RULE_NOT_LOCAL,
					  REACH_REASON_NOT_LOCAL, 0);
	/* If the scope of the source is too narrow, IPv4 returns EINVAL, as for
	 * a blackhole route. The reason differs. An own address takes any. */
	if (target->remote.family == AF_INET &&
	    !(verdict.flags & REACH_FLAG_IS_LOCAL_ADDRESS) &&
	    reach_address_scope(&target->local) <
		    reach_address_scope(&target->remote))
		return reach_verdict_none(REACH_RULE_NO_SOURCE,
					  REACH_REASON_NO_SOURCE, 0);
	return verdict;
}

/* Verdict of local Wi-Fi: @link is usable and has the address @own. */
static struct reach_verdict
local_network_verdict(const struct reach_link *link,
		      enum reach_interface_class class,
		      const struct reach_own_address *own)
{
	struct reach_verdict verdict = {
		.flags = REACH_FLAG_REACHABLE | REACH_FLAG_IS_DIRECT,
		.rule = REACH_RULE_LOCAL_WIFI,
		.interface_index = link->index,
		.interface_class = (uint16_t)class,
		.source = own->address,
	};

	memcpy(verdict.interface_name, link->name, sizeof(link->name));
	return verdict;
}

/* Whether @link counts for the local Wi-Fi target: Wi-Fi or wired Ethernet.
 * @contained: the namespace has no physical link. Then Ethernet with its peer
 * in another namespace (veth, macvlan) counts as wired. */
static bool is_local_network(const struct reach_links *links,
			     const struct reach_link *link, bool contained)
{
	const enum reach_interface_class class =
		reach_classify_in(links, link, contained);

	return class == REACH_INTERFACE_WIFI ||
	       class == REACH_INTERFACE_WIRED_ETHERNET;
}

/* Target 169.254.0.0: the first usable Wi-Fi or wired link that has an address
 * and a class that @target allows. No route is looked up. @bound: index of the
 * only link to consider, or 0. */
static struct reach_verdict
local_wifi_verdict(const struct reach_engine *engine,
		   const struct reach_target *target, uint32_t bound)
{
	const struct reach_links *links = &engine->links;
	const bool contained = !reach_classify_has_physical(links);
	struct reach_verdict none = reach_verdict_none(
		REACH_RULE_LOCAL_WIFI, REACH_REASON_LINK_DOWN, 0);
	size_t i;

	for (i = 0; i < links->count; i++) {
		const struct reach_link *link = &links->items[i];
		const struct reach_own_address *own;

		if ((bound && link->index != bound) ||
		    !reach_link_usable(link) ||
		    !is_local_network(links, link, contained) ||
		    !reach_target_allows(target, reach_classify(links, link)))
			continue;
		none.reason = REACH_REASON_NO_SOURCE;
		own = reach_own_addresses_of(&engine->addresses, link->index);
		if (own)
			return local_network_verdict(
				link, reach_classify(links, link), own);
	}
	return none;
}

/* Name: its best address. Until it is resolved, an optimistic name has the
 * probes as parts, and the internet's verdict. A strict name has no parts. */
static struct reach_verdict
name_verdict(const struct reach_engine *engine,
	     const struct reach_aggregate *aggregate)
{
	const bool is_pending = aggregate->resolution ==
				REACH_RESOLUTION_PENDING;
	struct reach_verdict none =
		reach_verdict_none(REACH_RULE_UNRESOLVED, aggregate->failure,
				   (int)aggregate->failure_error);

	if (aggregate->part_count && !is_pending && !aggregate->failure)
		return reach_part_verdict(engine, aggregate,
					  reach_parts_best(engine, aggregate));
	if (aggregate->failure == REACH_REASON_NO_NETWORK &&
	    reach_target_allows(&aggregate->target, REACH_INTERFACE_CELLULAR))
		return reach_verdict_by_modem(engine, aggregate->selectors,
					      none);
	if (!is_pending)
		return none;
	none.reason = REACH_REASON_RESOLVING;
	if (aggregate->target.policy == REACH_NAME_STRICT)
		return none;
	return internet_verdict(engine, aggregate);
}

struct reach_verdict
reach_aggregate_verdict(const struct reach_engine *engine,
			const struct reach_aggregate *aggregate)
{
	const struct reach_selectors *selectors =
		reach_selectors_at(engine, aggregate->selectors);

	if (selectors->missing)
		return reach_verdict_none(REACH_RULE_NO_INTERFACE,
					  REACH_REASON_NO_INTERFACE, 0);
	switch (aggregate->target.kind) {
	case REACH_TARGET_INTERNET:
		return internet_verdict(engine, aggregate);
	case REACH_TARGET_LOCAL_WIFI:
		return local_wifi_verdict(engine, &aggregate->target,
					  selectors->bound);
	case REACH_TARGET_NAME:
		return name_verdict(engine, aggregate);
	case REACH_TARGET_ADDRESS:
		return reach_part_verdict(engine, aggregate,
					  reach_parts_best(engine, aggregate));
	default:
		return pair_verdict(engine, aggregate);
	}
}
