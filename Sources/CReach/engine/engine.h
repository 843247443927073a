/* SPDX-License-Identifier: MIT */
/* What the monitor asks of an engine beside its public functions. */
#ifndef REACH_ENGINE_ENGINE_H
#define REACH_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include <reach/engine.h>

#include "host/links.h"

#pragma GCC visibility push(hidden)

/* An engine for one answer: it asks for the links and addresses that the
 * verdict needs, and takes no events. */
int reach_engine_create_oneshot(struct reach_engine **ret);

/* Counts what may make a name resolve to something else. */
uint64_t reach_engine_network_changes(const struct reach_engine *engine);

/* Makes reach_engine_requests() only finish what it began, or all again: a
 * dispatch that leaves the rest to the next ends between two states. */
void reach_engine_wind_up(struct reach_engine *engine, bool winding_up);

/* Counts those of them that may bring a way back: a link or an address that can
 * be used now, a route or a rule that came. */
uint64_t reach_engine_returns(const struct reach_engine *engine);

/* For the monitor's own counters. */
struct reach_stats *reach_engine_counters(struct reach_engine *engine);

/* The next questions wait for the kernel to finish what it announced, though
 * no event told of it. */
void reach_engine_barrier(struct reach_engine *engine);

/* What sysfs is to be read for: the link @index, or NULL. */
const struct reach_link *reach_engine_link(const struct reach_engine *engine,
					   uint32_t index);

/* The name of target @id if it is one to be resolved, or NULL. */
const char *reach_engine_name(const struct reach_engine *engine, uint64_t id);

#pragma GCC visibility pop

#endif
