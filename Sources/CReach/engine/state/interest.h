/* SPDX-License-Identifier: MIT */
/* The destinations that an engine asks for, for the socket filter. */
#ifndef REACH_ENGINE_INTEREST_H
#define REACH_ENGINE_INTEREST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <reach/engine.h>

#include "base/prefix.h"

#pragma GCC visibility push(hidden)

/* How often an address was first asked for that nobody else asks for, and how
 * often the last who asks for one went. */
struct reach_turnover {
	uint64_t added;
	uint64_t removed;
};

const struct reach_turnover *
reach_engine_turnover(const struct reach_engine *engine);

/* Whether @family is known to be looked up by the stock rules alone. */
bool reach_engine_has_stock_rules(const struct reach_engine *engine,
				  uint8_t family);

/* How many addresses are asked for, those of several targets several times. */
size_t reach_engine_asked(const struct reach_engine *engine);

/* Prefixes of @length bits, or its own if that is longer, that all are in who
 * are in @whole, in order and none twice. Their number, or -ENOSPC if it passes
 * @capacity. */
ssize_t reach_engine_destinations(const struct reach_engine *engine,
				  const struct reach_prefix *whole,
				  uint8_t length, struct reach_prefix *ret,
				  size_t capacity);

#pragma GCC visibility pop

#endif
