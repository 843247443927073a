/* SPDX-License-Identifier: MIT */
/* Turns dirty entries into a batch of requests. */
#ifndef REACH_ENGINE_QUERY_LOOKUPS_H
#define REACH_ENGINE_QUERY_LOOKUPS_H

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

struct reach_engine;

/* Writes the next batch of requests, a dump or lookups, to @buffer of at least
 * REACH_REQUESTS_SIZE bytes. @return the bytes written; 0 while answers to the
 * last batch are missing, and when nothing is due. */
size_t reach_lookups_write(struct reach_engine *engine, void *buffer,
			   size_t size);

/* Whether the next batch, written now, is certain to be short. Then the monitor
 * writes it after the first event, without receiving more. */
bool reach_engine_asks_little(const struct reach_engine *engine);

#pragma GCC visibility pop

#endif
