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

void proof_nexthop(void)
{
	struct reach_nexthop_message nexthop;

	(void)nexthop_attribute(any_attribute(), &nexthop);
}

void proof_netconf(void)
{
	struct reach_netconf_message netconf;

	(void)netconf_attribute(any_attribute(), &netconf);
}

void proof_error(void)
{
	struct reach_error_message error;

	(void)error_attribute(any_attribute(), &error);
}

/* The size of an echoed request fits in an int. */
void proof_echo(void)
{
	const uint32_t size = nondet_u32();
	struct nlmsghdr *nlh;
	size_t echo = 7;

	__CPROVER_assume(size >= NLMSG_HDRLEN + sizeof(struct nlmsgerr) &&
			 size <= INT_MAX);
	nlh = bytes_of(size);
	nlh->nlmsg_len = size;
	if (echo_size(nlh, &echo))
		assert(echo <= size + 3);
}
