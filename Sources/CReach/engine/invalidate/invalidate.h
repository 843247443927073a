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

/* Marks the entries with REACH_BIT_UNCONFIRMED. Call it when the engine's clock
 * has reached `confirmation.look`. */
void reach_confirm_due(struct reach_engine *engine);

/* One lookup for entries with the same address and selectors. */

/* Sets REACH_BIT_DUPLICATE of @number, just put into the index, and of one
 * entry equal to it, if there is one. */
void reach_duplicates_detect(struct reach_engine *engine, uint32_t number);

/* Called when the lookup of @number, which has REACH_BIT_DUPLICATE, is written.
 * Clears the marks of the entries equal to it, and sets their `outstanding`. */
void reach_duplicates_join(struct reach_engine *engine, uint32_t number);

/* Iterate over the entries that wait for the lookup of @number: those equal to
 * it with `outstanding` set, @number included. REACH_NO_ENTRY at the end. */
uint32_t reach_duplicates_first(const struct reach_engine *engine,
				uint32_t number, struct reach_cursor *cursor);
uint32_t reach_duplicates_next(const struct reach_engine *engine,
			       uint32_t number, struct reach_cursor *cursor);

/* Marks all entries that wait for the lookup of @number: it brought no answer,
 * or @number is destroyed. */
void reach_duplicates_mark(struct reach_engine *engine, uint32_t number);

/* Equivalence groups: a leader is looked up, and its followers take over its
 * path. A group is an entry of kind REACH_ENTRY_GROUP. Its list has the
 * followers. */

/* Begins an event: increments the generation number that shows whether this
 * event has visited a path. */
void reach_equivalence_begin(struct reach_engine *engine);

/* Marks entry @number, which the event can affect. Consider the entries of a
 * path marked between two calls of reach_equivalence_begin(). If all are
 * certain to get the same answer, the first is the leader, and the others
 * follow it. If not, each goes on the dirty list. @length: the event's prefix
 * length. All entries that the event marks are inside one prefix of that
 * length. */
void reach_equivalence_mark(struct reach_engine *engine, uint32_t number,
			    uint8_t length);

/* Separates @leader from its group, so that it may get another path. @return
 * the group, which the caller passes to one of the next two functions, or 0. */
uint32_t reach_equivalence_take(struct reach_engine *engine, uint32_t leader);

/* End @group (0: nothing to do). reach_equivalence_answered(): the followers
 * take over the present path of @leader, or are marked if they cannot.
 * reach_equivalence_mark_each(): there is no answer, all are marked. */
void reach_equivalence_answered(struct reach_engine *engine, uint32_t group,
				uint32_t leader);
void reach_equivalence_mark_each(struct reach_engine *engine, uint32_t group);

/* End the group of @leader, which is destroyed or looked up for another reason,
 * or all groups of @family. Both mark the followers. */
void reach_equivalence_dissolve(struct reach_engine *engine, uint32_t leader);
void reach_equivalence_dissolve_family(struct reach_engine *engine,
				       uint8_t family);

/* Rechecks of answers that the kernel changes without an event. */

/* The carrier of a link that an answer was predicted for has returned:
 * everything is looked up again, a few times. */
void reach_recheck_returned(struct reach_engine *engine);

/* Marks what may have changed. Call it when the engine's clock has reached
 * `recheck.at`. */
void reach_recheck_due(struct reach_engine *engine);

/* Applies @message, an event, to the tables of links and addresses, and marks
 * the entries that it can affect. @return 0 or -ENOMEM. */
int reach_event(struct reach_engine *engine,
		const struct reach_message *message);

/* Marks: which entries are due for a lookup. reach_mark() (state/state.h) marks
 * one entry. These functions mark a family, a path, or the entries that use an
 * interface. */

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
