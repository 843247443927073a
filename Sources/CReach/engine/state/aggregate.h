/* SPDX-License-Identifier: MIT */
/* Aggregates: targets of several addresses, or none, with one verdict. */
#ifndef REACH_ENGINE_STATE_AGGREGATE_H
#define REACH_ENGINE_STATE_AGGREGATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/verdict.h"
#include "engine/store/entries.h"

#pragma GCC visibility push(hidden)

struct reach_engine;

/* Verdict of aggregate @number from those of its parts. */
struct reach_verdict reach_aggregate_verdict(const struct reach_engine *engine,
					     uint32_t number);

#define REACH_NO_PART UINT32_MAX

/* Index of the part that decides the verdict, unless none does: of a name
 * without addresses, local Wi-Fi, or a pair whose local address is not ours.
 * REACH_NO_PART if there is none. */
uint32_t reach_aggregate_deciding(const struct reach_engine *engine,
				  const struct reach_aggregate *aggregate);

/* Number of parts that are reachable, if need be once a connection is made. */
uint32_t reach_aggregate_count(const struct reach_engine *engine,
			       const struct reach_aggregate *aggregate);

/* Writes the probes that @target needs: those of its family if it has one, or
 * all. While `probes.majority` is set only those that suffice if all of them
 * are reachable: one more than half of IPv6 if that is its family, else of
 * IPv4 if there are any. @ret: room for REACH_PROBES_MAX. @return their number.
 */
size_t reach_aggregate_probes(const struct reach_engine *engine,
			      const struct reach_target *target,
			      struct reach_address *ret);
/* Whether all parts of @aggregate are reachable without a connection to be
 * made. */
bool reach_aggregate_agrees(const struct reach_engine *engine,
			    const struct reach_aggregate *aggregate);

#pragma GCC visibility pop

#endif
