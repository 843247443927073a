/* SPDX-License-Identifier: MIT */
/* Finds the policy rule that a lookup took (fib_rules_lookup(),
 * net/core/fib_rules.c) in a dump of the rules. The kernel dumps them in the
 * order in which it evaluates them. */
#ifndef REACH_ENGINE_EXPLAIN_RULES_H
#define REACH_ENGINE_EXPLAIN_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/explain.h"

#pragma GCC visibility push(hidden)

struct reach_explain_rules {
	const struct reach_explain_flow *flow;
	struct reach_explanation *ret;
	/* FR_ACT_GOTO: rules with a lower priority value are skipped. */
	uint32_t skip_to;
	bool found;
};

/* Writes a request for that dump. @buffer and result as for
 * reach_explain_request(). */
size_t reach_explain_rules_request(uint8_t family, uint32_t sequence,
				   void *buffer);

void reach_explain_rule(struct reach_explain_rules *rules,
			const struct reach_rule_message *rule);

#pragma GCC visibility pop

#endif
