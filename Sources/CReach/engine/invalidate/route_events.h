/* SPDX-License-Identifier: MIT */
#ifndef REACH_ENGINE_INVALIDATE_ROUTE_EVENTS_H
#define REACH_ENGINE_INVALIDATE_ROUTE_EVENTS_H

#include <stdbool.h>

#include <reach/message.h>

#pragma GCC visibility push(hidden)

struct reach_engine;

/* Marks the entries whose answer can change because this route came or went. */
void reach_route_event(struct reach_engine *engine,
		       const struct reach_message *message);

/* Marks, one by one, the entries that took over an error from the leader of an
 * equivalence group. The error may come from a route that covers the leader,
 * but not them: the route had come, but its event had not. @return whether
 * there were any. */
bool reach_engine_recheck_errors(struct reach_engine *engine);

#pragma GCC visibility pop

#endif
