/* SPDX-License-Identifier: MIT */
/* Verdicts of paths, computed from the path and the tables of links and
 * addresses. */
#ifndef REACH_ENGINE_STATE_RECOMPUTE_H
#define REACH_ENGINE_STATE_RECOMPUTE_H

#include <stdint.h>

#include "engine/state/paths.h"

#pragma GCC visibility push(hidden)

/* Computes `verdict` of @path; evaluates no entry. */
void reach_path_compute(const struct reach_engine *engine,
			struct reach_path *path);

/* Evaluates all entries of path number @path. */
void reach_path_evaluate(struct reach_engine *engine, uint32_t path);

/* Recomputes all verdicts if reach_recompute_later() was called, and evaluates
 * the entries of those that changed. */
void reach_paths_recompute(struct reach_engine *engine);

#pragma GCC visibility pop

#endif
