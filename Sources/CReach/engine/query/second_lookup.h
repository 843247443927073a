/* SPDX-License-Identifier: MIT */
/* Turns the due second lookups (state/second_lookups.h) into requests. */
#ifndef REACH_ENGINE_QUERY_SECOND_LOOKUP_H
#define REACH_ENGINE_QUERY_SECOND_LOOKUP_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct reach_engine;

/* Writes the due second lookups as a batch of their own. If one can't be made,
 * the entry keeps the first answer. @return the bytes written, 0 for none. */
size_t reach_second_lookups_write(struct reach_engine *engine, uint8_t *buffer);

#pragma GCC visibility pop

#endif
