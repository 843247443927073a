/* SPDX-License-Identifier: MIT */
/* The policy rule that a lookup took, from a dump of the rules. */
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>

#include "check.h"
#include "engine/engine.h"

struct policy {
	uint32_t priority;
	uint32_t table;
	uint8_t action;
	/* A selector, FRA_* or 0 for none, and its value. */
	uint16_t type;
	uint32_t value;
	bool inverted;
};

static void put_selector(struct nlmsghdr *header, struct fib_rule_hdr *body,
			 const struct policy *policy)
{
	const struct fib_rule_uid_range range = { policy->value,
						  policy->value + 9 };

	switch (policy->type) {
	case FRA_DST:
	case FRA_SRC:
		*(policy->type == FRA_DST ? &body->dst_len : &body->src_len) =
			24;
		mnl_attr_put(header, policy->type, 4,
			     (uint8_t[]){ (uint8_t)policy->value, 0, 2, 0 });
		break;
	case FRA_UID_RANGE:
		mnl_attr_put(header, FRA_UID_RANGE, sizeof(range), &range);
		break;
	case FRA_IIFNAME:
	case FRA_OIFNAME:
		mnl_attr_put_strz(header, policy->type,
				  policy->value ? "lo" : "eth7");
		break;
	case FRA_IP_PROTO:
	case FRA_L3MDEV:
		mnl_attr_put_u8(header, policy->type, (uint8_t)policy->value);
		break;
	case FRA_FWMARK:
		mnl_attr_put_u32(header, FRA_FWMASK, UINT32_MAX);
		mnl_attr_put_u32(header, policy->type, policy->value);
		break;
	default:
		mnl_attr_put_u32(header, policy->type, policy->value);
		break;
	}
}

static void take_of(struct reach_explain_rules *rules, uint8_t family,
		    const struct policy *policy)
{
	_Alignas(8) uint8_t buffer[256] = { 0 };
	struct nlmsghdr *header = mnl_nlmsg_put_header(buffer);
	struct reach_message message;
	struct fib_rule_hdr *body;
	size_t offset = 0;

	header->nlmsg_type = RTM_NEWRULE;
	body = mnl_nlmsg_put_extra_header(header, sizeof(*body));
	body->family = family;
	body->action = policy->action ? policy->action : FR_ACT_TO_TBL;
	body->flags = policy->inverted ? FIB_RULE_INVERT : 0;
	mnl_attr_put_u32(header, FRA_PRIORITY, policy->priority);
	mnl_attr_put_u32(header, FRA_TABLE, policy->table);
	if (policy->type)
		put_selector(header, body, policy);
	if (reach_message_decode(buffer, header->nlmsg_len, &offset,
				 &message) == 1)
		reach_explain_rule(rules, &message.u.rule);
}

static void take(struct reach_explain_rules *rules, const struct policy *policy)
{
	take_of(rules, AF_INET, policy);
}

static const struct row {
	struct policy policy;
	bool inet6;
	bool found;
	/* It selects by what the lookup doesn't have. */
	bool ignored;
	/* It is the stock rule of table main, which doesn't count. */
	bool stock;
} rows[] = {
	{ { 100, 7, 0, 0, 0, false }, .found = true },
	{ { 100, 8, 0, 0, 0, false }, .found = false },
	{ { 100, 7, 0, FRA_FWMARK, 5, false }, .found = true },
	{ { 100, 7, 0, FRA_FWMARK, 6, false }, .found = false },
	{ { 100, 7, 0, FRA_FWMARK, 6, true }, .found = true },
	{ { 100, 7, 0, FRA_DST, 192, false }, .found = true },
	{ { 100, 7, 0, FRA_DST, 193, false }, .found = false },
	{ { 100, 7, 0, FRA_SRC, 192, false }, .found = false },
	{ { 100, 7, 0, FRA_UID_RANGE, 1000, false }, .found = true },
	{ { 100, 7, 0, FRA_UID_RANGE, 2000, false }, .found = false },
	{ { 100, 7, 0, FRA_IIFNAME, 1, false }, .found = true },
	{ { 100, 7, 0, FRA_IIFNAME, 0, false }, .found = false },
	{ { 100, 7, 0, FRA_OIFNAME, 0, false }, .found = false },
	{ { 100, 7, 0, FRA_L3MDEV, 1, false }, .found = false },
	{ { 100, 7, 0, FRA_IP_PROTO, 17, false }, .ignored = true },
	{ { 100, 7, 0, FRA_IP_PROTO, 6, false },
	  .found = true,
	  .ignored = true },
	{ { 100, 7, 0, FRA_SPORT_RANGE, 80, false }, .ignored = true },
	{ { 100, 7, 0, FRA_SUPPRESS_PREFIXLEN, 0, false }, .found = true },
	{ { 100, 7, 0, FRA_SUPPRESS_PREFIXLEN, 24, false }, .found = false },
	{ { 100, 7, FR_ACT_PROHIBIT, 0, 0, false }, .found = false },
	/* Lookups of IPv6 are for TCP, too. */
	{ { 100, 7, 0, 0, 0, false }, .inet6 = true, .found = true },
	{ { 100, 7, 0, FRA_IP_PROTO, 17, false },
	  .inet6 = true,
	  .ignored = true },
	{ { 100, 7, 0, FRA_IP_PROTO, 6, false },
	  .inet6 = true,
	  .found = true,
	  .ignored = true },
	{ { 100, 7, 0, FRA_IP_PROTO, 17, true },
	  .inet6 = true,
	  .found = true,
	  .ignored = true },
	/* A selector or another option makes the stock rule another one. */
	{ { 32766, RT_TABLE_MAIN, 0, 0, 0, false }, .stock = true },
	{ { 32766, RT_TABLE_MAIN, 0, FRA_SUPPRESS_PREFIXLEN, UINT32_MAX,
	    false },
	  .stock = true },
	{ { 32766, RT_TABLE_MAIN, 0, 0, 0, true }, .stock = false },
	{ { 32766, RT_TABLE_MAIN, 0, FRA_SUPPRESS_PREFIXLEN, 0, false },
	  .stock = false },
	{ { 32766, RT_TABLE_MAIN, 0, FRA_SUPPRESS_IFGROUP, 0, false },
	  .ignored = true },
	{ { 32766, RT_TABLE_MAIN, 0, FRA_IIFNAME, 1, false }, .stock = false },
	{ { 32766, RT_TABLE_MAIN, 0, FRA_UID_RANGE, 0, false },
	  .stock = false },
};

static void rules_are_matched_as_by_a_lookup(const struct row *row)
{
	const struct reach_explain_flow flow = {
		.destination = { .family = row->inet6 ? AF_INET6 : AF_INET,
				 .bytes = { 192, 0, 2, 1 } },
		.mark = 5,
		.uid = 1003,
	};
	struct reach_explanation ret = { .table = 7, .prefix_length = 24 };
	struct reach_explain_rules rules = { .flow = &flow, .ret = &ret };

	take_of(&rules, (uint8_t)flow.destination.family, &row->policy);
	if (!CHECK(rules.found == row->found) ||
	    !CHECK(ret.policy_ignored == row->ignored) ||
	    !CHECK(ret.policy_count == !row->stock))
		fprintf(stderr, "row %td\n", row - rows);
}

static void rules_are_in_order(void)
{
	const struct reach_explain_flow flow = {
		.destination = { .family = AF_INET, .bytes = { 192, 0, 2, 1 } },
	};
	struct reach_explanation ret = {
		.table = RT_TABLE_MAIN,
		.prefix_length = REACH_PREFIX_UNKNOWN,
	};
	struct reach_explain_rules rules = { .flow = &flow, .ret = &ret };
	struct reach_explanation refused = { .error = EACCES };
	struct reach_explain_rules others = { .flow = &flow, .ret = &refused };

	take(&rules, &(struct policy){ .table = RT_TABLE_LOCAL });
	take(&rules,
	     &(struct policy){ 50, 0, FR_ACT_GOTO, FRA_GOTO, 32766, false });
	take(&rules, &(struct policy){ 60, RT_TABLE_MAIN, 0, 0, 0, false });
	take(&rules, &(struct policy){ 32766, RT_TABLE_MAIN, 0, 0, 0, false });
	take(&rules, &(struct policy){ 40000, RT_TABLE_MAIN, 0, 0, 0, false });
	CHECK(ret.policy_priority == 32766);
	CHECK(ret.policy_action == FR_ACT_TO_TBL);
	CHECK(ret.policy_count == 3);
	take(&others, &(struct policy){ .table = RT_TABLE_LOCAL });
	take(&others, &(struct policy){ 70, 0, FR_ACT_PROHIBIT, 0, 0, false });
	CHECK(refused.policy_priority == 70);
	CHECK(refused.policy_action == FR_ACT_PROHIBIT);
}

void test_explain_rules(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		rules_are_matched_as_by_a_lookup(&rows[i]);
	rules_are_in_order();
}
