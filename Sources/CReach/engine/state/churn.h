/* SPDX-License-Identifier: MIT */
/* Route churn, and the prefixes that the event filter passes because of it. */
#ifndef REACH_CHURN_H
#define REACH_CHURN_H

#include "base/prefix.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct reach_engine;

/* Route events in a row that affected no target before the prefix they share
 * is taken for one with churn. */
#define REACH_CHURN_SAMPLE 256

/* Prefixes of a family that reach_churn_collect() returns at most. */
#define REACH_CHURN_PREFIXES 1024

/* Of a family. */
struct reach_churn {
	/* The prefix that the last complete sample shared; length 0: none. */
	struct reach_prefix sampled;
	/* Of the sample under way: the prefix so far, and its events. */
	struct reach_prefix next;
	size_t count;
	/* Where the filter has targets by their addresses, though it cannot
	 * have all of them so; length 0: nowhere. */
	struct reach_prefix focus;
};

/* A route event for @prefix of @length affected no target. */
void reach_churn_sample(struct reach_engine *engine,
			const struct reach_address *prefix, uint8_t length);

/* Whether there is churn outside of the focus. */
bool reach_churn_has_moved(const struct reach_engine *engine);

/* Moves the focus to where churn is, begins new samples, and writes the
 * prefixes of both families that cover all targets; their number. */
size_t reach_churn_collect(struct reach_engine *engine,
			   struct reach_prefix *ret);

#pragma GCC visibility pop

#endif
