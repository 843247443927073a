/* SPDX-License-Identifier: MIT */
/* Links whose class sysfs may tell. */
#ifndef REACH_ENGINE_STATE_EVIDENCE_H
#define REACH_ENGINE_STATE_EVIDENCE_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

struct reach_engine;

/* The link @index has become, or may have become, another. */
void reach_want_evidence(struct reach_engine *engine, uint32_t index);

#pragma GCC visibility pop

#endif
