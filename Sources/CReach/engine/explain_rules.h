/* SPDX-License-Identifier: MIT */
/* Which policy rule a lookup took (fib_rules_lookup(), net/core/fib_rules.c),
 * from a dump of the rules, which is in the order of their evaluation. */
#ifndef REACH_ENGINE_EXPLAIN_RULES_H
#define REACH_ENGINE_EXPLAIN_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/explain.h"

#pragma GCC visibility push(hidden)

struct reach_explain_rules {
	const struct reach_explain_flow *flow;
	struct reach_explanation *ret;
	/* FR_ACT_GOTO: rules of lower priority values are jumped over. */
	uint32_t skip_to;
	bool found;
};

/* Writes a request for that dump; as reach_explain_request(). */
size_t reach_explain_rules_request(uint8_t family, uint32_t sequence,
				   void *buffer);

void reach_explain_rule(struct reach_explain_rules *rules,
			const struct reach_rule_message *rule);

#pragma GCC visibility pop

#endif
