/* SPDX-License-Identifier: MIT */
/* The yardstick of truth: the same structs filled by libmnl, with
 * mnl_cb_run(), mnl_attr_parse() and a table of attributes. */
#include <asm/param.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <string.h>

#include <libmnl/libmnl.h>

#include "digest.h"

/* What mnl_attr_parse() fills, and what it is to check. */
struct table {
	const uint8_t *types;
	uint16_t max;
	const struct nlattr **attributes;
};

static int attribute(const struct nlattr *attr, void *context)
{
	const struct table *table = context;
	uint16_t type = mnl_attr_get_type(attr);

	if (mnl_attr_type_valid(attr, table->max) < 0)
		return MNL_CB_OK;
	if (table->types[type] != MNL_TYPE_UNSPEC &&
	    mnl_attr_validate(attr, table->types[type]) < 0)
		return MNL_CB_ERROR;
	table->attributes[type] = attr;
	return MNL_CB_OK;
}

static const uint8_t route_types[RTA_MAX + 1] = {
	[RTA_OIF] = MNL_TYPE_U32,	   [RTA_IIF] = MNL_TYPE_U32,
	[RTA_TABLE] = MNL_TYPE_U32,	   [RTA_PRIORITY] = MNL_TYPE_U32,
	[RTA_NH_ID] = MNL_TYPE_U32,	   [RTA_MARK] = MNL_TYPE_U32,
	[RTA_UID] = MNL_TYPE_U32,	   [RTA_EXPIRES] = MNL_TYPE_U32,
	[RTA_MULTIPATH] = MNL_TYPE_NESTED, [RTA_DST] = MNL_TYPE_BINARY,
	[RTA_SRC] = MNL_TYPE_BINARY,	   [RTA_GATEWAY] = MNL_TYPE_BINARY,
	[RTA_PREFSRC] = MNL_TYPE_BINARY,
};

static const uint8_t link_types[IFLA_MAX + 1] = {
	[IFLA_MTU] = MNL_TYPE_U32,	     [IFLA_MASTER] = MNL_TYPE_U32,
	[IFLA_LINK] = MNL_TYPE_U32,	     [IFLA_LINK_NETNSID] = MNL_TYPE_U32,
	[IFLA_OPERSTATE] = MNL_TYPE_U8,	     [IFLA_CARRIER] = MNL_TYPE_U8,
	[IFLA_IFNAME] = MNL_TYPE_NUL_STRING, [IFLA_LINKINFO] = MNL_TYPE_NESTED,
};

static const uint8_t info_types[IFLA_INFO_MAX + 1] = {
	[IFLA_INFO_KIND] = MNL_TYPE_NUL_STRING,
};

static const uint8_t address_types[IFA_MAX + 1] = {
	[IFA_FLAGS] = MNL_TYPE_U32,
	[IFA_ADDRESS] = MNL_TYPE_BINARY,
	[IFA_LOCAL] = MNL_TYPE_BINARY,
	[IFA_BROADCAST] = MNL_TYPE_BINARY,
};

static void number(const struct nlattr *attr, uint32_t bit, uint32_t *present,
		   uint32_t *ret)
{
	if (attr == NULL)
		return;
	*ret = mnl_attr_get_u32(attr);
	*present |= bit;
}

static void address(const struct nlattr *attr, uint8_t family, uint32_t bit,
		    uint32_t *present, struct reach_address *ret)
{
	if (attr == NULL)
		return;
	ret->family = family;
	memcpy(ret->bytes, mnl_attr_get_payload(attr),
	       family == AF_INET ? 4 : 16);
	*present |= bit;
}

static int route(const struct nlmsghdr *nlh, struct reach_route_message *result)
{
	const struct nlattr *table[RTA_MAX + 1] = { 0 };
	struct table context = { route_types, RTA_MAX, table };
	const struct rtmsg *rtm = mnl_nlmsg_get_payload(nlh);
	uint32_t *present = &result->present;

	/* Legs are told by leg_count and need no clearing. */
	memset(result, 0, offsetof(struct reach_route_message, legs));
	if (mnl_attr_parse(nlh, sizeof(*rtm), attribute, &context) < 0)
		return MNL_CB_ERROR;
	result->family = rtm->rtm_family;
	result->destination_length = rtm->rtm_dst_len;
	result->source_length = rtm->rtm_src_len;
	result->tos = rtm->rtm_tos;
	result->protocol = rtm->rtm_protocol;
	result->scope = rtm->rtm_scope;
	result->type = rtm->rtm_type;
	result->flags = rtm->rtm_flags;
	result->table = rtm->rtm_table;
	number(table[RTA_OIF], REACH_ROUTE_OUTPUT, present, &result->output);
	number(table[RTA_IIF], REACH_ROUTE_INPUT, present, &result->input);
	number(table[RTA_TABLE], REACH_ROUTE_TABLE, present, &result->table);
	number(table[RTA_PRIORITY], REACH_ROUTE_PRIORITY, present,
	       &result->priority);
	number(table[RTA_NH_ID], REACH_ROUTE_NEXTHOP_ID, present,
	       &result->nexthop_id);
	number(table[RTA_MARK], REACH_ROUTE_MARK, present, &result->mark);
	number(table[RTA_UID], REACH_ROUTE_UID, present, &result->uid);
	address(table[RTA_DST], result->family, REACH_ROUTE_DESTINATION,
		present, &result->destination);
	address(table[RTA_SRC], result->family, REACH_ROUTE_SOURCE_PREFIX,
		present, &result->source_prefix);
	address(table[RTA_GATEWAY], result->family, REACH_ROUTE_GATEWAY,
		present, &result->gateway);
	address(table[RTA_PREFSRC], result->family,
		REACH_ROUTE_PREFERRED_SOURCE, present,
		&result->preferred_source);
	if (table[RTA_CACHEINFO] != NULL) {
		const struct rta_cacheinfo *info =
			mnl_attr_get_payload(table[RTA_CACHEINFO]);

		if (info->rta_expires != 0) {
			result->expires = (int64_t)(int32_t)info->rta_expires *
					  (1000 / HZ);
			*present |= REACH_ROUTE_EXPIRES;
		}
	}
	return MNL_CB_OK;
}

static int link_info(const struct nlattr *attr, struct reach_link_message *ret)
{
	const struct nlattr *table[IFLA_INFO_MAX + 1] = { 0 };
	struct table context = { info_types, IFLA_INFO_MAX, table };

	ret->present |= REACH_LINK_INFO;
	if (mnl_attr_parse_nested(attr, attribute, &context) < 0)
		return MNL_CB_ERROR;
	if (table[IFLA_INFO_KIND] != NULL) {
		strncpy(ret->kind, mnl_attr_get_str(table[IFLA_INFO_KIND]),
			sizeof(ret->kind) - 1);
		ret->present |= REACH_LINK_KIND;
	}
	return MNL_CB_OK;
}

static int link_message(const struct nlmsghdr *nlh,
			struct reach_link_message *result)
{
	const struct nlattr *table[IFLA_MAX + 1] = { 0 };
	struct table context = { link_types, IFLA_MAX, table };
	const struct ifinfomsg *ifi = mnl_nlmsg_get_payload(nlh);

	memset(result, 0, sizeof(*result));
	if (mnl_attr_parse(nlh, sizeof(*ifi), attribute, &context) < 0)
		return MNL_CB_ERROR;
	result->family = ifi->ifi_family;
	result->hardware_type = ifi->ifi_type;
	result->index = (uint32_t)ifi->ifi_index;
	result->flags = ifi->ifi_flags;
	number(table[IFLA_MTU], REACH_LINK_MTU, &result->present, &result->mtu);
	number(table[IFLA_MASTER], REACH_LINK_MASTER, &result->present,
	       &result->master);
	number(table[IFLA_LINK], REACH_LINK_LOWER, &result->present,
	       &result->lower);
	if (table[IFLA_LINK_NETNSID] != NULL) {
		result->lower_netns =
			(int32_t)mnl_attr_get_u32(table[IFLA_LINK_NETNSID]);
		result->present |= REACH_LINK_LOWER_NETNS;
	}
	if (table[IFLA_OPERSTATE] != NULL) {
		result->operstate = mnl_attr_get_u8(table[IFLA_OPERSTATE]);
		result->present |= REACH_LINK_OPERSTATE;
	}
	if (table[IFLA_CARRIER] != NULL) {
		result->carrier = mnl_attr_get_u8(table[IFLA_CARRIER]);
		result->present |= REACH_LINK_CARRIER;
	}
	if (table[IFLA_IFNAME] != NULL) {
		strncpy(result->name, mnl_attr_get_str(table[IFLA_IFNAME]),
			sizeof(result->name) - 1);
		result->present |= REACH_LINK_NAME;
	}
	if (table[IFLA_ADDRESS] != NULL) {
		size_t size = mnl_attr_get_payload_len(table[IFLA_ADDRESS]);

		size = size < 32 ? size : 32;
		memcpy(result->hardware_address,
		       mnl_attr_get_payload(table[IFLA_ADDRESS]), size);
		result->hardware_address_length = (uint8_t)size;
		result->present |= REACH_LINK_HARDWARE_ADDRESS;
	}
	if (table[IFLA_WIRELESS] != NULL)
		result->present |= REACH_LINK_WIRELESS;
	if (table[IFLA_LINKINFO] != NULL &&
	    link_info(table[IFLA_LINKINFO], result) < 0)
		return MNL_CB_ERROR;
	return MNL_CB_OK;
}

static int address_message(const struct nlmsghdr *nlh,
			   struct reach_address_message *result)
{
	const struct nlattr *table[IFA_MAX + 1] = { 0 };
	struct table context = { address_types, IFA_MAX, table };
	const struct ifaddrmsg *ifa = mnl_nlmsg_get_payload(nlh);
	uint32_t ignored = 0;

	memset(result, 0, sizeof(*result));
	if (mnl_attr_parse(nlh, sizeof(*ifa), attribute, &context) < 0)
		return MNL_CB_ERROR;
	result->family = ifa->ifa_family;
	result->prefix_length = ifa->ifa_prefixlen;
	result->scope = ifa->ifa_scope;
	result->flags = ifa->ifa_flags;
	result->interface_index = ifa->ifa_index;
	result->preferred = UINT32_MAX;
	result->valid = UINT32_MAX;
	number(table[IFA_FLAGS], 0, &ignored, &result->flags);
	address(table[IFA_LOCAL], result->family, REACH_ADDRESS_LOCAL,
		&result->present, &result->address);
	address(table[IFA_ADDRESS], result->family, REACH_ADDRESS_ADDRESS,
		&result->present, &result->peer);
	address(table[IFA_BROADCAST], result->family, REACH_ADDRESS_BROADCAST,
		&result->present, &result->broadcast);
	if (table[IFA_CACHEINFO] != NULL) {
		const struct ifa_cacheinfo *info =
			mnl_attr_get_payload(table[IFA_CACHEINFO]);

		result->preferred = info->ifa_prefered;
		result->valid = info->ifa_valid;
		result->present |= REACH_ADDRESS_LIFETIME;
	}
	if (result->address.family == 0)
		result->address = result->peer;
	if (memcmp(&result->address, &result->peer, sizeof(result->peer)) == 0)
		memset(&result->peer, 0, sizeof(result->peer));
	return MNL_CB_OK;
}

static int libmnl_message(const struct nlmsghdr *nlh, void *context)
{
	struct reach_message *message = context;

	message->type = nlh->nlmsg_type;
	message->flags = nlh->nlmsg_flags;
	message->sequence = nlh->nlmsg_seq;
	message->port = nlh->nlmsg_pid;
	switch (nlh->nlmsg_type) {
	case RTM_NEWROUTE:
	case RTM_DELROUTE:
		message->kind = REACH_MESSAGE_ROUTE;
		return route(nlh, &message->u.route);
	case RTM_NEWLINK:
	case RTM_DELLINK:
		message->kind = REACH_MESSAGE_LINK;
		return link_message(nlh, &message->u.link);
	case RTM_NEWADDR:
	case RTM_DELADDR:
		message->kind = REACH_MESSAGE_ADDRESS;
		return address_message(nlh, &message->u.address);
	default:
		message->kind = REACH_MESSAGE_OTHER;
		return MNL_CB_OK;
	}
}

struct run {
	struct reach_message message;
	struct reading reading;
};

static int read_one(const struct nlmsghdr *nlh, void *context)
{
	struct run *run = context;
	const int result = libmnl_message(nlh, &run->message);

	digest(&run->reading, &run->message);
	return result;
}

struct reading read_by_libmnl(const struct corpus *corpus)
{
	struct run run = { 0 };

	for (size_t i = 0; i < corpus->count; i++) {
		const struct corpus_datagram *datagram = &corpus->datagrams[i];

		mnl_cb_run(corpus->bytes + datagram->offset, datagram->size, 0,
			   0, read_one, &run);
	}
	return run.reading;
}
