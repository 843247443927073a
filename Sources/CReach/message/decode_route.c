/* SPDX-License-Identifier: MIT */
/* RTM_NEWROUTE, RTM_DELROUTE and answers to RTM_GETROUTE. */
#include "message/attributes.h"
#include "message/decode.h"

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

#define FIELD(kind, member, bit)                                               \
	{ kind, offsetof(struct reach_route_message, member), bit }

const struct reach_field reach_route_fields[REACH_ROUTE_FIELDS] = {
	[RTA_OIF] = FIELD(REACH_FIELD_U32, output, REACH_ROUTE_OUTPUT),
	[RTA_TABLE] = FIELD(REACH_FIELD_U32, table, REACH_ROUTE_TABLE),
	[RTA_PRIORITY] = FIELD(REACH_FIELD_U32, priority, REACH_ROUTE_PRIORITY),
	[RTA_IIF] = FIELD(REACH_FIELD_U32, input, REACH_ROUTE_INPUT),
	[RTA_NH_ID] =
		FIELD(REACH_FIELD_U32, nexthop_id, REACH_ROUTE_NEXTHOP_ID),
	[RTA_MARK] = FIELD(REACH_FIELD_U32, mark, REACH_ROUTE_MARK),
	[RTA_UID] = FIELD(REACH_FIELD_U32, uid, REACH_ROUTE_UID),
	[RTA_DST] = FIELD(REACH_FIELD_ADDRESS, destination,
			  REACH_ROUTE_DESTINATION),
	[RTA_SRC] = FIELD(REACH_FIELD_ADDRESS, source_prefix,
			  REACH_ROUTE_SOURCE_PREFIX),
	[RTA_GATEWAY] =
		FIELD(REACH_FIELD_ADDRESS, gateway, REACH_ROUTE_GATEWAY),
	[RTA_PREFSRC] = FIELD(REACH_FIELD_ADDRESS, preferred_source,
			      REACH_ROUTE_PREFERRED_SOURCE),
	[RTA_CACHEINFO] =
		FIELD(REACH_FIELD_CACHEINFO, expires, REACH_ROUTE_EXPIRES),
	[RTA_EXPIRES] =
		FIELD(REACH_FIELD_SECONDS, expires, REACH_ROUTE_EXPIRES),
	[RTA_VIA] = FIELD(REACH_FIELD_VIA, gateway, REACH_ROUTE_GATEWAY),
	[RTA_MULTIPATH] = FIELD(REACH_FIELD_LEGS, legs, REACH_ROUTE_MULTIPATH),
};

static bool decode_attribute(const struct nlattr *attr,
			     struct reach_route_message *ret)
{
	const unsigned int type = reach_attribute_type(attr);
	bool sound;

	if (type >= REACH_ROUTE_FIELDS)
		return true;
	/* Never of a learnt layout, which has no type twice. */
	if (type == RTA_PREFSRC && ret->present & REACH_ROUTE_PREFERRED_SOURCE)
		ret->present |= REACH_ROUTE_PREFERRED_SOURCE_AGAIN;
	switch (reach_route_fields[type].kind) {
	case REACH_FIELD_LEGS:
		return decode_legs(attr, ret);
	case REACH_FIELD_CACHEINFO:
		return decode_cacheinfo(attr, ret);
	case REACH_FIELD_SECONDS:
		return decode_expires(attr, ret);
	case REACH_FIELD_VIA:
		sound = decode_via(attr, &ret->gateway);
		ret->present |= ret->gateway.family ? REACH_ROUTE_GATEWAY : 0;
		return sound;
	default:
		return reach_field_read(&reach_route_fields[type], attr,
					ret->family, ret);
	}
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
	reach_route_header(rtm, route);
	route->flags = rtm->rtm_flags;
	route->table = rtm->rtm_table;
	if (rtm->rtm_dst_len > reach_route_length_max(rtm->rtm_family))
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
