/* SPDX-License-Identifier: MIT */
/* What questions carry beside the address. */
#ifndef REACH_ENGINE_STATE_SELECTORS_H
#define REACH_ENGINE_STATE_SELECTORS_H

#include <stdbool.h>
#include <stdint.h>

#include <reach/target.h>

#include "engine/store/pool.h"

#pragma GCC visibility push(hidden)

struct reach_engine;

/* What a question carries beside its address. Without padding. */
struct reach_selector_key {
	uint32_t interface_index;
	uint32_t mark;
	uint32_t uid;
	/* Of a link-local destination. */
	uint32_t scope_id;
	char interface_name[REACH_INTERFACE_NAME_SIZE];
	/* Of a pair. */
	struct reach_address local;
	/* Whether `local` is asked with. */
	uint64_t with_source;
};

struct reach_selectors {
	struct reach_record record;
	struct reach_selector_key key;
	/* The interface it is scoped to, as an index that exists, or 0. */
	uint32_t scope;
	/* It is scoped to one that does not exist. */
	bool missing;
	/* Its entries are to be asked because of that. */
	bool moved;
};

/* The selectors of @target's questions for @destination, held once more. */
uint32_t reach_selectors_hold(struct reach_engine *engine,
			      const struct reach_target *target,
			      const struct reach_address *destination);

const struct reach_selectors *
reach_selectors_at(const struct reach_engine *engine, uint32_t number);

bool reach_selectors_are_scoped(const struct reach_selectors *selectors);

/* Looks for the scopes anew, and sets `moved` where one did. @return whether
 * any did. */
bool reach_selectors_resolve(struct reach_engine *engine);

#pragma GCC visibility pop

#endif
