/* SPDX-License-Identifier: MIT */
/*
 * Door of engine/invalidate/: events to marks: which answers an event can
 * change.
 */
#ifndef REACH_ENGINE_INVALIDATE_INVALIDATE_H
#define REACH_ENGINE_INVALIDATE_INVALIDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <reach/address.h>
#include <reach/internal/message.h>

#include "engine/store/store.h"

#pragma GCC visibility push(hidden)

struct reach_engine;

/* The confirming lookup of answers that may be older than an event. */

/* Marks the unconfirmed answers. Call it when the engine's clock has reached
 * `confirmation.look`. */
void reach_confirm_due(struct reach_engine *engine);

/* Marks the answers that may have changed with a neighbor, and finds out whether
 * there are any. */
void reach_recheck(struct reach_engine *engine);

/* Applies @message, an event, to the tables of links and addresses, and marks
 * the destinations that it can affect. @return 0 or -ENOMEM. */
int reach_event(struct reach_engine *engine,
		const struct reach_message *message);

/* Marks: which destinations are due for a lookup. reach_mark() (state/state.h)
 * marks one. These functions mark a family, a path, or the destinations that use
 * an interface. */

/* Mark every destination of both families, or of @family, in O(1):
 * reach_mark_flush() fills the dirty list. */
void reach_mark_all(struct reach_engine *engine);
void reach_mark_family(struct reach_engine *engine, uint8_t family);

/* Marks the destinations of @path: as a group, if one lookup is enough for
 * them. */
void reach_mark_path(struct reach_engine *engine, uint32_t path);

/* Marks the destinations whose lookup is outstanding: the kernel may have answered
 * before the event. */
void reach_mark_outstanding(struct reach_engine *engine);

/* Before a batch: puts the destinations of marked families on the dirty list,
 * and the witnesses of marked groups. Recomputes verdicts if links or addresses
 * changed. */
void reach_mark_flush(struct reach_engine *engine);

/* Marks the paths whose deadline has passed, and sets `clock.deadline` to the
 * next one. Call it when `clock.now` has reached `clock.deadline`. */
void reach_mark_expired(struct reach_engine *engine);

/* Marks the destinations whose answer can change because this route came or
 * went. */
void reach_route_event(struct reach_engine *engine,
		       const struct reach_message *message);

#pragma GCC visibility pop

#endif
