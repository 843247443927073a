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

/* Adds to @asked the number of parts whose verdict is known
 * (reach_aggregate_needs()), and to @reachable how many of them are reachable,
 * if need be once a connection is made. */
void reach_aggregate_count(const struct reach_engine *engine,
			   const struct reach_aggregate *aggregate,
			   uint32_t *asked, uint32_t *reachable);

/* Parts that are to be looked up before @aggregate has a verdict, as bits 1 <<
 * position. Of probes that is at first a majority of one family: while all of
 * these are reachable the others decide nothing, and stay marked
 * (REACH_BIT_DIRTY) with no lookup. */
uint32_t reach_aggregate_needs(const struct reach_engine *engine,
			       const struct reach_aggregate *aggregate);
/* Whether one of these has not been looked up. */
bool reach_aggregate_lacks(const struct reach_engine *engine,
			   const struct reach_aggregate *aggregate);

#pragma GCC visibility pop

#endif
