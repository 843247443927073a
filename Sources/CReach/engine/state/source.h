/* SPDX-License-Identifier: MIT */
/* The source of the packets to a target, and whether packets can use it. */
#ifndef REACH_ENGINE_STATE_SOURCE_H
#define REACH_ENGINE_STATE_SOURCE_H

#include <stdbool.h>

#include <reach/explanation.h>

#include "engine/state/paths.h"

#pragma GCC visibility push(hidden)

struct reach_engine;

/* The source address of @path: the one in the request, which the answer doesn't
 * repeat, or else the kernel's choice. */
const struct reach_address *reach_source_of(const struct reach_engine *engine,
					    const struct reach_path *path);

/* Whether packets on @path, a route that is not RTN_LOCAL, can use its
 * source. */
enum reach_source_state reach_source_judge(const struct reach_engine *engine,
					   const struct reach_path *path);

static inline bool reach_source_is_usable(enum reach_source_state state)
{
	return state <= REACH_SOURCE_DEPRECATED;
}

/* Whether the answer is of type multicast or broadcast. */
bool reach_source_is_of_many(const struct reach_path_key *key);

#pragma GCC visibility pop

#endif
