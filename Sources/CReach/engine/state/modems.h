/* SPDX-License-Identifier: MIT */
/* Modems that the caller reports (reach/modem.h). modem_verdict.h has their
 * effect on verdicts. */
#ifndef REACH_ENGINE_STATE_MODEMS_H
#define REACH_ENGINE_STATE_MODEMS_H

#include <stddef.h>

#include <reach/modem.h>

#pragma GCC visibility push(hidden)

struct reach_modems {
	struct reach_modem items[REACH_MODEMS_MAX];
	size_t count;
};

#pragma GCC visibility pop

#endif
