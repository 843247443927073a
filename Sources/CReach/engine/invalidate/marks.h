/* SPDX-License-Identifier: MIT */
/* Marks whole paths and families to be asked. */
#ifndef REACH_ENGINE_INVALIDATE_MARKS_H
#define REACH_ENGINE_INVALIDATE_MARKS_H

#include <stddef.h>
#include <stdint.h>

#include <reach/address.h>

#pragma GCC visibility push(hidden)

struct reach_engine;

/* Marks all for all there is to know, or those of @family for their routes. */
void reach_mark_all(struct reach_engine *engine);
void reach_mark_family(struct reach_engine *engine, uint8_t family);

/* All who have the path; where one can speak for all, only one is asked. */
void reach_mark_path(struct reach_engine *engine, uint32_t path);

/* Those whose answers are missing: they may be older than an event. */
void reach_mark_asked(struct reach_engine *engine);

/* Counts what an event looked at; marks the family when that was too much. */
void reach_mark_spend(struct reach_engine *engine, uint8_t family,
		      size_t visits);

/* Puts on the dirty list what was marked as a whole, and brings verdicts up
 * to date with links and addresses. */
void reach_mark_flush(struct reach_engine *engine);

/* Marks what has expired at engine->now, and finds the next deadline. */
void reach_mark_expired(struct reach_engine *engine);

/* Marks the entries of selectors that moved. */
void reach_mark_moved(struct reach_engine *engine);

/* Marks entries that are scoped to interface @index or ask with @local;
 * 0 and NULL for none. */
void reach_mark_selected(struct reach_engine *engine, uint32_t index,
			 const struct reach_address *local);

#pragma GCC visibility pop

#endif
