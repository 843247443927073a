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
		return reach_verdict_none(REACH_REASON_NO_ROUTE, 0);
	verdict = reach_path_at(engine, part->path)->verdict;
	if (verdict.flags &&
	    !is_allowed(&aggregate->target, class_of(&verdict))) {
		verdict.flags = 0;
		verdict.reason = REACH_REASON_OTHER_INTERFACE;
	}
	return verdict;
}

/* The first part of the highest rank. */
static struct reach_verdict
best_verdict(const struct reach_engine *engine,
	     const struct reach_aggregate *aggregate)
{
	/* Only names can have no part; `failure` says why. */
	struct reach_verdict best = reach_verdict_none(aggregate->failure, 0);
	uint32_t i;

	for (i = 0; i < aggregate->part_count; i++) {
		const struct reach_verdict verdict =
			part_verdict(engine, aggregate, i);

		if (i == 0 || rank(&verdict) > rank(&best))
			best = verdict;
	}
	return best;
}

/* Verdict of one family's probes: the highest rank that more than half of them
 * have at least, by the first that has it. A default route split into /1, as
 * VPNs do, covers all probes; one of its halves alone covers half of them. */
static struct reach_verdict
family_verdict(const struct reach_engine *engine,
	       const struct reach_aggregate *aggregate, uint16_t family)
{
	struct reach_verdict first[3] = { reach_verdict_none(
		REACH_REASON_NO_ROUTE, 0) };
	uint32_t counts[3] = { 0 }, total, i;

	for (i = 0; i < aggregate->part_count; i++) {
		const struct reach_entry *part =
			reach_entry_at(&engine->entries, aggregate->parts[i]);
		struct reach_verdict verdict;

		if (part->family != family)
			continue;
		verdict = part_verdict(engine, aggregate, i);
		if (counts[rank(&verdict)]++ == 0)
			first[rank(&verdict)] = verdict;
	}
	total = counts[0] + counts[1] + counts[2];
	if (2 * counts[2] > total)
		return first[2];
	return 2 * (counts[1] + counts[2]) > total ? first[1] : first[0];
}

/* Writes the probes of @family, AF_UNSPEC for all. @return their number. */
static size_t copy_probes(const struct reach_engine *engine, uint16_t family,
			  struct reach_address *ret)
{
	size_t count = 0, i;

	for (i = 0; i < engine->probes.count; i++)
		if (!family || engine->probes.addresses[i].family == family)
			ret[count++] = engine->probes.addresses[i];
	return count;
}

size_t reach_aggregate_probes(const struct reach_engine *engine,
			      const struct reach_target *target,
			      struct reach_address *ret)
{
	const uint16_t family = target->remote.family;
	size_t count;

	if (!engine->probes.majority)
		return copy_probes(engine, family, ret);
	count = copy_probes(engine, family ? family : AF_INET, ret);
	return count ? count / 2 + 1 : copy_probes(engine, family, ret);
}

bool reach_aggregate_agrees(const struct reach_engine *engine,
			    const struct reach_aggregate *aggregate)
{
	uint32_t i;

	for (i = 0; i < aggregate->part_count; i++) {
		const struct reach_verdict verdict =
			part_verdict(engine, aggregate, i);

		if (rank(&verdict) < 2)
			return false;
	}
	return aggregate->part_count > 0;
}

/* The better of the families that count. An address that stands for the
 * internet is neither direct nor local. */
static struct reach_verdict
internet_verdict(const struct reach_engine *engine,
		 const struct reach_aggregate *aggregate)
{
	const uint16_t only = aggregate->target.remote.family;
	struct reach_verdict verdict =
		family_verdict(engine, aggregate, only ? only : AF_INET);

	if (!only) {
		const struct reach_verdict other =
			family_verdict(engine, aggregate, AF_INET6);

		if (rank(&other) > rank(&verdict))
			verdict = other;
	}
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
		return reach_verdict_none(REACH_REASON_NOT_LOCAL, 0);
	/* For a source of too narrow a scope IPv4 returns EINVAL, as for a
	 * blackhole route; the reason is another. */
	if (target->remote.family &&
	    reach_address_scope(&target->local) <
		    reach_address_scope(&target->remote))
		return reach_verdict_none(REACH_REASON_NO_SOURCE, 0);
	return best_verdict(engine, aggregate);
}

/* Verdict of local Wi-Fi: @link is usable and has the address @own. */
static struct reach_verdict
local_network_verdict(const struct reach_link *link,
		      enum reach_interface_class class,
		      const struct reach_own_address *own)
{
	struct reach_verdict verdict = {
		.flags = REACH_FLAG_REACHABLE | REACH_FLAG_IS_DIRECT,
		.interface_index = link->index,
		.interface_class = (uint16_t)class,
		.source = own->address,
	};

	memcpy(verdict.interface_name, link->name, sizeof(link->name));
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
	struct reach_verdict none =
		reach_verdict_none(REACH_REASON_LINK_DOWN, 0);
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
				link, reach_classify(links, link), own);
	}
	return none;
}

/* Name: its best address. Until it is resolved the parts are the probes, and
 * the optimistic policy reports the internet's verdict. */
static struct reach_verdict
name_verdict(const struct reach_engine *engine,
	     const struct reach_aggregate *aggregate, uint32_t selectors)
{
	if (aggregate->resolution == REACH_RESOLUTION_DONE &&
	    aggregate->failure == REACH_REASON_NO_NETWORK &&
	    is_allowed(&aggregate->target, REACH_INTERFACE_CELLULAR))
		return reach_verdict_by_modem(engine, selectors,
					      best_verdict(engine, aggregate));
	if (aggregate->resolution == REACH_RESOLUTION_DONE)
		return best_verdict(engine, aggregate);
	if (aggregate->target.policy == REACH_NAME_STRICT)
		return reach_verdict_none(REACH_REASON_RESOLVING, 0);
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
		return reach_verdict_none(REACH_REASON_NO_INTERFACE, 0);
	switch (aggregate->target.kind) {
	case REACH_TARGET_INTERNET:
		return internet_verdict(engine, aggregate);
	case REACH_TARGET_LOCAL_WIFI:
		return local_wifi_verdict(engine, &aggregate->target,
					  selectors->scope);
	case REACH_TARGET_NAME:
		return name_verdict(engine, aggregate, entry->selectors);
	case REACH_TARGET_ADDRESS:
		return best_verdict(engine, aggregate);
	default:
		return pair_verdict(engine, aggregate);
	}
}
