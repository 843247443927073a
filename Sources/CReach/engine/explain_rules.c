/* SPDX-License-Identifier: MIT */
#include "engine/engine.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>

#include "base/base.h"
#include "engine/query/query.h"
#include "engine/state/state.h"

static bool is_in_prefix(const struct reach_address *address,
			 const struct reach_address *prefix, uint8_t length)
{
	return !length || (address->family == prefix->family &&
			   reach_address_in_prefix(address, prefix, length));
}

static bool is_name(const char *wanted, const char *name)
{
	return !wanted[0] || strcmp(wanted, name) == 0;
}

/* Lookups are for TCP (query/requests.c). */
static bool is_for_packets(const struct reach_rule_message *rule,
			   const struct reach_explain_flow *flow)
{
	return (!rule->protocol || rule->protocol == IPPROTO_TCP) &&
	       is_in_prefix(&flow->destination, &rule->destination,
			    rule->destination_length) &&
	       is_in_prefix(&flow->source, &rule->source, rule->source_length);
}

/* Whether all selectors agree with the flow, before the inversion. Packets of
 * this host come in through lo. */
static bool agrees(const struct reach_rule_message *rule,
		   const struct reach_explain_flow *flow)
{
	const uint32_t detached = FIB_RULE_IIF_DETACHED | FIB_RULE_OIF_DETACHED;

	return !rule->others && !rule->tos && !(rule->flags & detached) &&
	       is_for_packets(rule, flow) && is_name(rule->input, "lo") &&
	       is_name(rule->output, flow->output) &&
	       flow->uid >= rule->first_uid && flow->uid <= rule->last_uid &&
	       (!rule->vrf || flow->master) &&
	       !((rule->mark ^ flow->mark) & rule->mark_mask);
}

/* Whether the rule selects by a property that lookups lack. */
static bool is_ignored(const struct reach_rule_message *rule)
{
	return rule->others || rule->tos || rule->protocol ||
	       rule->suppress_group != -1;
}

/* Whether the lookup ended at this matching rule. */
static bool decides(const struct reach_rule_message *rule,
		    const struct reach_explanation *answer)
{
	switch (rule->action) {
	case FR_ACT_TO_TBL:
		if (answer->error || !answer->table)
			return false;
		if (answer->prefix_length != REACH_PREFIX_UNKNOWN &&
		    (int32_t)answer->prefix_length <=
			    rule->suppress_prefix_length)
			return false;
		/* The table of the VRF; the rule doesn't have its number. */
		return rule->vrf ? answer->table != RT_TABLE_MAIN &&
					   answer->table != RT_TABLE_LOCAL
				 : answer->table == rule->table;
	case FR_ACT_BLACKHOLE:
		return answer->error == EINVAL;
	case FR_ACT_UNREACHABLE:
		return answer->error == ENETUNREACH;
	case FR_ACT_PROHIBIT:
		return answer->error == EACCES;
	default:
		return false;
	}
}

void reach_explain_rule(struct reach_explain_rules *rules,
			const struct reach_rule_message *rule)
{
	struct reach_explanation *ret = rules->ret;

	ret->policy_count += !reach_policy_stock_bit(rule);
	ret->policy_ignored += is_ignored(rule);
	/* As fib_rule_match() (net/core/fib_rules.c). */
	if (rules->found || rule->priority < rules->skip_to ||
	    agrees(rule, rules->flow) == !!(rule->flags & FIB_RULE_INVERT))
		return;
	if (rule->action == FR_ACT_GOTO)
		rules->skip_to = rule->target;
	if (!decides(rule, ret))
		return;
	rules->found = true;
	ret->policy_action = rule->action;
	ret->policy_priority = rule->priority;
}
