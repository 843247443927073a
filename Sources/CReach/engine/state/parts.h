/* SPDX-License-Identifier: MIT */
/* The parts of an aggregate: which one decides, and which to look up for
 * that. */
#ifndef REACH_ENGINE_STATE_PARTS_H
#define REACH_ENGINE_STATE_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/verdict.h"
#include "engine/store/entries.h"

#pragma GCC visibility push(hidden)

struct reach_engine;

#define REACH_NO_PART UINT32_MAX

/* Whether @target may be reached over an interface of @class. */
bool reach_target_allows(const struct reach_target *target, uint32_t class);

/* The verdict on the part at @position. If the target doesn't allow its
 * interface, the verdict keeps the path, to show which interface that is.
 * Without a part (REACH_NO_PART) there is no route at all. */
struct reach_verdict reach_part_verdict(const struct reach_engine *engine,
					const struct reach_aggregate *aggregate,
					uint32_t position);

/* The first part with the best verdict; REACH_NO_PART if there are no parts. */
uint32_t reach_parts_best(const struct reach_engine *engine,
			  const struct reach_aggregate *aggregate);
/* The probe that decides for the better of the two families, or for the one
 * that the target is limited to. */
uint32_t reach_parts_internet(const struct reach_engine *engine,
			      const struct reach_aggregate *aggregate);

/* Index of the part that decides the verdict; REACH_NO_PART if there is none.
 * No part decides for a name without addresses, local Wi-Fi, or a pair whose
 * local address is not of this host. */
uint32_t reach_parts_deciding(const struct reach_engine *engine,
			      const struct reach_aggregate *aggregate);

/* Adds to @asked the number of parts whose verdict is known
 * (reach_parts_needed()). Adds to @reachable how many of them are reachable,
 * perhaps after a connection is made. */
void reach_parts_count(const struct reach_engine *engine,
		       const struct reach_aggregate *aggregate, uint32_t *asked,
		       uint32_t *reachable);

/* Parts to look up before @aggregate has a verdict, as bits 1 << position. For
 * probes this is at first a majority of the IPv4 ones. While all of these are
 * reachable, or none is, the other IPv4 probes decide nothing, and stay marked
 * (REACH_BIT_DIRTY) without a lookup. The IPv6 probes follow in the same way
 * once IPv4 is known to be unreachable, or to require a connection. */
uint32_t reach_parts_needed(const struct reach_engine *engine,
			    const struct reach_aggregate *aggregate);
/* Whether one of the needed parts has not been looked up. */
bool reach_parts_are_lacking(const struct reach_engine *engine,
			     const struct reach_aggregate *aggregate);

#pragma GCC visibility pop

#endif
