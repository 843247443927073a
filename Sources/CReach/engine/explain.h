/* SPDX-License-Identifier: MIT */
/* The additions of reach_monitor_explain(): the match and the policy rule,
 * which need lookups of their own. In all functions, @position is `position` of
 * the target's explanation, which must have an address. */
#ifndef REACH_ENGINE_EXPLAIN_H
#define REACH_ENGINE_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <reach/engine.h>
#include <reach/message.h>

#include "base/sized.h"

#pragma GCC visibility push(hidden)

#define REACH_EXPLANATION_SIZE_1_0                                             \
	REACH_SIZE_TO(struct reach_explanation, reserved)

/* The selectors of policy rules (struct flowi, include/net/flow.h). */
struct reach_explain_flow {
	struct reach_address destination;
	/* Family 0 for none. */
	struct reach_address source;
	/* The source is the target's own. */
	bool is_pair;
	/* Index of the interface that the lookup is bound to, or 0. */
	uint32_t interface_index;
	uint32_t mark;
	/* REACH_UID_CALLER, which the caller replaces before
	 * reach_explain_rule(). */
	uint32_t uid;
	/* Name of the interface that the lookup is bound to, or "". */
	char output[REACH_INTERFACE_NAME_SIZE];
	/* Index of its VRF, or of the bridge or bond, or 0. */
	uint32_t master;
};

/* Writes a match lookup of the address to @buffer, which has room for 112 bytes
 * and is aligned to 4. @return its length. */
size_t reach_explain_request(const struct reach_engine *engine, uint64_t id,
			     uint32_t position, uint32_t sequence,
			     void *buffer);

/* Writes the first of two lookups of the address, or nothing if one was enough.
 * Parameters and result as for reach_explain_request(). */
size_t reach_explain_first_request(const struct reach_engine *engine,
				   uint64_t id, uint32_t position,
				   uint32_t sequence, void *buffer);

/* Adds the answer to that lookup. */
void reach_explain_take_first(const struct reach_engine *engine,
			      const struct reach_message *message,
			      struct reach_explanation *ret);

/* Adds the answer to the match lookup, if it is the route of @ret. */
void reach_explain_take(const struct reach_engine *engine,
			const struct reach_message *message,
			struct reach_explanation *ret);

void reach_explain_selectors(const struct reach_engine *engine, uint64_t id,
			     uint32_t position, struct reach_explain_flow *ret);

#pragma GCC visibility pop

#endif
