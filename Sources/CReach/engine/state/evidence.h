/* SPDX-License-Identifier: MIT */
/*
 * Which links need evidence from sysfs, since netlink doesn't show their class.
 * The engine's caller reads sysfs.
 */
#ifndef REACH_ENGINE_STATE_EVIDENCE_H
#define REACH_ENGINE_STATE_EVIDENCE_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

struct reach_engine;

/* Link @index is new, or may be another device now. Checks it for missing
 * evidence, with all unchecked links of a higher index. */
void reach_want_evidence(struct reach_engine *engine, uint32_t index);

#pragma GCC visibility pop

#endif
