/* SPDX-License-Identifier: MIT */
#ifndef REACH_ENGINE_STATE_VERDICT_H
#define REACH_ENGINE_STATE_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include <reach/engine.h>

#include "base/verdict.h"
#include "engine/state/paths.h"

#pragma GCC visibility push(hidden)

struct reach_engine;

/* What a path comes to by links and addresses. */
struct reach_verdict reach_verdict(const struct reach_engine *engine,
				   const struct reach_path *path);
struct reach_verdict reach_verdict_none(enum reach_reason reason, int error);

/* The errors of routes and of no route; others are about the question. */
bool reach_error_is_of_route(uint16_t error);

#pragma GCC visibility pop

#endif
