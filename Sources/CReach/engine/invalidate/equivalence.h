/* SPDX-License-Identifier: MIT */
/* One answer for many entries. */
#ifndef REACH_ENGINE_INVALIDATE_EQUIVALENCE_H
#define REACH_ENGINE_INVALIDATE_EQUIVALENCE_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

struct reach_engine;

/* A new event: nobody has been met by it. */
void reach_equivalence_begin(struct reach_engine *engine);

/* Marks an entry that the event can affect, as the leader or a follower of
 * those on its path that lie in a prefix of @length, if they are bound to
 * get the same answer. */
void reach_equivalence_mark(struct reach_engine *engine, uint32_t number,
			    uint8_t length);

/* The group that @leader leads, or 0. It leads it no more, and may be given
 * another path. */
uint32_t reach_equivalence_take(struct reach_engine *engine, uint32_t leader);

/* The answer for @group, taken or 0, is the path that @leader has now; or there
 * is none, and each follower is asked. */
void reach_equivalence_answered(struct reach_engine *engine, uint32_t group,
				uint32_t leader);
void reach_equivalence_ask_each(struct reach_engine *engine, uint32_t group);

/* The leader goes, or is asked for something else: each follower is asked. */
void reach_equivalence_dissolve(struct reach_engine *engine, uint32_t leader);
void reach_equivalence_dissolve_family(struct reach_engine *engine,
				       uint8_t family);

#pragma GCC visibility pop

#endif
