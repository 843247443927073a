/* SPDX-License-Identifier: MIT */
/* What the monitor uses of an engine beside its public functions: the one
 * header by which files of other folders enter it (.ci/layers). */
#ifndef REACH_ENGINE_ENGINE_H
#define REACH_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <reach/engine.h>

#include "engine/explain.h"
#include "engine/explain_rules.h"
#include "engine/invalidate/route_events.h"
#include "engine/query/oneshot.h"
#include "engine/query/questions.h"
#include "engine/state/churn.h"
#include "engine/state/interest.h"
#include "host/links.h"

#pragma GCC visibility push(hidden)

/* An engine for one verdict: it requests the links and addresses that the
 * verdict needs, and takes no events (query/oneshot.h). The caller destroys it.
 * @return 0 or -ENOMEM. */
int reach_engine_create_oneshot(struct reach_engine **ret);

/* Number of changes after which a name may resolve to something else: links,
 * addresses, rules, default routes. */
uint64_t reach_engine_network_changes(const struct reach_engine *engine);

/* With @winding_up reach_engine_requests() writes only what completes the
 * answers that are there: sources of paths, no dumps and no dirty entries. A
 * dispatch that has used up its batches thus ends with complete verdicts, and
 * leaves the rest to the next. */
void reach_engine_wind_up(struct reach_engine *engine, bool winding_up);

/* Number of those changes that may restore connectivity: a link that became
 * usable, an address, a default route or a rule that came. */
uint64_t reach_engine_connectivity_returns(const struct reach_engine *engine);

/* The engine's statistics, in which the monitor counts too. */
struct reach_stats *reach_engine_counters(struct reach_engine *engine);

/* Puts a barrier before the next lookups, as an event would that the kernel
 * announces before it has carried it out: the socket filter may have dropped
 * one. */
void reach_engine_barrier(struct reach_engine *engine);

/* The link @index, for what sysfs says of it; NULL if there is none. */
const struct reach_link *reach_engine_link(const struct reach_engine *engine,
					   uint32_t index);

/* How many routes of IPv6 it would pay to read for knowing that none selects by
 * source, or 0; and the answer. Before reach_engine_wants_source(). */
size_t reach_engine_wants_source_routes(const struct reach_engine *engine);
void reach_engine_set_source_routes(struct reach_engine *engine, bool any);

/* Gives name target @to the addresses of name target @from if it has any, and
 * with @failures its failure if it has none. Both have one name and family.
 * @return 0 or -ENOMEM. */
int reach_engine_share_resolution(struct reach_engine *engine, uint64_t from,
				  uint64_t to, bool failures);

/* Name target @id, owned by the engine; NULL if it is no name target. */
const struct reach_target *reach_engine_name(const struct reach_engine *engine,
					     uint64_t id);

#pragma GCC visibility pop

#endif
