/* SPDX-License-Identifier: MIT */
#ifndef REACH_ENGINE_STATE_AGGREGATE_H
#define REACH_ENGINE_STATE_AGGREGATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/verdict.h"
#include "engine/store/entries.h"

#pragma GCC visibility push(hidden)

struct reach_engine;

struct reach_verdict reach_aggregate_verdict(const struct reach_engine *engine,
					     uint32_t number);

/* The IPv4 probes that decide if all of them are reachable, whatever the others
 * are; their number. */
size_t reach_aggregate_majority(const struct reach_engine *engine,
				struct reach_address *ret);
/* Whether all of them are. */
bool reach_aggregate_agrees(const struct reach_engine *engine,
			    const struct reach_aggregate *aggregate);

#pragma GCC visibility pop

#endif
