/* SPDX-License-Identifier: MIT */
/* Targets to entries. */
#ifndef REACH_ENGINE_TARGETS_TARGETS_H
#define REACH_ENGINE_TARGETS_TARGETS_H

#include <stddef.h>
#include <stdint.h>

#include <reach/target.h>

#pragma GCC visibility push(hidden)

struct reach_engine;

/* Creates what a normalised target needs. @return 0 or -ENOMEM. */
int reach_targets_insert(struct reach_engine *engine,
			 const struct reach_target *target, uint32_t *ret);
/* The target's entry, or REACH_NO_ENTRY. */
uint32_t reach_targets_find(const struct reach_engine *engine, uint64_t id);
uint64_t reach_targets_id(const struct reach_engine *engine, uint32_t number);
void reach_targets_remove(struct reach_engine *engine, uint32_t number);
void reach_targets_free(struct reach_engine *engine);

/* Replaces a aggregate's parts by one for each address, or, while there is
 * none known, by what its kind needs. */
int reach_targets_look_up(struct reach_engine *engine, uint32_t number,
			  const struct reach_address *addresses, size_t count);
int reach_targets_prepare(struct reach_engine *engine, uint32_t number);

#pragma GCC visibility pop

#endif
