/* SPDX-License-Identifier: MIT */
/* Addresses of names. include/reach/engine.h declares the functions that take
 * the resolver's results. */
#ifndef REACH_ENGINE_TARGETS_RESOLUTION_H
#define REACH_ENGINE_TARGETS_RESOLUTION_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct reach_engine;

/* Copies the addresses of the name with entry @from, if any, to the name with
 * entry @to. With @failures, also copies the failure of a name without
 * addresses. @return 0 or -ENOMEM. */
int reach_resolution_share(struct reach_engine *engine, uint32_t from,
			   uint32_t to, bool failures);

#pragma GCC visibility pop

#endif
