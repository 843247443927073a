/* SPDX-License-Identifier: MIT */
/* Dumps into their tables. */
#ifndef REACH_ENGINE_QUERY_DUMPS_H
#define REACH_ENGINE_QUERY_DUMPS_H

#include <stdint.h>

#include <reach/message.h>

#pragma GCC visibility push(hidden)

struct reach_engine;

/* Dumps interrupted, or batches lost, in a row before they are taken as they
 * are: a machine that never rests must not keep us from an answer. */
#define REACH_PATIENCE 8

void reach_dump_begin(struct reach_engine *engine, uint8_t kind);

/* Asks for the dump of @kind (once more). */
void reach_dump_want(struct reach_engine *engine, uint8_t kind);

/* Takes a link or an address that is there. @return whether it changed
 * anything, or -ENOMEM. */
int reach_dump_apply(struct reach_engine *engine,
		     const struct reach_message *message);

/* Takes a message of the running dump. @return 0 or -ENOMEM. */
int reach_dump_take(struct reach_engine *engine, uint8_t kind,
		    const struct reach_message *message);

#pragma GCC visibility pop

#endif
