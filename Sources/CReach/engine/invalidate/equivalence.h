/* SPDX-License-Identifier: MIT */
/* Equivalence groups: a leader is looked up, and its followers take over its
 * path. A group is an entry of kind REACH_ENTRY_GROUP. Its list has the
 * followers. */
#ifndef REACH_ENGINE_INVALIDATE_EQUIVALENCE_H
#define REACH_ENGINE_INVALIDATE_EQUIVALENCE_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

struct reach_engine;

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

#pragma GCC visibility pop

#endif
