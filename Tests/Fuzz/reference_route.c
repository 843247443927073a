/* SPDX-License-Identifier: MIT */
/* Routes, read with libmnl. */
#include <asm/param.h>
#include <linux/lwtunnel.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>

#include "reference.h"

/* RTA_GATEWAY and RTA_VIA fill the same field, so their order matters. */
static bool read_gateway(struct region region, uint8_t family,
			 struct reach_address *ret, bool *found)
{
	const struct nlattr *attr;

	for (attr = region_first(region); attr;
	     attr = region_next(region, attr)) {
		const struct rtvia *via = mnl_attr_get_payload(attr);
		size_t size = mnl_attr_get_payload_len(attr);
		uint16_t its = family;
		const void *bytes = via;

		if (mnl_attr_get_type(attr) == RTA_VIA) {
			if (size < sizeof(*via))
				return false;
			its = via->rtvia_family;
			bytes = via->rtvia_addr;
			size -= sizeof(*via);
			if (its != AF_INET && its != AF_INET6)
				continue;
		} else if (mnl_attr_get_type(attr) != RTA_GATEWAY) {
			continue;
		}
		if (size != (its == AF_INET ? 4 : 16))
			return false;
		memset(ret, 0, sizeof(*ret));
		ret->family = its;
		memcpy(ret->bytes, bytes, size);
		*found = true;
	}
	return true;
}

static bool read_legs(const struct nlattr *attr,
		      struct reach_route_message *ret)
{
	struct region rest = inside(attr);

	ret->leg_count = 0;
	while (rest.size >= sizeof(struct rtnexthop)) {
		const struct rtnexthop *hop = (const void *)rest.start;
		struct region leg;
		struct reach_leg read = { 0 };
		bool ignored;
		size_t step;

		if (hop->rtnh_len < sizeof(*hop) || hop->rtnh_len > rest.size)
			return false;
		leg.start = rest.start + sizeof(*hop);
		leg.size = hop->rtnh_len - sizeof(*hop);
		if (!is_whole(leg) ||
		    !read_gateway(leg, ret->family, &read.gateway, &ignored))
			return false;
		read.interface_index = (uint32_t)hop->rtnh_ifindex;
		read.flags = hop->rtnh_flags;
		read.hops = hop->rtnh_hops;
		if (ret->leg_count < REACH_LEGS_MAX)
			ret->legs[ret->leg_count] = read;
		ret->leg_count++;
		step = ((size_t)hop->rtnh_len + 3) & ~(size_t)3;
		step = step < rest.size ? step : rest.size;
		rest.start += step;
		rest.size -= step;
	}
	return true;
}

/* RTA_CACHEINFO and RTA_EXPIRES also fill the same field. */
static bool read_expiry(struct region region, struct reach_route_message *ret)
{
	const struct nlattr *attr;

	for (attr = region_first(region); attr;
	     attr = region_next(region, attr)) {
		const struct rta_cacheinfo *info = mnl_attr_get_payload(attr);
		size_t size = mnl_attr_get_payload_len(attr);
		uint16_t type = mnl_attr_get_type(attr);

		if ((type == RTA_CACHEINFO && size < sizeof(*info)) ||
		    (type == RTA_EXPIRES && size < 4))
			return false;
		if (type == RTA_CACHEINFO && info->rta_expires != 0)
			ret->expires = (int64_t)(int32_t)info->rta_expires *
				       (1000 / HZ);
		else if (type == RTA_EXPIRES)
			ret->expires = (int64_t)mnl_attr_get_u32(attr) * 1000;
		else
			continue;
		ret->present |= REACH_ROUTE_EXPIRES;
	}
	return true;
}

static bool read_multipath(struct region region,
			   struct reach_route_message *ret)
{
	const struct nlattr *attr;

	for (attr = region_first(region); attr;
	     attr = region_next(region, attr)) {
		if (mnl_attr_get_type(attr) != RTA_MULTIPATH)
			continue;
		if (!read_legs(attr, ret))
			return false;
		ret->present |= REACH_ROUTE_MULTIPATH;
	}
	return true;
}

static void read_encapsulation(struct region region,
			       struct reach_route_message *ret)
{
	if (last(region, RTA_ENCAP_TYPE))
		ret->present |= REACH_ROUTE_ENCAPSULATION;
}

static bool read_route_numbers(struct region region,
			       struct reach_route_message *ret)
{
	uint32_t *present = &ret->present;

	return read_u32(region, RTA_OIF, REACH_ROUTE_OUTPUT, present,
			&ret->output) &&
	       read_u32(region, RTA_IIF, REACH_ROUTE_INPUT, present,
			&ret->input) &&
	       read_u32(region, RTA_TABLE, REACH_ROUTE_TABLE, present,
			&ret->table) &&
	       read_u32(region, RTA_PRIORITY, REACH_ROUTE_PRIORITY, present,
			&ret->priority) &&
	       read_u32(region, RTA_NH_ID, REACH_ROUTE_NEXTHOP_ID, present,
			&ret->nexthop_id) &&
	       read_u32(region, RTA_MARK, REACH_ROUTE_MARK, present,
			&ret->mark) &&
	       read_u32(region, RTA_UID, REACH_ROUTE_UID, present, &ret->uid);
}

bool reference_route(const struct nlmsghdr *nlh,
		     struct reach_route_message *ret)
{
	const struct rtmsg *rtm = mnl_nlmsg_get_payload(nlh);
	struct region region = attributes_of(nlh, sizeof(*rtm));
	bool gateway = false;

	memset(ret, 0, sizeof(*ret));
	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*rtm))
		return false;
	ret->family = rtm->rtm_family;
	ret->destination_length = rtm->rtm_dst_len;
	ret->source_length = rtm->rtm_src_len;
	ret->tos = rtm->rtm_tos;
	ret->protocol = rtm->rtm_protocol;
	ret->scope = rtm->rtm_scope;
	ret->type = rtm->rtm_type;
	ret->flags = rtm->rtm_flags;
	ret->table = rtm->rtm_table;
	if (!is_whole(region) ||
	    ret->destination_length > (ret->family == AF_INET ? 32 : 128) ||
	    !read_route_numbers(region, ret) || !read_multipath(region, ret) ||
	    !read_expiry(region, ret) ||
	    !read_gateway(region, ret->family, &ret->gateway, &gateway))
		return false;
	ret->present |= gateway ? REACH_ROUTE_GATEWAY : 0;
	read_encapsulation(region, ret);
	return read_address(region, RTA_DST, ret->family,
			    REACH_ROUTE_DESTINATION, &ret->present,
			    &ret->destination) &&
	       read_address(region, RTA_SRC, ret->family,
			    REACH_ROUTE_SOURCE_PREFIX, &ret->present,
			    &ret->source_prefix) &&
	       read_address(region, RTA_PREFSRC, ret->family,
			    REACH_ROUTE_PREFERRED_SOURCE, &ret->present,
			    &ret->preferred_source);
}
