/* SPDX-License-Identifier: MIT */
#include "engine/verdict/verdict.h"

#include <sys/socket.h>

#include "base/base.h"
#include "engine/state/state.h"

/* Higher is better, in the order of Apple's SCNetworkReachability: reachable,
 * reachable after a connection is made, unreachable. */
static int rank(const struct reach_verdict *verdict)
{
	if (!(verdict->flags & REACH_FLAG_REACHABLE))
		return 0;
	return verdict->flags & REACH_FLAG_CONNECTION_REQUIRED ? 1 : 2;
}

bool reach_target_allows(const struct reach_target *target, uint32_t class)
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

struct reach_verdict reach_part_verdict(const struct reach_engine *engine,
					const struct reach_aggregate *aggregate,
					uint32_t position)
{
	const struct reach_destination *part = NULL;
	struct reach_verdict verdict;

	/* Without a path: memory ran out. */
	if (position != REACH_NO_PART)
		part = reach_part_destination(engine, aggregate, position);
	if (!part || !part->path)
		return reach_verdict_none(REACH_RULE_ERROR,
					  REACH_REASON_NO_ROUTE, 0);
	verdict = reach_path_at(engine, part->path)->verdict;
	if (verdict.flags &&
	    !reach_target_allows(&aggregate->target, class_of(&verdict))) {
		verdict.flags = 0;
		verdict.rule = REACH_RULE_OTHER_INTERFACE;
		verdict.reason = REACH_REASON_OTHER_INTERFACE;
	}
	return verdict;
}

uint32_t reach_parts_best(const struct reach_engine *engine,
			  const struct reach_aggregate *aggregate)
{
	uint32_t best = REACH_NO_PART, i;
	int highest = -1;

	for (i = 0; i < aggregate->part_count; i++) {
		const struct reach_verdict verdict =
			reach_part_verdict(engine, aggregate, i);

		if (rank(&verdict) <= highest)
			continue;
		best = i;
		highest = rank(&verdict);
	}
	return best;
}

/* The highest rank that more than half of the probes reach. @counts has their
 * number by rank. A default route split into two /1, as VPNs do, covers all
 * probes. One of its halves alone covers half of them. */
static int rank_of_most(const uint32_t *counts)
{
	const uint32_t total = counts[0] + counts[1] + counts[2];

	if (2 * counts[2] > total)
		return 2;
	return 2 * (counts[1] + counts[2]) > total ? 1 : 0;
}

/* The part that decides for one family's probes: the first with the rank that
 * most of them reach. */
static uint32_t family_part(const struct reach_engine *engine,
			    const struct reach_aggregate *aggregate,
			    uint16_t family)
{
	uint32_t first[3] = { REACH_NO_PART, REACH_NO_PART, REACH_NO_PART };
	uint32_t counts[3] = { 0 }, i;

	for (i = 0; i < aggregate->part_count; i++) {
		const struct reach_verdict verdict =
			reach_part_verdict(engine, aggregate, i);

		if (reach_part_destination(engine, aggregate, i)->family !=
		    family)
			continue;
		if (counts[rank(&verdict)]++ == 0)
			first[rank(&verdict)] = i;
	}
	return first[rank_of_most(counts)];
}

uint32_t reach_parts_internet(const struct reach_engine *engine,
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
	verdict = reach_part_verdict(engine, aggregate, part);
	other = reach_part_verdict(engine, aggregate, alternative);
	return rank(&other) > rank(&verdict) ? alternative : part;
}

uint32_t reach_parts_deciding(const struct reach_engine *engine,
			      const struct reach_aggregate *aggregate)
{
	if (reach_aggregate_has_probes(aggregate))
		return reach_parts_internet(engine, aggregate);
	return reach_parts_best(engine, aggregate);
}

/* The parts of @family, as bits 1 << position. */
static uint32_t parts_of(const struct reach_engine *engine,
			 const struct reach_aggregate *aggregate,
			 uint8_t family)
{
	uint32_t parts = 0, i;

	for (i = 0; i < aggregate->part_count; i++)
		if (reach_part_destination(engine, aggregate, i)->family ==
		    family)
			parts |= UINT32_C(1) << i;
	return parts;
}

/* The first parts that make up more than half of @parts. */
static uint32_t majority_of(uint32_t parts)
{
	uint32_t rest = parts;
	int count = __builtin_popcount(parts) / 2 + 1;

	while (rest && count--)
		rest &= rest - 1;
	return parts & ~rest;
}

static bool is_known(const struct reach_engine *engine,
		     const struct reach_aggregate *aggregate, uint32_t position)
{
	return reach_destination_is_known(
		engine, reach_part_destination(engine, aggregate, position));
}

/* The rank of most of the probes @parts, if those in @asked decide it whatever
 * the others are; else -1. */
static int rank_by(const struct reach_engine *engine,
		   const struct reach_aggregate *aggregate, uint32_t parts,
		   uint32_t asked)
{
	uint32_t worst[3] = { 0 }, best[3] = { 0 }, i;

	for (i = 0; i < aggregate->part_count; i++) {
		const uint32_t bit = UINT32_C(1) << i;
		const struct reach_verdict verdict =
			reach_part_verdict(engine, aggregate, i);
		const bool counts = asked & bit &&
				    is_known(engine, aggregate, i);

		if (!(parts & bit))
			continue;
		worst[counts ? rank(&verdict) : 0]++;
		best[counts ? rank(&verdict) : 2]++;
	}
	return rank_of_most(worst) == rank_of_most(best) ? rank_of_most(best)
							 : -1;
}

/* The probes of one family's @parts to look up: the first ones, up to a
 * majority, and the others if these don't decide. */
static uint32_t family_needs(const struct reach_engine *engine,
			     const struct reach_aggregate *aggregate,
			     uint32_t parts)
{
	const uint32_t first = majority_of(parts);
	uint32_t i;

	if (engine->probes.majority)
		return first;
	for (i = 0; i < aggregate->part_count; i++)
		if (first & UINT32_C(1) << i && !is_known(engine, aggregate, i))
			return first;
	return rank_by(engine, aggregate, parts, first) < 0 ? parts : first;
}

uint32_t reach_parts_needed(const struct reach_engine *engine,
			    const struct reach_aggregate *aggregate)
{
	uint32_t inet, inet6, needs;
	int most;

	if (!reach_aggregate_has_probes(aggregate))
		return (UINT32_C(1) << aggregate->part_count) - 1;
	inet = parts_of(engine, aggregate, AF_INET);
	inet6 = parts_of(engine, aggregate, AF_INET6);
	if (!inet)
		return family_needs(engine, aggregate, inet6);
	needs = family_needs(engine, aggregate, inet);
	most = rank_by(engine, aggregate, inet, needs);
	/* If both families are reachable, IPv4 decides
	 * (reach_parts_internet()). */
	if (most < 0 || most == 2 || engine->probes.majority)
		return needs;
	return needs | family_needs(engine, aggregate, inet6);
}

bool reach_parts_are_lacking(const struct reach_engine *engine,
			     const struct reach_aggregate *aggregate)
{
	const uint32_t needs = reach_parts_needed(engine, aggregate);
	uint32_t i;

	for (i = 0; i < aggregate->part_count; i++)
		if (needs & UINT32_C(1) << i &&
		    reach_part_destination(engine, aggregate, i)->bits &
			    REACH_DESTINATION_STALE)
			return true;
	return false;
}

void reach_parts_count(const struct reach_engine *engine,
		       const struct reach_aggregate *aggregate, uint32_t *asked,
		       uint32_t *reachable)
{
	uint32_t i;

	for (i = 0; i < aggregate->part_count; i++) {
		const struct reach_verdict verdict =
			reach_part_verdict(engine, aggregate, i);

		if (reach_part_destination(engine, aggregate, i)->bits &
		    REACH_DESTINATION_STALE)
			continue;
		++*asked;
		*reachable += rank(&verdict) > 0;
	}
}
