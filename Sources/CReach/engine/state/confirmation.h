/* SPDX-License-Identifier: MIT */
/* Answers that may be older than an event. */
#ifndef REACH_ENGINE_STATE_CONFIRMATION_H
#define REACH_ENGINE_STATE_CONFIRMATION_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/state/paths.h"

#pragma GCC visibility push(hidden)

struct reach_engine;

/* Answers that may be older than an event, and the look that confirms them. */
struct reach_confirmation {
	/* An event came, or may have been lost, that the kernel announces
	 * before it has carried it out. */
	bool announced;
	/* The look is under way, and nothing else explains an answer. */
	bool looking;
	/* Answers to what it asked that differ; not published yet. */
	uint32_t corrections;
	/* When what was announced last has been carried out. */
	int64_t until;
	/* When the look is due, INT64_MAX for never, and at the latest. */
	int64_t look;
	int64_t latest;
};

/* What is announced is not carried out yet: the next questions wait for that,
 * and are asked once more. */
void reach_confirmation_announce(struct reach_engine *engine);

/* Before questions are put, if the batch @asks any. */
void reach_confirmation_prepare(struct reach_engine *engine, bool asks);

/* Something else than the kernel's delay may explain another answer. */
void reach_confirmation_explain(struct reach_engine *engine);

/* @count entries had the answer @before, and now have @after. */
void reach_confirmation_answered(struct reach_engine *engine,
				 const struct reach_path_key *before,
				 const struct reach_path_key *after,
				 uint32_t count);

/* No event explained what the look corrected. */
void reach_confirmation_count(struct reach_engine *engine);

#pragma GCC visibility pop

#endif
