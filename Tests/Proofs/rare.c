/* SPDX-License-Identifier: MIT */
/*
 * The functions that read an attribute of a rare message, for any attribute and
 * any state of the result. Together with the walk (attributes.c), this covers
 * messages of any length.
 */
#include "attribute.h"

#include "message/decode_rare.c"

void proof_rule(void)
{
	struct reach_rule_message rule;

	__CPROVER_assume(rule.family == AF_INET || rule.family == AF_INET6);
	__CPROVER_assume(rule.others < UINT32_MAX);
	(void)rule_attribute(any_attribute(), &rule);
}

void proof_netconf(void)
{
	struct reach_netconf_message netconf;

	(void)netconf_attribute(any_attribute(), &netconf);
}
