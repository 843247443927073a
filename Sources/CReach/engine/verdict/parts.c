/* SPDX-License-Identifier: MIT */
#include "engine/verdict/verdict.h"

#include <sys/socket.h>

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

/* The first IPv4 probes that are more than half of them, as bits 1 << position; 0
 * if the parts are no probes. */
static uint32_t majority_of(const struct reach_engine *engine,
			    const struct reach_aggregate *aggregate)
{
	uint32_t parts = 0, rest = 0, i;

	if (!reach_aggregate_has_probes(aggregate))
		return 0;
	for (i = 0; i < aggregate->part_count; i++)
		if (reach_part_destination(engine, aggregate, i)->family ==
		    AF_INET)
			rest++;
	rest = rest ? rest / 2 + 1 : 0;
	for (i = 0; rest; i++)
		if (reach_part_destination(engine, aggregate, i)->family ==
		    AF_INET) {
			parts |= UINT32_C(1) << i;
			rest--;
		}
	return parts;
}

/* Whether the answer about the part at @position says nothing: there is none, or
 * a one-shot engine hasn't read its link yet. */
static bool is_unknown(const struct reach_engine *engine,
		       const struct reach_aggregate *aggregate,
		       uint32_t position)
{
	const struct reach_destination *part =
		reach_part_destination(engine, aggregate, position);
	uint32_t output;

	if (!reach_destination_is_known(engine, part))
		return true;
	if (!engine->oneshot || !part->path)
		return false;
	output = reach_path_at(engine, part->path)->key.output;
	return output && !reach_links_find(&engine->links, output);
}

/* Parts whose answers decide, as bits 1 << position. */
static uint32_t needed(const struct reach_engine *engine,
		       const struct reach_aggregate *aggregate)
{
	const uint32_t all = (UINT32_C(1) << aggregate->part_count) - 1;
	const uint32_t first = majority_of(engine, aggregate);
	uint32_t needs = first ? first : all, i;

	for (i = 0; i < aggregate->part_count; i++) {
		const struct reach_verdict verdict =
			reach_part_verdict(engine, aggregate, i);

		if (!(first & UINT32_C(1) << i))
			continue;
		if (is_unknown(engine, aggregate, i))
			return first;
		if (rank(&verdict) < 2)
			needs = all;
	}
	return needs;
}

uint32_t reach_parts_lacking(const struct reach_engine *engine,
			     const struct reach_aggregate *aggregate)
{
	uint32_t parts = needed(engine, aggregate), i;

	for (i = 0; i < aggregate->part_count; i++)
		if (!(reach_part_destination(engine, aggregate, i)->bits &
		      REACH_DESTINATION_STALE))
			parts &= ~(UINT32_C(1) << i);
	return parts;
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
