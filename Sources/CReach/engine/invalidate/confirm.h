/* SPDX-License-Identifier: MIT */
/* The confirming lookup of answers that may be older than an event. */
#ifndef REACH_ENGINE_INVALIDATE_CONFIRM_H
#define REACH_ENGINE_INVALIDATE_CONFIRM_H

#pragma GCC visibility push(hidden)

struct reach_engine;

/* Marks the entries with REACH_BIT_UNCONFIRMED. Call it when the engine's clock
 * has reached `confirmation.look`. */
void reach_confirm_due(struct reach_engine *engine);

#pragma GCC visibility pop

#endif
