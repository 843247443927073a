/* SPDX-License-Identifier: MIT */
/* What is marked to be asked, and what is to be drawn again. */
#ifndef REACH_ENGINE_STATE_DIRTY_H
#define REACH_ENGINE_STATE_DIRTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct reach_engine;

/* Marked but not yet on the dirty list. */
struct reach_dirty {
	/* Everything, or a family. */
	bool all;
	bool inet;
	bool inet6;
	/* Links or addresses changed since verdicts were drawn. */
	bool redraw;
	/* The next questions must wait for the kernel to finish what it
	 * announced. */
	bool barrier;
	/* Entries that events looked at since the last batch. */
	size_t visits;
};

/* Marks one entry to be asked. */
void reach_mark(struct reach_engine *engine, uint32_t number);

/* Whether all of @family are marked. */
bool reach_mark_is_family(const struct reach_engine *engine, uint8_t family);

/* Links or addresses changed: verdicts are drawn again before the next batch.
 */
void reach_redraw_later(struct reach_engine *engine);

/* A barrier comes before the next questions. */
void reach_barrier_later(struct reach_engine *engine);

/* Something was given up: a second from now all is asked anew. */
void reach_retry_later(struct reach_engine *engine);

#pragma GCC visibility pop

#endif
