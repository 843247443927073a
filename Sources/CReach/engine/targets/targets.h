/* SPDX-License-Identifier: MIT */
/* Door of engine/targets/: targets, their destinations, addresses of names. */
#ifndef REACH_ENGINE_TARGETS_TARGETS_H
#define REACH_ENGINE_TARGETS_TARGETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <reach/target.h>

#pragma GCC visibility push(hidden)

struct reach_engine;

/* Addresses of names. <reach/internal/engine.h> declares the functions that take
 * the resolver's results. */

/* Copies the addresses of name target @from, if any, to @to. With @failures it
 * also copies a failure. Both have the same name and family.
 * @return 0 or -ENOMEM. */
int reach_engine_share_resolution(struct reach_engine *engine, uint64_t from,
				  uint64_t to, bool failures);

/* Targets. */

/* Creates the entry of @target, which is normalized, and copies it. Sets @ret to
 * its number. Its destinations are marked for lookup, unless their answers are
 * known. @return 0 or -ENOMEM. */
int reach_targets_insert(struct reach_engine *engine,
			 const struct reach_target *target, uint32_t *ret);
/* The entry of target @id, or REACH_NO_ENTRY. An id is the entry's generation
 * and number, so the id of a removed target is not found again. */
uint32_t reach_targets_find(const struct reach_engine *engine, uint64_t id);
uint64_t reach_targets_id(const struct reach_engine *engine, uint32_t number);
void reach_targets_remove(struct reach_engine *engine, uint32_t number);
/* Frees all entries, destinations, selectors and paths. */
void reach_targets_free(struct reach_engine *engine);

/* Replace the parts of aggregate @number, and mark it.
 * reach_targets_set_parts() creates one part per address, @count in all.
 * reach_targets_set_initial_parts() creates the parts that its kind needs
 * without a resolved name, usually probes. A resolved name keeps its own.
 * @return 0 or -ENOMEM, after which it has its old parts. */
int reach_targets_set_parts(struct reach_engine *engine, uint32_t number,
			    const struct reach_address *addresses,
			    size_t count);
int reach_targets_set_initial_parts(struct reach_engine *engine,
				    uint32_t number);

#pragma GCC visibility pop

#endif
