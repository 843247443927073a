/* SPDX-License-Identifier: MIT */
/* Addresses of names; include/reach/engine.h has the results of the resolver.
 */
#ifndef REACH_ENGINE_TARGETS_RESOLUTION_H
#define REACH_ENGINE_TARGETS_RESOLUTION_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct reach_engine;

/* Copies the addresses of the name with entry @from, if any, to the name with
 * entry @to. With @failures, copies its failure if it has none. @return 0 or
 * -ENOMEM. */
int reach_resolution_share(struct reach_engine *engine, uint32_t from,
			   uint32_t to, bool failures);

#pragma GCC visibility pop

#endif
