/* SPDX-License-Identifier: MIT */
/* Answers to paths. */
#ifndef REACH_ENGINE_QUERY_ANSWERS_H
#define REACH_ENGINE_QUERY_ANSWERS_H

#include <reach/message.h>

#pragma GCC visibility push(hidden)

struct reach_engine;

/* Takes a message of an answer. @return 0 or -ENOMEM. */
int reach_questions_answer(struct reach_engine *engine,
			   const struct reach_message *message);

/* Forgets all that is on its way and marks its targets again; after several
 * losses in a row the answers that are missing count as refused. */
void reach_questions_lost(struct reach_engine *engine);

#pragma GCC visibility pop

#endif
