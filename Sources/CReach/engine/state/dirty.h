/* SPDX-License-Identifier: MIT */
/*
 * Dirty state: which entries to look up again, and whether to recompute
 * verdicts. Single entries are on REACH_LIST_DIRTY; struct reach_dirty has the
 * rest.
 */
#ifndef REACH_ENGINE_STATE_DIRTY_H
#define REACH_ENGINE_STATE_DIRTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct reach_engine;

struct reach_dirty {
	/* All entries, or those of a family, are dirty, but not on the list
	 * yet. Set and, once listed, cleared by invalidate/marks.c. */
	bool all;
	bool inet;
	bool inet6;
	/* Set when links, addresses, evidence, or modems have changed and
	 * verdicts must be recomputed. recompute.c clears it. */
	bool recompute;
	/* The next lookups need a barrier before them: the kernel has announced
	 * a change that it may not have carried out. Cleared by
	 * query/lookups.c. */
	bool barrier;
	/* Entries and paths that events visited since the last batch, for the
	 * visit budget of invalidate/marks.c. */
	size_t visits;
};

/* Puts the target of entry @number on the dirty list. An aggregate goes with
 * all its parts. A part goes with its aggregate, but without the other
 * parts. */
void reach_mark(struct reach_engine *engine, uint32_t number);

/* Whether all entries of @family are dirty. */
bool reach_mark_is_family(const struct reach_engine *engine, uint8_t family);

/* Requests that all verdicts be recomputed before the next batch. */
void reach_recompute_later(struct reach_engine *engine);

/* Requests a barrier before the next lookups. */
void reach_barrier_later(struct reach_engine *engine);

/* Requests that everything be dumped and looked up again in one second, after
 * memory ran out or answers were lost too often. */
void reach_retry_later(struct reach_engine *engine);

#pragma GCC visibility pop

#endif
