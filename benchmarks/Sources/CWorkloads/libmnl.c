/* SPDX-License-Identifier: MIT */
/* The yardstick: the same fields read as libmnl's examples do it. */
#include <asm/param.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

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

static int route(const struct nlmsghdr *nlh, struct reading *reading)
{
	const struct nlattr *table[RTA_MAX + 1] = { 0 };
	struct table context = { route_types, RTA_MAX, table };
	const struct rtmsg *rtm = mnl_nlmsg_get_payload(nlh);
	/* Legs are told by leg_count and need no clearing. */
	struct reach_route_message ret;
	uint32_t *present = &ret.present;

	memset(&ret, 0, offsetof(struct reach_route_message, legs));
	if (mnl_attr_parse(nlh, sizeof(*rtm), attribute, &context) < 0)
		return MNL_CB_ERROR;
	ret.family = rtm->rtm_family;
	ret.destination_length = rtm->rtm_dst_len;
	ret.source_length = rtm->rtm_src_len;
	ret.tos = rtm->rtm_tos;
	ret.protocol = rtm->rtm_protocol;
	ret.scope = rtm->rtm_scope;
	ret.type = rtm->rtm_type;
	ret.flags = rtm->rtm_flags;
	ret.table = rtm->rtm_table;
	number(table[RTA_OIF], REACH_ROUTE_OUTPUT, present, &ret.output);
	number(table[RTA_IIF], REACH_ROUTE_INPUT, present, &ret.input);
	number(table[RTA_TABLE], REACH_ROUTE_TABLE, present, &ret.table);
	number(table[RTA_PRIORITY], REACH_ROUTE_PRIORITY, present,
	       &ret.priority);
	number(table[RTA_NH_ID], REACH_ROUTE_NEXTHOP_ID, present,
	       &ret.nexthop_id);
	number(table[RTA_MARK], REACH_ROUTE_MARK, present, &ret.mark);
	number(table[RTA_UID], REACH_ROUTE_UID, present, &ret.uid);
	address(table[RTA_DST], ret.family, REACH_ROUTE_DESTINATION, present,
		&ret.destination);
	address(table[RTA_SRC], ret.family, REACH_ROUTE_SOURCE_PREFIX, present,
		&ret.source_prefix);
	address(table[RTA_GATEWAY], ret.family, REACH_ROUTE_GATEWAY, present,
		&ret.gateway);
	address(table[RTA_PREFSRC], ret.family, REACH_ROUTE_PREFERRED_SOURCE,
		present, &ret.preferred_source);
	if (table[RTA_CACHEINFO] != NULL) {
		const struct rta_cacheinfo *info =
			mnl_attr_get_payload(table[RTA_CACHEINFO]);

		if (info->rta_expires != 0) {
			ret.expires = (int64_t)(int32_t)info->rta_expires *
				      (1000 / HZ);
			*present |= REACH_ROUTE_EXPIRES;
		}
	}
	digest_route(reading, &ret);
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

static int link_message(const struct nlmsghdr *nlh, struct reading *reading)
{
	const struct nlattr *table[IFLA_MAX + 1] = { 0 };
	struct table context = { link_types, IFLA_MAX, table };
	const struct ifinfomsg *ifi = mnl_nlmsg_get_payload(nlh);
	struct reach_link_message ret = { 0 };

	if (mnl_attr_parse(nlh, sizeof(*ifi), attribute, &context) < 0)
		return MNL_CB_ERROR;
	ret.family = ifi->ifi_family;
	ret.hardware_type = ifi->ifi_type;
	ret.index = (uint32_t)ifi->ifi_index;
	ret.flags = ifi->ifi_flags;
	number(table[IFLA_MTU], REACH_LINK_MTU, &ret.present, &ret.mtu);
	number(table[IFLA_MASTER], REACH_LINK_MASTER, &ret.present,
	       &ret.master);
	number(table[IFLA_LINK], REACH_LINK_LOWER, &ret.present, &ret.lower);
	if (table[IFLA_LINK_NETNSID] != NULL) {
		ret.lower_netns =
			(int32_t)mnl_attr_get_u32(table[IFLA_LINK_NETNSID]);
		ret.present |= REACH_LINK_LOWER_NETNS;
	}
	if (table[IFLA_OPERSTATE] != NULL) {
		ret.operstate = mnl_attr_get_u8(table[IFLA_OPERSTATE]);
		ret.present |= REACH_LINK_OPERSTATE;
	}
	if (table[IFLA_CARRIER] != NULL) {
		ret.carrier = mnl_attr_get_u8(table[IFLA_CARRIER]);
		ret.present |= REACH_LINK_CARRIER;
	}
	if (table[IFLA_IFNAME] != NULL) {
		strncpy(ret.name, mnl_attr_get_str(table[IFLA_IFNAME]),
			sizeof(ret.name) - 1);
		ret.present |= REACH_LINK_NAME;
	}
	if (table[IFLA_ADDRESS] != NULL) {
		size_t size = mnl_attr_get_payload_len(table[IFLA_ADDRESS]);

		size = size < 32 ? size : 32;
		memcpy(ret.hardware_address,
		       mnl_attr_get_payload(table[IFLA_ADDRESS]), size);
		ret.hardware_address_length = (uint8_t)size;
		ret.present |= REACH_LINK_HARDWARE_ADDRESS;
	}
	if (table[IFLA_WIRELESS] != NULL)
		ret.present |= REACH_LINK_WIRELESS;
	if (table[IFLA_LINKINFO] != NULL &&
	    link_info(table[IFLA_LINKINFO], &ret) < 0)
		return MNL_CB_ERROR;
	digest_link(reading, &ret);
	return MNL_CB_OK;
}

static int address_message(const struct nlmsghdr *nlh, struct reading *reading)
{
	const struct nlattr *table[IFA_MAX + 1] = { 0 };
	struct table context = { address_types, IFA_MAX, table };
	const struct ifaddrmsg *ifa = mnl_nlmsg_get_payload(nlh);
	struct reach_address_message ret = { 0 };
	uint32_t ignored = 0;

	if (mnl_attr_parse(nlh, sizeof(*ifa), attribute, &context) < 0)
		return MNL_CB_ERROR;
	ret.family = ifa->ifa_family;
	ret.prefix_length = ifa->ifa_prefixlen;
	ret.scope = ifa->ifa_scope;
	ret.flags = ifa->ifa_flags;
	ret.interface_index = ifa->ifa_index;
	ret.preferred = UINT32_MAX;
	ret.valid = UINT32_MAX;
	number(table[IFA_FLAGS], 0, &ignored, &ret.flags);
	address(table[IFA_LOCAL], ret.family, REACH_ADDRESS_LOCAL, &ret.present,
		&ret.address);
	address(table[IFA_ADDRESS], ret.family, REACH_ADDRESS_ADDRESS,
		&ret.present, &ret.peer);
	address(table[IFA_BROADCAST], ret.family, REACH_ADDRESS_BROADCAST,
		&ret.present, &ret.broadcast);
	if (table[IFA_CACHEINFO] != NULL) {
		const struct ifa_cacheinfo *info =
			mnl_attr_get_payload(table[IFA_CACHEINFO]);

		ret.preferred = info->ifa_prefered;
		ret.valid = info->ifa_valid;
		ret.present |= REACH_ADDRESS_LIFETIME;
	}
	if (ret.address.family == 0)
		ret.address = ret.peer;
	if (memcmp(&ret.address, &ret.peer, sizeof(ret.peer)) == 0)
		memset(&ret.peer, 0, sizeof(ret.peer));
	digest_address_message(reading, &ret);
	return MNL_CB_OK;
}

static int message(const struct nlmsghdr *nlh, void *context)
{
	switch (nlh->nlmsg_type) {
	case RTM_NEWROUTE:
	case RTM_DELROUTE:
		return route(nlh, context);
	case RTM_NEWLINK:
	case RTM_DELLINK:
		return link_message(nlh, context);
	case RTM_NEWADDR:
	case RTM_DELADDR:
		return address_message(nlh, context);
	default:
		return MNL_CB_OK;
	}
}

struct reading read_by_libmnl(const struct corpus *corpus, bool thorough)
{
	struct reading reading = { .thorough = thorough };

	for (size_t i = 0; i < corpus->count; i++) {
		const struct corpus_datagram *datagram = &corpus->datagrams[i];

		mnl_cb_run(corpus->bytes + datagram->offset, datagram->size, 0,
			   0, message, &reading);
	}
	return reading;
}
