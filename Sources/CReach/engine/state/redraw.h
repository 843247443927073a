/* SPDX-License-Identifier: MIT */
/* Verdicts of paths. */
#ifndef REACH_ENGINE_STATE_REDRAW_H
#define REACH_ENGINE_STATE_REDRAW_H

#include <stdint.h>

#include "engine/state/paths.h"

#pragma GCC visibility push(hidden)

/* Draws the verdict of @path, which is reported nowhere by that. */
void reach_path_draw(const struct reach_engine *engine,
		     struct reach_path *path);

/* Evaluates all entries of @path. */
void reach_path_evaluate(struct reach_engine *engine, uint32_t path);

/* Draws all verdicts again after links or addresses changed. */
void reach_paths_redraw(struct reach_engine *engine);

#pragma GCC visibility pop

#endif
