/* SPDX-License-Identifier: MIT */
/* Functions for the monitor beyond the public ones: the only header of the
 * engine that other folders include (.ci/layers). */
#ifndef REACH_ENGINE_ENGINE_H
#define REACH_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <reach/engine.h>

#include "engine/explain.h"
#include "engine/explain_rules.h"
#include "engine/invalidate/route_events.h"
#include "engine/query/lookups.h"
#include "engine/query/oneshot.h"
#include "engine/state/churn.h"
#include "engine/state/interest.h"
#include "host/links.h"

#pragma GCC visibility push(hidden)

/* An engine for one verdict: it requests only the links and addresses that the
 * verdict needs, and takes no events (query/oneshot.h). The caller destroys it.
 * @return 0 or -ENOMEM. */
int reach_engine_create_oneshot(struct reach_engine **ret);

/* Counts changes after which a name may resolve differently, in links,
 * addresses, rules, or default routes. */
uint64_t reach_engine_network_changes(const struct reach_engine *engine);

/* With @winding_up, reach_engine_requests() only completes the present answers:
 * it writes source lookups of paths, but no dumps and no lookups of dirty
 * entries. A dispatch that has used up its batches then ends with complete
 * verdicts, and the next one continues. */
void reach_engine_wind_up(struct reach_engine *engine, bool winding_up);

/* Counts the network changes that may restore connectivity: a link that became
 * usable, or a new address, default route, or rule. */
uint64_t reach_engine_connectivity_returns(const struct reach_engine *engine);

/* The engine's counters; the monitor counts here, too. */
struct reach_stats *reach_engine_counters(struct reach_engine *engine);

/* Puts a barrier before the next lookups: the socket filter may have dropped an
 * event that the kernel announces before it acts. */
void reach_engine_barrier(struct reach_engine *engine);

/* The link @index, for evidence from sysfs; NULL if there is none. */
const struct reach_link *reach_engine_link(const struct reach_engine *engine,
					   uint32_t index);

/* Whether reach_engine_wants_evidence(), reach_engine_wants_source_routes(), or
 * reach_engine_wants_source() may want something. Most events cause none of
 * it. */
bool reach_engine_wants_input(const struct reach_engine *engine);

/* How many IPv6 routes to read at most to find out whether one selects by
 * source, or 0; and the result. Call both before
 * reach_engine_wants_source(). */
size_t reach_engine_wants_source_routes(const struct reach_engine *engine);
void reach_engine_set_source_routes(struct reach_engine *engine, bool any);

/* Copies the addresses of name target @from, if any, to @to. With @failures it
 * also copies a failure. Both have the same name and family.
 * @return 0 or -ENOMEM. */
int reach_engine_share_resolution(struct reach_engine *engine, uint64_t from,
				  uint64_t to, bool failures);

/* Name target @id, owned by the engine; NULL for any other target. */
const struct reach_target *reach_engine_name(const struct reach_engine *engine,
					     uint64_t id);

#pragma GCC visibility pop

#endif
