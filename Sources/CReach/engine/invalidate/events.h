/* SPDX-License-Identifier: MIT */
#ifndef REACH_ENGINE_INVALIDATE_EVENTS_H
#define REACH_ENGINE_INVALIDATE_EVENTS_H

#include <reach/message.h>

#pragma GCC visibility push(hidden)

struct reach_engine;

/* Applies @message, an event, to the tables of links and addresses, and marks
 * the entries that it can affect. @return 0 or -ENOMEM. */
int reach_event(struct reach_engine *engine,
		const struct reach_message *message);

#pragma GCC visibility pop

#endif
