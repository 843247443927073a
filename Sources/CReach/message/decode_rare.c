/* SPDX-License-Identifier: MIT */
/* Decoders of rare messages, written for size: policy rules and netconf. */
#include "message/message.h"

#include <errno.h>
#include <stddef.h>

#include <linux/netconf.h>

#include "base/kernel.h"

/* Calls @decode for each attribute after a fixed header. An attribute that does
 * not fit ends the walk without an error, like in mnl_attr_parse(). */
static int walk_tail(const struct nlmsghdr *nlh, size_t fixed,
		     bool (*decode)(const struct nlattr *attr, void *body),
		     void *body)
{
	struct reach_attributes walk = reach_attributes_of(nlh, fixed);
	const struct nlattr *attr;

	while ((attr = reach_attributes_next(&walk)))
		if (!decode(attr, body))
			return -EBADMSG;
	return 1;
}

static bool uid_range(const struct nlattr *attr,
		      struct reach_rule_message *rule)
{
	struct fib_rule_uid_range range;

	if (reach_attribute_size(attr) < sizeof(range))
		return false;
	memcpy(&range, reach_attribute_data(attr), sizeof(range));
	rule->first_uid = range.start;
	rule->last_uid = range.end;
	return true;
}

/* Unknown attributes count as selectors: a rule read as broader than it is
 * would give wrong verdicts. */
static bool rule_selector(const struct nlattr *attr,
			  struct reach_rule_message *rule)
{
	switch (reach_attribute_type(attr)) {
	case FRA_DST:
		return reach_attribute_address(attr, rule->family,
					       &rule->destination);
	case FRA_SRC:
		return reach_attribute_address(attr, rule->family,
					       &rule->source);
	case FRA_IIFNAME:
		reach_attribute_string(attr, rule->input);
		return true;
	case FRA_OIFNAME:
		reach_attribute_string(attr, rule->output);
		return true;
	case FRA_FWMARK:
		return reach_attribute_u32(attr, &rule->mark);
	case FRA_FWMASK:
		return reach_attribute_u32(attr, &rule->mark_mask);
	case FRA_UID_RANGE:
		return uid_range(attr, rule);
	case FRA_L3MDEV:
		return reach_attribute_u8(attr, &rule->vrf);
	case FRA_IP_PROTO:
		return reach_attribute_u8(attr, &rule->protocol);
	default:
		rule->others++;
		return true;
	}
}

static bool rule_attribute(const struct nlattr *attr, void *body)
{
	struct reach_rule_message *rule = body;

	switch (reach_attribute_type(attr)) {
	case FRA_PAD:
	case FRA_FLOW:
	case FRA_PROTOCOL:
		return true;
	case FRA_PRIORITY:
		return reach_attribute_u32(attr, &rule->priority);
	case FRA_TABLE:
		return reach_attribute_u32(attr, &rule->table);
	case FRA_GOTO:
		return reach_attribute_u32(attr, &rule->target);
	case FRA_SUPPRESS_PREFIXLEN:
		return reach_attribute_u32(
			attr, (uint32_t *)&rule->suppress_prefix_length);
	case FRA_SUPPRESS_IFGROUP:
		return reach_attribute_u32(attr,
					   (uint32_t *)&rule->suppress_group);
	default:
		return rule_selector(attr, rule);
	}
}

int reach_decode_rule(const struct nlmsghdr *nlh, struct reach_message *ret)
{
	struct reach_rule_message *rule = &ret->u.rule;
	const struct fib_rule_hdr *frh = NLMSG_DATA(nlh);

	if (nlh->nlmsg_len < NLMSG_LENGTH(sizeof(*frh)))
		return -EBADMSG;
	if (frh->family != AF_INET && frh->family != AF_INET6)
		return 1;
	memset(rule, 0, sizeof(*rule));
	rule->family = frh->family;
	rule->destination_length = frh->dst_len;
	rule->source_length = frh->src_len;
	rule->tos = frh->tos;
	rule->action = frh->action;
	rule->suppress_prefix_length = -1;
	rule->suppress_group = -1;
	rule->last_uid = UINT32_MAX;
	rule->flags = frh->flags;
	rule->table = frh->table;
	ret->kind = REACH_MESSAGE_RULE;
	return walk_tail(nlh, sizeof(*frh), rule_attribute, rule);
}

static bool netconf_attribute(const struct nlattr *attr, void *body)
{
	struct reach_netconf_message *netconf = body;

	switch (reach_attribute_type(attr)) {
	case NETCONFA_IFINDEX:
		return reach_attribute_u32(
			attr, (uint32_t *)&netconf->interface_index);
	case NETCONFA_IGNORE_ROUTES_WITH_LINKDOWN:
		return reach_attribute_u32(
			attr,
			(uint32_t *)&netconf->ignore_routes_with_linkdown);
	default:
		return true;
	}
}

int reach_decode_netconf(const struct nlmsghdr *nlh, struct reach_message *ret)
{
	struct reach_netconf_message *netconf = &ret->u.netconf;
	const struct netconfmsg *ncm = NLMSG_DATA(nlh);

	if (nlh->nlmsg_len < NLMSG_LENGTH(sizeof(*ncm)))
		return -EBADMSG;
	memset(netconf, 0, sizeof(*netconf));
	netconf->family = ncm->ncm_family;
	netconf->ignore_routes_with_linkdown = -1;
	ret->kind = REACH_MESSAGE_NETCONF;
	return walk_tail(nlh, sizeof(*ncm), netconf_attribute, netconf);
}
