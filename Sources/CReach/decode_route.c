/* SPDX-License-Identifier: MIT */
/* RTM_NEWROUTE, RTM_DELROUTE and answers to RTM_GETROUTE. */
#include "attributes.h"
#include "decode.h"

#include <errno.h>
#include <stddef.h>

#include <asm/param.h>
#include <linux/rtnetlink.h>

/* RTA_VIA: a gateway of another family than the route's (RFC 5549). */
static bool decode_via(const struct nlattr *attr, struct reach_address *ret)
{
	const struct rtvia *via = reach_attribute_data(attr);
	const size_t size = reach_attribute_size(attr);

	if (size < sizeof(*via))
		return false;
	if (via->rtvia_family != AF_INET && via->rtvia_family != AF_INET6)
		return true;
	return reach_address_set(ret, (uint8_t)via->rtvia_family,
				 via->rtvia_addr, size - sizeof(*via));
}

static int decode_leg(const struct rtnexthop *hop, uint8_t family,
		      struct reach_leg *ret)
{
	struct reach_attributes walk =
		reach_attributes_begin((const uint8_t *)hop + sizeof(*hop),
				       (size_t)hop->rtnh_len - sizeof(*hop));
	const struct nlattr *attr;
	bool sound = true;

	*ret = (struct reach_leg){ .interface_index =
					   (uint32_t)hop->rtnh_ifindex,
				   .flags = hop->rtnh_flags,
				   .hops = hop->rtnh_hops };
	while ((attr = reach_attributes_next(&walk)) && sound) {
		switch (reach_attribute_type(attr)) {
		case RTA_GATEWAY:
			sound = reach_attribute_address(attr, family,
							&ret->gateway);
			break;
		case RTA_VIA:
			sound = decode_via(attr, &ret->gateway);
			break;
		default:
			break;
		}
	}
	return sound && !walk.malformed ? 0 : -EBADMSG;
}

static bool decode_legs(const struct nlattr *attr,
			struct reach_route_message *ret)
{
	const uint8_t *at = reach_attribute_data(attr);
	size_t left = reach_attribute_size(attr);
	struct reach_leg dropped;

	ret->leg_count = 0;
	while (left >= sizeof(struct rtnexthop)) {
		const struct rtnexthop *hop = (const void *)at;
		size_t step = reach_align(hop->rtnh_len);
		struct reach_leg *leg = ret->leg_count < REACH_LEGS_MAX
						? &ret->legs[ret->leg_count]
						: &dropped;

		if (hop->rtnh_len < sizeof(*hop) || hop->rtnh_len > left ||
		    decode_leg(hop, ret->family, leg))
			return false;
		ret->leg_count++;
		step = step < left ? step : left;
		at += step;
		left -= step;
	}
	ret->present |= REACH_ROUTE_MULTIPATH;
	return true;
}

static bool decode_cacheinfo(const struct nlattr *attr,
			     struct reach_route_message *ret)
{
	struct rta_cacheinfo info;

	if (reach_attribute_size(attr) < sizeof(info))
		return false;
	memcpy(&info, reach_attribute_data(attr), sizeof(info));
	if (info.rta_expires) {
		/* Signed: negative once the route is over
		 * (rtnl_put_cacheinfo, net/core/rtnetlink.c). */
		ret->expires = (int64_t)(int32_t)info.rta_expires * (1000 / HZ);
		ret->present |= REACH_ROUTE_EXPIRES;
	}
	return true;
}

static bool decode_expires(const struct nlattr *attr,
			   struct reach_route_message *ret)
{
	uint32_t seconds;

	if (!reach_attribute_u32(attr, &seconds))
		return false;
	ret->expires = (int64_t)seconds * 1000;
	ret->present |= REACH_ROUTE_EXPIRES;
	return true;
}

/* Attributes that are neither address nor structure: where they go. */
static uint32_t *number_of(struct reach_route_message *ret, unsigned int type,
			   uint32_t *bit)
{
	switch (type) {
	case RTA_OIF:
		*bit = REACH_ROUTE_OUTPUT;
		return &ret->output;
	case RTA_TABLE:
		*bit = REACH_ROUTE_TABLE;
		return &ret->table;
	case RTA_PRIORITY:
		*bit = REACH_ROUTE_PRIORITY;
		return &ret->priority;
	case RTA_IIF:
		*bit = REACH_ROUTE_INPUT;
		return &ret->input;
	case RTA_NH_ID:
		*bit = REACH_ROUTE_NEXTHOP_ID;
		return &ret->nexthop_id;
	case RTA_MARK:
		*bit = REACH_ROUTE_MARK;
		return &ret->mark;
	case RTA_UID:
		*bit = REACH_ROUTE_UID;
		return &ret->uid;
	default:
		return NULL;
	}
}

static struct reach_address *address_of(struct reach_route_message *ret,
					unsigned int type, uint32_t *bit)
{
	switch (type) {
	case RTA_DST:
		*bit = REACH_ROUTE_DESTINATION;
		return &ret->destination;
	case RTA_SRC:
		*bit = REACH_ROUTE_SOURCE_PREFIX;
		return &ret->source_prefix;
	case RTA_GATEWAY:
		*bit = REACH_ROUTE_GATEWAY;
		return &ret->gateway;
	case RTA_PREFSRC:
		*bit = REACH_ROUTE_PREFERRED_SOURCE;
		return &ret->preferred_source;
	default:
		return NULL;
	}
}

static bool decode_attribute(const struct nlattr *attr,
			     struct reach_route_message *ret)
{
	const unsigned int type = reach_attribute_type(attr);
	struct reach_address *address;
	uint32_t *number;
	uint32_t bit;
	bool sound;

	switch (type) {
	case RTA_MULTIPATH:
		return decode_legs(attr, ret);
	case RTA_CACHEINFO:
		return decode_cacheinfo(attr, ret);
	case RTA_EXPIRES:
		return decode_expires(attr, ret);
	case RTA_VIA:
		sound = decode_via(attr, &ret->gateway);
		ret->present |= ret->gateway.family ? REACH_ROUTE_GATEWAY : 0;
		return sound;
	default:
		break;
	}
	number = number_of(ret, type, &bit);
	if (number) {
		ret->present |= bit;
		return reach_attribute_u32(attr, number);
	}
	address = address_of(ret, type, &bit);
	if (address) {
		ret->present |= bit;
		return reach_attribute_address(attr, ret->family, address);
	}
	return true;
}

int reach_decode_route(const struct nlmsghdr *nlh, struct reach_message *ret)
{
	struct reach_route_message *route = &ret->u.route;
	const struct rtmsg *rtm = NLMSG_DATA(nlh);
	struct reach_attributes walk;
	const struct nlattr *attr;
	const void *tail;
	size_t size;

	if (nlh->nlmsg_len < NLMSG_LENGTH(sizeof(*rtm)))
		return -EBADMSG;
	if (rtm->rtm_family != AF_INET && rtm->rtm_family != AF_INET6)
		return 0;
	/* The legs are told by leg_count; clearing them would cost more than
	 * all the rest. */
	memset(route, 0, offsetof(struct reach_route_message, legs));
	route->family = rtm->rtm_family;
	route->destination_length = rtm->rtm_dst_len;
	route->source_length = rtm->rtm_src_len;
	route->tos = rtm->rtm_tos;
	route->protocol = rtm->rtm_protocol;
	route->scope = rtm->rtm_scope;
	route->type = rtm->rtm_type;
	route->flags = rtm->rtm_flags;
	route->table = rtm->rtm_table;
	if (rtm->rtm_dst_len > (rtm->rtm_family == AF_INET ? 32 : 128))
		return -EBADMSG;
	tail = reach_decode_tail(nlh, sizeof(*rtm), &size);
	walk = reach_attributes_begin(tail, size);
	while ((attr = reach_attributes_next(&walk)))
		if (!decode_attribute(attr, route))
			return -EBADMSG;
	if (walk.malformed)
		return -EBADMSG;
	ret->kind = REACH_MESSAGE_ROUTE;
	return 0;
}
