/* SPDX-License-Identifier: MIT */
/* Route churn, and the prefixes that the event filter passes because of it. */
#ifndef REACH_ENGINE_STATE_CHURN_H
#define REACH_ENGINE_STATE_CHURN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/prefix.h"
#include "filter/filter.h"

#pragma GCC visibility push(hidden)

struct reach_engine;

/* Events per sample: route events that affected no target, before the prefix
 * that they share counts as churn. The focus moves at most once per sample. */
#define REACH_CHURN_SAMPLE 256

/* The churn of one family's routes. */
struct reach_churn {
	/* The prefix that the last complete sample shared; length 0: none. */
	struct reach_prefix sampled;
	/* Current sample: prefix that its events share so far, and number of
	 * events. */
	struct reach_prefix next;
	size_t count;
	/* The filter has the addresses of the targets inside this prefix, if
	 * there are too many to have all. Length 0: none. */
	struct reach_prefix focus;
};

/* Adds a route event for @prefix of @length, which affected no target, to the
 * sample. */
void reach_churn_sample(struct reach_engine *engine,
			const struct reach_address *prefix, uint8_t length);

/* Whether a complete sample shows churn outside of the focus, so that a new
 * filter would pass fewer events. */
bool reach_churn_has_moved(const struct reach_engine *engine);

/* Moves the focus to the sampled churn, begins new samples, and writes prefixes
 * of both families that cover all destinations.
 * @ret: room for 2 * REACH_FILTER_PREFIXES. @return their number. */
size_t reach_churn_collect(struct reach_engine *engine,
			   struct reach_prefix *ret);

#pragma GCC visibility pop

#endif
