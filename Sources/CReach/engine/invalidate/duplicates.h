/* SPDX-License-Identifier: MIT */
/* One lookup for entries with the same address and selectors. */
#ifndef REACH_ENGINE_INVALIDATE_DUPLICATES_H
#define REACH_ENGINE_INVALIDATE_DUPLICATES_H

#include <stdint.h>

#include "engine/store/index.h"

#pragma GCC visibility push(hidden)

struct reach_engine;

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

#pragma GCC visibility pop

#endif
