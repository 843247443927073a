/* SPDX-License-Identifier: MIT */
#include "engine/explain_rules.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>

#include "base/address.h"
#include "message/attributes.h"

struct rule {
	const struct reach_explain_flow *flow;
	uint32_t priority;
	uint32_t table;
	uint32_t target;
	uint32_t mark;
	uint32_t mask;
	/* Routes of a prefix no longer than this do not count; -1 for all. */
	int32_t suppress;
	uint8_t family;
	uint8_t action;
	uint8_t destination_length;
	uint8_t source_length;
	bool by_vrf;
	/* All selectors so far agree with the flow. */
	bool matches;
	/* It has a selector. */
	bool selects;
	/* It has one that lookups do not have. */
	bool ignored;
};

static uint32_t u32_of(const struct nlattr *attr)
{
	uint32_t value = 0;

	reach_attribute_u32(attr, &value);
	return value;
}

static bool is_in_prefix(const struct nlattr *attr,
			 const struct reach_address *address, uint8_t length)
{
	struct reach_address prefix;

	return address->family &&
	       reach_attribute_address(attr, (uint8_t)address->family,
				       &prefix) &&
	       reach_address_in_prefix(address, &prefix, length);
}

static bool is_name(const struct nlattr *attr, const char *name)
{
	const size_t size = reach_attribute_size(attr);

	return size && strnlen(reach_attribute_data(attr), size) < size &&
	       strcmp(reach_attribute_data(attr), name) == 0;
}

static bool has_uid(const struct nlattr *attr, uint32_t uid)
{
	struct fib_rule_uid_range range;

	if (reach_attribute_size(attr) < sizeof(range))
		return false;
	memcpy(&range, reach_attribute_data(attr), sizeof(range));
	if (uid == REACH_UID_CALLER)
		uid = getuid();
	return uid >= range.start && uid <= range.end;
}

/* IPv4 lookups are of UDP unless they name another protocol; those of IPv6 have
 * none (inet_rtm_getroute(), net/ipv4/route.c). */
static bool is_lookup_protocol(uint8_t family, const struct nlattr *attr)
{
	uint8_t protocol;

	return family == AF_INET && reach_attribute_u8(attr, &protocol) &&
	       protocol == IPPROTO_UDP;
}

/* Narrows @rule by a selector that a lookup has not. */
static void ignore(struct rule *rule)
{
	rule->matches = false;
	rule->selects = true;
	rule->ignored = true;
}

static void select_by(struct rule *rule, bool matches)
{
	rule->selects = true;
	rule->matches &= matches;
}

/* Applies an attribute that selects. */
static void take_selector(struct rule *rule, const struct nlattr *attr)
{
	const struct reach_explain_flow *flow = rule->flow;

	switch (reach_attribute_type(attr)) {
	case FRA_DST:
		select_by(rule, is_in_prefix(attr, &flow->destination,
					     rule->destination_length));
		break;
	case FRA_SRC:
		select_by(rule, is_in_prefix(attr, &flow->source,
					     rule->source_length));
		break;
	/* Packets of this host come in by lo. */
	case FRA_IIFNAME:
		select_by(rule, is_name(attr, "lo"));
		break;
	case FRA_OIFNAME:
		select_by(rule, is_name(attr, flow->output));
		break;
	case FRA_UID_RANGE:
		select_by(rule, has_uid(attr, flow->uid));
		break;
	case FRA_L3MDEV:
		rule->by_vrf = true;
		select_by(rule, flow->master != 0);
		break;
	case FRA_IP_PROTO:
		rule->ignored = true;
		select_by(rule, is_lookup_protocol(rule->family, attr));
		break;
	default:
		ignore(rule);
		break;
	}
}

/* Applies an attribute that says what the rule does; others select. */
static void take_attribute(struct rule *rule, const struct nlattr *attr)
{
	switch (reach_attribute_type(attr)) {
	case FRA_PRIORITY:
		rule->priority = u32_of(attr);
		break;
	case FRA_TABLE:
		rule->table = u32_of(attr);
		break;
	case FRA_GOTO:
		rule->target = u32_of(attr);
		break;
	case FRA_SUPPRESS_PREFIXLEN:
		rule->suppress = (int32_t)u32_of(attr);
		break;
	case FRA_SUPPRESS_IFGROUP:
		rule->ignored |= u32_of(attr) != UINT32_MAX;
		break;
	case FRA_FWMARK:
		rule->mark = u32_of(attr);
		break;
	case FRA_FWMASK:
		rule->mask = u32_of(attr);
		break;
	case FRA_PROTOCOL:
	case FRA_FLOW:
	case FRA_PAD:
		break;
	default:
		take_selector(rule, attr);
		break;
	}
}

static struct rule read_rule(const struct reach_explain_flow *flow,
			     const struct nlmsghdr *header)
{
	const struct fib_rule_hdr *body = NLMSG_DATA(header);
	const uint32_t detached = FIB_RULE_IIF_DETACHED | FIB_RULE_OIF_DETACHED;
	struct rule rule = {
		.flow = flow,
		.table = body->table,
		.suppress = -1,
		.family = body->family,
		.action = body->action,
		.destination_length = body->dst_len,
		.source_length = body->src_len,
		.matches = true,
	};
	struct reach_attributes walk =
		reach_attributes_of(header, sizeof(*body));
	const struct nlattr *attr;

	while ((attr = reach_attributes_next(&walk)))
		take_attribute(&rule, attr);
	if (body->tos)
		ignore(&rule);
	if (rule.mark || rule.mask)
		select_by(&rule, !((rule.mark ^ flow->mark) & rule.mask));
	/* Before the inversion, as fib_rule_match() (net/core/fib_rules.c). */
	if (body->flags & detached)
		rule.matches = false;
	if (body->flags & FIB_RULE_INVERT)
		rule.matches = !rule.matches;
	return rule;
}

static bool is_stock(const struct rule *rule)
{
	return !rule->selects && rule->action == FR_ACT_TO_TBL &&
	       ((rule->priority == 0 && rule->table == RT_TABLE_LOCAL) ||
		(rule->priority == 32766 && rule->table == RT_TABLE_MAIN) ||
		(rule->priority == 32767 && rule->table == RT_TABLE_DEFAULT));
}

/* Whether a rule that matches is where the lookup ended. */
static bool decides(const struct rule *rule,
		    const struct reach_explanation *answer)
{
	switch (rule->action) {
	case FR_ACT_TO_TBL:
		if (answer->error || !answer->table)
			return false;
		if (answer->prefix_length != REACH_PREFIX_UNKNOWN &&
		    (int32_t)answer->prefix_length <= rule->suppress)
			return false;
		/* The table of the VRF, whose number the rule does not have. */
		return rule->by_vrf ? answer->table != RT_TABLE_MAIN &&
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
			const struct nlmsghdr *header)
{
	struct reach_explanation *ret = rules->ret;
	struct rule rule;

	if (header->nlmsg_len < NLMSG_HDRLEN + sizeof(struct fib_rule_hdr))
		return;
	rule = read_rule(rules->flow, header);
	ret->policy_count += !is_stock(&rule);
	ret->policy_ignored += rule.ignored;
	if (rules->found || rule.priority < rules->skip_to || !rule.matches)
		return;
	if (rule.action == FR_ACT_GOTO)
		rules->skip_to = rule.target;
	if (!decides(&rule, ret))
		return;
	rules->found = true;
	ret->policy_action = rule.action;
	ret->policy_priority = rule.priority;
}
