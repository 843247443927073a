/* SPDX-License-Identifier: MIT */
/*
 * The confirming lookup: entries whose answer may be older than an event are
 * looked up once more, some time after the event.
 */
#ifndef REACH_ENGINE_STATE_CONFIRMATION_H
#define REACH_ENGINE_STATE_CONFIRMATION_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/state/paths.h"

#pragma GCC visibility push(hidden)

struct reach_engine;

/* Times are nanoseconds of CLOCK_MONOTONIC. */
struct reach_confirmation {
	/* An event of a kind that the kernel announces before it acts has come
	 * since the last batch, or may have been lost. */
	bool announced;
	/* The lookups in flight are confirming lookups only, so a different
	 * answer is a correction (also invalidate/confirm.c). */
	bool looking;
	/* Entries that the confirming lookup has corrected, not yet in the
	 * counters. */
	uint32_t corrections;
	/* The kernel may not have carried out the last announcement before this
	 * time. */
	int64_t until;
	/* Time of the confirming lookup; INT64_MAX if none is pending.
	 * invalidate/confirm.c makes the lookup and clears this. */
	int64_t look;
	/* Limit of `look`, however many events come before it. */
	int64_t latest;
};

/* Records an event that the kernel announces before it acts, or a loss of
 * events. A barrier precedes the next lookups, and a confirming lookup follows
 * them. */
void reach_confirmation_announce(struct reach_engine *engine);

/* Called when a batch is written; @asks: it has lookups. Sets the time of the
 * confirming lookup if their answers may be older than the last
 * announcement. */
void reach_confirmation_prepare(struct reach_engine *engine, bool asks);

/* Records an event, so that different answers from now on count as its effect,
 * not as corrections. */
void reach_confirmation_disregard(struct reach_engine *engine);

/* Counts @count corrections if a confirming lookup is under way and found
 * another route for @count entries, @after instead of @before. */
void reach_confirmation_answered(struct reach_engine *engine,
				 const struct reach_path_key *before,
				 const struct reach_path_key *after,
				 uint32_t count);

/* Adds the corrections to the counters. All events before the next publication
 * have been received, and none explains them. */
void reach_confirmation_count(struct reach_engine *engine);

#pragma GCC visibility pop

#endif
