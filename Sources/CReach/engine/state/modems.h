/* SPDX-License-Identifier: MIT */
/* Modems that the caller reports (reach/modem.h). What they make of a verdict
 * is in verdict.c. */
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
