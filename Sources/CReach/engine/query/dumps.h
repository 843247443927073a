/* SPDX-License-Identifier: MIT */
/* Dumps of links, addresses, rules, settings and IPv4 table default. */
#ifndef REACH_ENGINE_QUERY_DUMPS_H
#define REACH_ENGINE_QUERY_DUMPS_H

#include <stdint.h>

#include <reach/message.h>

#pragma GCC visibility push(hidden)

struct reach_engine;

/* How often in a row a dump may be interrupted, a batch lost, or a source
 * contradicted before the last result is used. A host that changes all the time
 * may never give a better one. */
#define REACH_PATIENCE 8

/* Takes the next due dump (enum reach_request_kind), REACH_REQUEST_NONE for
 * none. Rules and settings are due only with many entries, or once an event has
 * come (state/rules.c). */
uint8_t reach_dump_next(struct reach_engine *engine);

/* The dump of @kind (enum reach_request_kind) is about to be requested. One
 * runs at a time. */
void reach_dump_begin(struct reach_engine *engine, uint8_t kind);

/* Requests the dump of @kind, in one of the next batches. */
void reach_dump_want(struct reach_engine *engine, uint8_t kind);

/* Puts a link or an address from a dump or from the answer to a single request
 * into its table. @return positive if that changed the table, 0, or -ENOMEM. */
int reach_dump_apply(struct reach_engine *engine,
		     const struct reach_message *message);

/* Takes a message of the running dump. @return 0 or -ENOMEM. */
int reach_dump_take(struct reach_engine *engine, uint8_t kind,
		    const struct reach_message *message);

#pragma GCC visibility pop

#endif
