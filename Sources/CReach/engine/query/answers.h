/* SPDX-License-Identifier: MIT */
/* From the kernel's answers to the paths of entries. */
#ifndef REACH_ENGINE_QUERY_ANSWERS_H
#define REACH_ENGINE_QUERY_ANSWERS_H

#include <stdint.h>

#include <reach/message.h>

#include "engine/state/batch.h"

#pragma GCC visibility push(hidden)

struct reach_engine;

/* Takes @message if it answers a request of the batch in flight, wholly or in
 * part. Ignores any other. @return 0 or -ENOMEM. */
int reach_lookups_answer(struct reach_engine *engine,
			 const struct reach_message *message);

/* Attaches the answers to the entry of @request, and to its duplicates and
 * followers, even if a second lookup was due. @error: a positive errno that
 * replaces theirs, or 0. */
void reach_answers_stand(struct reach_engine *engine,
			 const struct reach_request *request, uint16_t error);

/* Ends the batch in flight after a loss of answers, and marks its subjects
 * again. After REACH_PATIENCE losses in a row, missing answers count as errors
 * (EIO). */
void reach_lookups_lost(struct reach_engine *engine);

#pragma GCC visibility pop

#endif
