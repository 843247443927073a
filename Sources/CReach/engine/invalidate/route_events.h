/* SPDX-License-Identifier: MIT */
#ifndef REACH_ENGINE_INVALIDATE_ROUTE_EVENTS_H
#define REACH_ENGINE_INVALIDATE_ROUTE_EVENTS_H

#include <stdbool.h>

#include <reach/message.h>

#pragma GCC visibility push(hidden)

struct reach_engine;

void reach_route_event(struct reach_engine *engine,
		       const struct reach_message *message);

/* Leaders (equivalence.c) may have answered for others with the error of a
 * route that had come, but was not announced yet, and which only the leader is
 * inside of: marks who has such an answer, each for itself. Whether there was
 * any. */
bool reach_engine_recheck_errors(struct reach_engine *engine);

#pragma GCC visibility pop

#endif
