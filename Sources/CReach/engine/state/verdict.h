/* SPDX-License-Identifier: MIT */
/* From the kernel's answer to a verdict. */
#ifndef REACH_ENGINE_STATE_VERDICT_H
#define REACH_ENGINE_STATE_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include <reach/engine.h>
#include <reach/explanation.h>

#include "base/verdict.h"
#include "engine/state/paths.h"

#pragma GCC visibility push(hidden)

struct reach_engine;

/* Verdict of @path, computed from the tables of links and own addresses: flags,
 * interface, source, gateway, reason, but no interface name (recompute.c). */
struct reach_verdict reach_path_verdict(const struct reach_engine *engine,
					const struct reach_path *path);

/* Whether RTM_GETROUTE returns @error for a result of the FIB: an error route,
 * or no route. Other errors are about the request. */
bool reach_error_is_of_route(uint16_t error);

/* Positive errno of an answer that is an error or a route of an error type, 0
 * for a route that forwards. */
int reach_verdict_error(const struct reach_path_key *key);

#pragma GCC visibility pop

#endif
