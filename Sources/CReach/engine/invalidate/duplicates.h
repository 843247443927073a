/* SPDX-License-Identifier: MIT */
/* One question for equal entries. */
#ifndef REACH_ENGINE_INVALIDATE_DUPLICATES_H
#define REACH_ENGINE_INVALIDATE_DUPLICATES_H

#include <stdint.h>

#include "engine/store/index.h"

#pragma GCC visibility push(hidden)

struct reach_engine;

/* @number, whose address others in the index have, came into it. */
void reach_duplicates_enter(struct reach_engine *engine, uint32_t number);

/* @number, which has REACH_BIT_DUPLICATE, is asked: those equal to it that are
 * marked wait for its answer. */
void reach_duplicates_wait(struct reach_engine *engine, uint32_t number);

/* Goes over the equal ones whose answer is missing, @number if its own is among
 * them; REACH_NO_ENTRY at the end. */
uint32_t reach_duplicates_first(const struct reach_engine *engine,
				uint32_t number, struct reach_cursor *cursor);
uint32_t reach_duplicates_next(const struct reach_engine *engine,
			       uint32_t number, struct reach_cursor *cursor);

/* They are asked again, or instead: @number goes, or has no answer. */
void reach_duplicates_ask(struct reach_engine *engine, uint32_t number);

#pragma GCC visibility pop

#endif
