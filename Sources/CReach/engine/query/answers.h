/* SPDX-License-Identifier: MIT */
/* From answers of the kernel to the paths of entries. */
#ifndef REACH_ENGINE_QUERY_ANSWERS_H
#define REACH_ENGINE_QUERY_ANSWERS_H

#include <stdint.h>

#include <reach/message.h>

#include "engine/state/batch.h"

#pragma GCC visibility push(hidden)

struct reach_engine;

/* Takes @message, which may be (a part of) the answer to a request of the batch
 * in flight, and is ignored otherwise. @return 0 or -ENOMEM. */
int reach_questions_answer(struct reach_engine *engine,
			   const struct reach_message *message);

/* Makes the answers to @question those of its entry, and of those that wait for
 * them, though a second lookup was called for. @error: positive errno in place
 * of theirs, or 0. */
void reach_answers_stand(struct reach_engine *engine,
			 const struct reach_question *question, uint16_t error);

/* Answers were lost: ends the batch in flight, and marks what it asked for
 * again. After REACH_PATIENCE losses in a row the answers that are missing
 * count as errors (EIO). */
void reach_questions_lost(struct reach_engine *engine);

#pragma GCC visibility pop

#endif
