/* SPDX-License-Identifier: MIT */
/*
 * Door of engine/: what the monitor needs of the engine beside
 * <reach/internal/engine.h>.
 */
#ifndef REACH_ENGINE_ENGINE_H
#define REACH_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <reach/internal/engine.h>
#include <reach/internal/message.h>

#include "base/base.h"
#include "engine/invalidate/invalidate.h"
#include "engine/query/query.h"
#include "engine/state/state.h"
#include "filter/filter.h"
#include "host/host.h"

#pragma GCC visibility push(hidden)

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

/* Copies the addresses of name target @from, if any, to @to. With @failures it
 * also copies a failure. Both have the same name and family.
 * @return 0 or -ENOMEM. */
int reach_engine_share_resolution(struct reach_engine *engine, uint64_t from,
				  uint64_t to, bool failures);

/* The entry of target @id, once it has a state. @return 0, -ENOENT or -EAGAIN. */
int reach_entry_find(const struct reach_engine *engine, uint64_t id,
		     const struct reach_entry **ret);

/* The additions of reach_monitor_explain(): the first of two lookups and the
 * policy rule, which need requests of their own. In all functions, @position is
 * `position` of the target's explanation, which must have an address. */

#define REACH_EXPLANATION_SIZE_1_0                                             \
	REACH_SIZE_TO(struct reach_explanation, is_leak)

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

/* Writes the first of two lookups of the address to @buffer, which has room for
 * 112 bytes and is aligned to 4, or nothing if one was enough. @return its
 * length. */
size_t reach_explain_request(const struct reach_engine *engine, uint64_t id,
			     uint32_t position, uint32_t sequence,
			     void *buffer);

/* Adds the answer to that lookup. */
void reach_explain_take(const struct reach_engine *engine, uint64_t id,
			const struct reach_message *message,
			struct reach_explanation *ret);

void reach_explain_selectors(const struct reach_engine *engine, uint64_t id,
			     const struct reach_explanation *explanation,
			     struct reach_explain_flow *ret);

/* Finds the policy rule that a lookup took (fib_rules_lookup(),
 * net/core/fib_rules.c) in a dump of the policy (reach_request_dump()). The kernel
 * dumps them in the order in which it evaluates them. */

struct reach_explain_rules {
	const struct reach_explain_flow *flow;
	struct reach_explanation *ret;
	/* FR_ACT_GOTO: rules with a lower priority value are skipped. */
	uint32_t skip_to;
	bool found;
};

void reach_explain_rule(struct reach_explain_rules *rules,
			const struct reach_rule_message *rule);

/* Functions for the monitor beyond the public ones: the only header of the
 * engine that other folders include (.ci/layers). The monitor reads the engine's
 * links, its counts of network changes, and `uncertain`. It sets `settings`, and
 * counts in `stats`. */

/* An engine for one verdict: it requests only the links and addresses that the
 * verdict needs, and takes no events (query/query.h). The caller destroys it.
 * @return 0 or -ENOMEM. */
int reach_engine_create_oneshot(struct reach_engine **ret);

/* The destinations that are looked up. The filter on the event socket may drop
 * events that concern none of them. */

struct reach_interest {
	/* Counts those that came. */
	uint64_t added;
	/* Number of destinations. */
	size_t count;
	/* Families whose lookups consult only the stock tables, so that events
	 * of other tables can be dropped: REACH_FILTER_STOCK bits. */
	uint8_t stock;
};

struct reach_interest reach_engine_interest(const struct reach_engine *engine);

/* Writes the filter program for all destinations (filter/filter.h). If they need
 * more than @capacity instructions, they share shorter prefixes, and all routes
 * inside these pass. @length is set to the number of instructions. @return 0,
 * -ENOMEM, or -ENOSPC if @capacity is too small for any correct program. */
int reach_interest_filter(const struct reach_engine *engine,
			  struct sock_filter *program, size_t capacity,
			  size_t *length);

/* Whether the next requests depend on `settings`, which the caller sets. */
bool reach_engine_wants_settings(const struct reach_engine *engine);

/* Name target @id, owned by the engine; NULL for any other target. */
const struct reach_target *reach_engine_name(const struct reach_engine *engine,
					     uint64_t id);

#pragma GCC visibility pop

#endif
