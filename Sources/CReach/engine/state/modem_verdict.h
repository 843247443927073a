/* SPDX-License-Identifier: MIT */
/* The verdict of a target without a usable route, with the help of a modem. */
#ifndef REACH_ENGINE_STATE_MODEM_VERDICT_H
#define REACH_ENGINE_STATE_MODEM_VERDICT_H

#include <stdint.h>

#include <reach/modem.h>

#include "base/verdict.h"

#pragma GCC visibility push(hidden)

struct reach_engine;

/* The first modem of the highest rank for targets with these selectors, or
 * NULL. */
const struct reach_modem *reach_modem_best(const struct reach_engine *engine,
					   uint32_t selectors);

/* Verdict of a target with these selectors and no usable route: that of the
 * best modem, or @verdict if there is none. */
struct reach_verdict reach_verdict_by_modem(const struct reach_engine *engine,
					    uint32_t selectors,
					    struct reach_verdict verdict);

#pragma GCC visibility pop

#endif
