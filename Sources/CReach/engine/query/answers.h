/* SPDX-License-Identifier: MIT */
/* Turns the kernel's answers into the paths of entries. */
#ifndef REACH_ENGINE_QUERY_ANSWERS_H
#define REACH_ENGINE_QUERY_ANSWERS_H

#include <stdint.h>

#include <reach/message.h>

#include "engine/state/batch.h"

#pragma GCC visibility push(hidden)

struct reach_engine;
struct reach_second_lookup;

/* Takes @message if it answers a request of the batch in flight, wholly or in
 * part. Ignores any other. @return 0 or -ENOMEM. */
int reach_lookups_answer(struct reach_engine *engine,
			 const struct reach_message *message);

/* Ends @second without a second lookup: the first answer stands, with the
 * source or the error that the caller supplied. Attaches it to the entry, its
 * duplicates, and its followers. */
void reach_answers_stand(struct reach_engine *engine,
			 const struct reach_second_lookup *second);

/* Ends the batch in flight after a loss of answers, and marks its subjects
 * again. After REACH_PATIENCE losses in a row, missing answers count as errors
 * (EIO). */
void reach_lookups_lost(struct reach_engine *engine);

#pragma GCC visibility pop

#endif
