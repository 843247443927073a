/* SPDX-License-Identifier: MIT */
#ifndef REACH_ENGINE_INVALIDATE_CONFIRM_H
#define REACH_ENGINE_INVALIDATE_CONFIRM_H

#pragma GCC visibility push(hidden)

struct reach_engine;

/* Marks who is doubted, if that is due. */
void reach_confirm_due(struct reach_engine *engine);

#pragma GCC visibility pop

#endif
