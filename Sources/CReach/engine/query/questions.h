/* SPDX-License-Identifier: MIT */
/* Marked entries to requests. */
#ifndef REACH_ENGINE_QUERY_QUESTIONS_H
#define REACH_ENGINE_QUERY_QUESTIONS_H

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

struct reach_engine;

/* Fills @buffer with the next batch; the bytes written. */
size_t reach_questions_write(struct reach_engine *engine, void *buffer,
			     size_t size);

/* Whether few will be asked if the next batch is made now, as far as that is
 * known before. */
bool reach_engine_asks_little(const struct reach_engine *engine);

#pragma GCC visibility pop

#endif
