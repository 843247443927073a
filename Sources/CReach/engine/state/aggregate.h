/* SPDX-License-Identifier: MIT */
/* Aggregates: targets with several addresses, or none, and one verdict. */
#ifndef REACH_ENGINE_STATE_AGGREGATE_H
#define REACH_ENGINE_STATE_AGGREGATE_H

#include <stdint.h>

#include "base/verdict.h"
#include "engine/store/entries.h"

#pragma GCC visibility push(hidden)

struct reach_engine;

/* Verdict of aggregate @number from those of its parts. */
struct reach_verdict reach_aggregate_verdict(const struct reach_engine *engine,
					     uint32_t number);

#pragma GCC visibility pop

#endif
