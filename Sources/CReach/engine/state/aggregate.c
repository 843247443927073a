/* SPDX-License-Identifier: MIT */
/*
 * One verdict for several addresses, by the kind of the target. The verdict is
 * that of one part, chosen by rank; flags of different parts are never
 * combined.
 */
#include "engine/state/aggregate.h"

#include <string.h>
#include <sys/socket.h>

#include "base/address.h"
#include "base/verdict.h"
#include "engine/state/modem_verdict.h"
#include "engine/state/selectors.h"
#include "engine/state/state.h"
#include "engine/state/verdict.h"
#include "host/classify.h"

/* Rank of a verdict, higher is better, in the order of Apple's
 * SCNetworkReachability: reachable, reachable once a connection is made, not.
 */
static int rank(const struct reach_verdict *verdict)
{
	if (!(verdict->flags & REACH_FLAG_REACHABLE))
		return 0;
	return verdict->flags & REACH_FLAG_CONNECTION_REQUIRED ? 1 : 2;
}

static bool is_allowed(const struct reach_target *target, uint32_t class)
{
	return !target->interface_classes ||
	       target->interface_classes & 1U << class;
}

/* A modem that is not connected may have no interface yet. */
static uint32_t class_of(const struct reach_verdict *verdict)
{
	return verdict->flags & REACH_FLAG_IS_WWAN ? REACH_INTERFACE_CELLULAR
						   : verdict->interface_class;
}

/* The verdict on part @position. One over an interface that the target does not
 * allow keeps the path, so that it shows which interface that is. */
static struct reach_verdict
part_verdict(const struct reach_engine *engine,
	     const struct reach_aggregate *aggregate, uint32_t position)
{
	const struct reach_entry *part =
		reach_entry_at(&engine->entries, aggregate->parts[position]);
	struct reach_verdict verdict;

	/* Without a path: there was no memory for one. */
	if (!part->path)
		return reach_verdict_none(REACH_RULE_ERROR,
					  REACH_REASON_NO_ROUTE, 0);
	verdict = reach_path_at(engine, part->path)->verdict;
	if (verdict.flags &&
	    !is_allowed(&aggregate->target, class_of(&verdict))) {
		verdict.flags = 0;
		verdict.rule = REACH_RULE_OTHER_INTERFACE;
		verdict.reason = REACH_REASON_OTHER_INTERFACE;
	}
	return verdict;
}

/* Verdict on the part at @position; without a part (REACH_NO_PART) there is no
 * route at all. */
static struct reach_verdict verdict_at(const struct reach_engine *engine,
				       const struct reach_aggregate *aggregate,
				       uint32_t position)
{
	if (position == REACH_NO_PART)
		return reach_verdict_none(REACH_RULE_ERROR,
					  REACH_REASON_NO_ROUTE, 0);
	return part_verdict(engine, aggregate, position);
}

/* The first part of the highest rank. */
static uint32_t best_part(const struct reach_engine *engine,
			  const struct reach_aggregate *aggregate)
{
	uint32_t best = REACH_NO_PART, i;
	int highest = -1;

	for (i = 0; i < aggregate->part_count; i++) {
		const struct reach_verdict verdict =
			verdict_at(engine, aggregate, i);

		if (rank(&verdict) <= highest)
			continue;
		best = i;
		highest = rank(&verdict);
	}
	return best;
}

/* The part that decides for one family's probes: the first of the highest rank
 * that more than half of them have at least. A default route split into /1, as
 * VPNs do, covers all probes; one of its halves alone covers half of them. */
static uint32_t family_part(const struct reach_engine *engine,
			    const struct reach_aggregate *aggregate,
			    uint16_t family)
{
	uint32_t first[3] = { REACH_NO_PART, REACH_NO_PART, REACH_NO_PART };
	uint32_t counts[3] = { 0 }, total, i;

	for (i = 0; i < aggregate->part_count; i++) {
		const struct reach_entry *part =
			reach_entry_at(&engine->entries, aggregate->parts[i]);
		struct reach_verdict verdict;

		if (part->family != family)
			continue;
		verdict = part_verdict(engine, aggregate, i);
		if (counts[rank(&verdict)]++ == 0)
			first[rank(&verdict)] = i;
	}
	total = counts[0] + counts[1] + counts[2];
	if (2 * counts[2] > total)
		return first[2];
	return 2 * (counts[1] + counts[2]) > total ? first[1] : first[0];
}

/* That of the better of the families that count. */
static uint32_t internet_part(const struct reach_engine *engine,
			      const struct reach_aggregate *aggregate)
{
	const uint16_t only = aggregate->target.remote.family;
	const uint32_t part =
		family_part(engine, aggregate, only ? only : AF_INET);
	struct reach_verdict verdict, other;
	uint32_t alternative;

	if (only)
		return part;
	alternative = family_part(engine, aggregate, AF_INET6);
	verdict = verdict_at(engine, aggregate, part);
	other = verdict_at(engine, aggregate, alternative);
	return rank(&other) > rank(&verdict) ? alternative : part;
}

static bool is_pending(const struct reach_aggregate *aggregate)
{
	return aggregate->resolution == REACH_RESOLUTION_PENDING;
}

uint32_t reach_aggregate_deciding(const struct reach_engine *engine,
				  const struct reach_aggregate *aggregate)
{
	if (aggregate->target.kind == REACH_TARGET_INTERNET ||
	    is_pending(aggregate))
		return internet_part(engine, aggregate);
	return best_part(engine, aggregate);
}

static const struct reach_entry *
part_at(const struct reach_engine *engine,
	const struct reach_aggregate *aggregate, uint32_t position)
{
	return reach_entry_at(&engine->entries, aggregate->parts[position]);
}

/* The parts of @family, as bits 1 << position. */
static uint32_t parts_of(const struct reach_engine *engine,
			 const struct reach_aggregate *aggregate,
			 uint8_t family)
{
	uint32_t parts = 0, i;

	for (i = 0; i < aggregate->part_count; i++)
		if (part_at(engine, aggregate, i)->family == family)
			parts |= UINT32_C(1) << i;
	return parts;
}

/* The first parts that are more than half of @parts. */
static uint32_t majority_of(uint32_t parts)
{
	uint32_t rest = parts;
	int count = __builtin_popcount(parts) / 2 + 1;

	while (rest && count--)
		rest &= rest - 1;
	return parts & ~rest;
}

/* Whether part @position is reachable, or not looked up yet. */
static bool may_agree(const struct reach_engine *engine,
		      const struct reach_aggregate *aggregate,
		      uint32_t position)
{
	const struct reach_entry *part = part_at(engine, aggregate, position);
	const struct reach_verdict verdict =
		part_verdict(engine, aggregate, position);

	return part->bits & REACH_BIT_DIRTY || part->outstanding ||
	       rank(&verdict) == 2;
}

uint32_t reach_aggregate_needs(const struct reach_engine *engine,
			       const struct reach_aggregate *aggregate)
{
	const uint32_t all = (UINT32_C(1) << aggregate->part_count) - 1;
	uint32_t parts, needs, i;

	if (aggregate->target.kind != REACH_TARGET_INTERNET &&
	    !is_pending(aggregate))
		return all;
	/* Of two families that are reachable IPv4 decides (internet_part()). */
	parts = parts_of(engine, aggregate, AF_INET);
	needs = majority_of(parts ? parts : all);
	for (i = 0; i < aggregate->part_count && !engine->probes.majority; i++)
		if (needs & UINT32_C(1) << i &&
		    !may_agree(engine, aggregate, i))
			return all;
	return needs;
}

bool reach_aggregate_lacks(const struct reach_engine *engine,
			   const struct reach_aggregate *aggregate)
{
	const uint32_t needs = reach_aggregate_needs(engine, aggregate);
	uint32_t i;

	for (i = 0; i < aggregate->part_count; i++)
		if (needs & UINT32_C(1) << i &&
		    part_at(engine, aggregate, i)->bits & REACH_BIT_DIRTY)
			return true;
	return false;
}

void reach_aggregate_count(const struct reach_engine *engine,
			   const struct reach_aggregate *aggregate,
			   uint32_t *asked, uint32_t *reachable)
{
	uint32_t i;

	for (i = 0; i < aggregate->part_count; i++) {
		const struct reach_verdict verdict =
			part_verdict(engine, aggregate, i);

		if (part_at(engine, aggregate, i)->bits & REACH_BIT_DIRTY)
			continue;
		++*asked;
		*reachable += rank(&verdict) > 0;
	}
}

/* An address that stands for the internet is neither direct nor local. */
static struct reach_verdict
internet_verdict(const struct reach_engine *engine,
		 const struct reach_aggregate *aggregate)
{
	struct reach_verdict verdict =
		verdict_at(engine, aggregate, internet_part(engine, aggregate));

	verdict.flags &=
		~(uint32_t)(REACH_FLAG_IS_DIRECT | REACH_FLAG_IS_LOCAL_ADDRESS);
	return verdict;
}

/* Address pair: the local address must be ours, then the remote one decides. */
static struct reach_verdict
pair_verdict(const struct reach_engine *engine,
	     const struct reach_aggregate *aggregate)
{
	const struct reach_target *target = &aggregate->target;

	if (!reach_own_addresses_find(&engine->addresses, &target->local,
				      target->local.scope_id))
		return reach_verdict_none(REACH_RULE_NOT_LOCAL,
					  REACH_REASON_NOT_LOCAL, 0);
	/* For a source of too narrow a scope IPv4 returns EINVAL, as for a
	 * blackhole route; the reason is another. */
	if (target->remote.family &&
	    reach_address_scope(&target->local) <
		    reach_address_scope(&target->remote))
		return reach_verdict_none(REACH_RULE_NO_SOURCE,
					  REACH_REASON_NO_SOURCE, 0);
	return verdict_at(engine, aggregate, best_part(engine, aggregate));
}

/* Verdict of local Wi-Fi: @link is usable and has the address @own. */
static struct reach_verdict local_network_verdict(
	const struct reach_engine *engine, const struct reach_link *link,
	enum reach_interface_class class, const struct reach_own_address *own)
{
	struct reach_verdict verdict = {
		.flags = REACH_FLAG_REACHABLE | REACH_FLAG_IS_DIRECT,
		.rule = REACH_RULE_LOCAL_WIFI,
		.interface_index = link->index,
		.interface_class = (uint8_t)class,
		.source = own->address,
	};

	memcpy(verdict.interface_name, link->name, sizeof(link->name));
	verdict.metered = reach_metered_of(engine, verdict.interface_name,
					   verdict.interface_class);
	return verdict;
}

/* Whether @link counts for the local Wi-Fi target: Wi-Fi or wired Ethernet.
 * @contained: the namespace has no physical link, so that Ethernet whose peer
 * is in another one (veth, macvlan) counts as wired. */
static bool is_local_network(const struct reach_links *links,
			     const struct reach_link *link, bool contained)
{
	const enum reach_interface_class class =
		contained ? reach_classify_contained(links, link)
			  : reach_classify(links, link);

	return class == REACH_INTERFACE_WIFI ||
	       class == REACH_INTERFACE_WIRED_ETHERNET;
}

/* Target 169.254.0.0: the first usable Wi-Fi or wired link with an address, of
 * a class that @target allows; no route is looked up. @scope: index of the only
 * link to consider, or 0. */
static struct reach_verdict
local_wifi_verdict(const struct reach_engine *engine,
		   const struct reach_target *target, uint32_t scope)
{
	const struct reach_links *links = &engine->links;
	const bool contained = !reach_classify_has_physical(links);
	struct reach_verdict none = reach_verdict_none(
		REACH_RULE_LOCAL_WIFI, REACH_REASON_LINK_DOWN, 0);
	size_t i;

	for (i = 0; i < links->count; i++) {
		const struct reach_link *link = &links->items[i];
		const struct reach_own_address *own;

		if ((scope && link->index != scope) ||
		    !reach_link_usable(link) ||
		    !is_local_network(links, link, contained) ||
		    !is_allowed(target, reach_classify(links, link)))
			continue;
		none.reason = REACH_REASON_NO_SOURCE;
		own = reach_own_addresses_of(&engine->addresses, link->index);
		if (own)
			return local_network_verdict(
				engine, link, reach_classify(links, link), own);
	}
	return none;
}

/* Name: its best address. Until it is resolved the parts are the probes, and
 * the optimistic policy reports the internet's verdict. */
static struct reach_verdict
name_verdict(const struct reach_engine *engine,
	     const struct reach_aggregate *aggregate, uint32_t selectors)
{
	struct reach_verdict none = reach_verdict_none(REACH_RULE_UNRESOLVED,
						       aggregate->failure, 0);

	if (aggregate->part_count && !is_pending(aggregate))
		return verdict_at(engine, aggregate,
				  best_part(engine, aggregate));
	if (aggregate->failure == REACH_REASON_NO_NETWORK &&
	    is_allowed(&aggregate->target, REACH_INTERFACE_CELLULAR))
		return reach_verdict_by_modem(engine, selectors, none);
	if (!is_pending(aggregate))
		return none;
	none.reason = REACH_REASON_RESOLVING;
	if (aggregate->target.policy == REACH_NAME_STRICT)
		return none;
	return internet_verdict(engine, aggregate);
}

struct reach_verdict reach_aggregate_verdict(const struct reach_engine *engine,
					     uint32_t number)
{
	const struct reach_entry *entry =
		reach_entry_at(&engine->entries, number);
	const struct reach_selectors *selectors =
		reach_selectors_at(engine, entry->selectors);
	const struct reach_aggregate *aggregate = entry->aggregate;

	if (selectors->missing)
		return reach_verdict_none(REACH_RULE_NO_INTERFACE,
					  REACH_REASON_NO_INTERFACE, 0);
	switch (aggregate->target.kind) {
	case REACH_TARGET_INTERNET:
		return internet_verdict(engine, aggregate);
	case REACH_TARGET_LOCAL_WIFI:
		return local_wifi_verdict(engine, &aggregate->target,
					  selectors->scope);
	case REACH_TARGET_NAME:
		return name_verdict(engine, aggregate, entry->selectors);
	case REACH_TARGET_ADDRESS:
		return verdict_at(engine, aggregate,
				  best_part(engine, aggregate));
	default:
		return pair_verdict(engine, aggregate);
	}
}
