/* SPDX-License-Identifier: MIT */
/* Marks: which entries are due for a lookup. reach_mark() (state/dirty.h) marks
 * one entry. These functions mark a family, a path, or the entries that use an
 * interface. */
#ifndef REACH_ENGINE_INVALIDATE_MARKS_H
#define REACH_ENGINE_INVALIDATE_MARKS_H

#include <stddef.h>
#include <stdint.h>

#include <reach/address.h>

#pragma GCC visibility push(hidden)

struct reach_engine;

/* Mark every entry of both families, or of @family. Both end the affected
 * equivalence groups, and cost O(groups): reach_mark_flush() fills the dirty
 * list. */
void reach_mark_all(struct reach_engine *engine);
void reach_mark_family(struct reach_engine *engine, uint8_t family);

/* Marks the entries of @path, as one equivalence group if it is a default
 * route. */
void reach_mark_path(struct reach_engine *engine, uint32_t path);

/* Marks the entries whose lookup is in flight: the kernel may have answered
 * before the event. */
void reach_mark_in_flight(struct reach_engine *engine);

/* Adds @visits, the entries and paths visited by an event, to those since the
 * last batch. When the budget is spent the family is marked, and further events
 * visit nothing. */
void reach_mark_spend(struct reach_engine *engine, uint8_t family,
		      size_t visits);

/* Before a batch: puts the entries of marked families on the dirty list, and
 * recomputes verdicts if links or addresses changed. */
void reach_mark_flush(struct reach_engine *engine);

/* Marks the paths whose deadline has passed, and sets `clock.deadline` to the
 * next one. Call it when `clock.now` has reached `clock.deadline`. */
void reach_mark_expired(struct reach_engine *engine);

/* Marks entries whose selectors name interface @index (0: none), as the scope
 * of the target or of a link-local address, or the source @local (NULL:
 * none). */
void reach_mark_selected(struct reach_engine *engine, uint32_t index,
			 const struct reach_address *local);

/* Marks all entries whose answers depend on segments (state/segments.h). */
void reach_mark_segments(struct reach_engine *engine);

#pragma GCC visibility pop

#endif
