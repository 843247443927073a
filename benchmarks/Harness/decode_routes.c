/* SPDX-License-Identifier: MIT */
/* Routes whose next attribute no reader can foresee. */
#include <stdbool.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>

#include "decode_make.h"

static void put_legs(struct maker *maker, size_t address, uint32_t count)
{
	struct nlattr *nest = mnl_attr_nest_start(maker->nlh, RTA_MULTIPATH);

	while (count--) {
		struct rtnexthop *hop = mnl_nlmsg_get_payload_tail(maker->nlh);

		*hop = (struct rtnexthop){
			.rtnh_ifindex = 1 + (int)make_random(maker, 99)
		};
		maker->nlh->nlmsg_len += sizeof(*hop);
		make_bytes(maker, RTA_GATEWAY, address);
		hop->rtnh_len =
			(uint16_t)((uint8_t *)mnl_nlmsg_get_payload_tail(
					   maker->nlh) -
				   (uint8_t *)hop);
	}
	mnl_attr_nest_end(maker->nlh, nest);
}

static void put_metrics(struct maker *maker)
{
	struct nlattr *nest = mnl_attr_nest_start(maker->nlh, RTA_METRICS);
	uint32_t i;

	for (i = 1 + make_random(maker, 5); i; i--)
		make_number(maker, (uint16_t)(1 + make_random(maker, RTAX_MAX)),
			    9000);
	mnl_attr_nest_end(maker->nlh, nest);
}

static void put_route_attribute(struct maker *maker, size_t address,
				uint16_t type)
{
	switch (type) {
	case RTA_DST:
	case RTA_SRC:
	case RTA_GATEWAY:
	case RTA_PREFSRC:
		make_bytes(maker, type, address);
		break;
	case RTA_CACHEINFO:
		make_bytes(maker, type, sizeof(struct rta_cacheinfo));
		break;
	case RTA_METRICS:
		put_metrics(maker);
		break;
	case RTA_MULTIPATH:
		put_legs(maker, address, 2 + make_random(maker, 7));
		break;
	case RTA_PREF:
		make_bytes(maker, type, 1);
		break;
	default:
		make_number(maker, type, UINT32_MAX);
		break;
	}
}

/* The size of its addresses. */
static size_t begin_route(struct maker *maker, uint8_t family)
{
	struct rtmsg *rtm = make_begin(maker, RTM_NEWROUTE, sizeof(*rtm));

	*rtm = (struct rtmsg){ .rtm_family = family,
			       .rtm_dst_len = (uint8_t)make_random(maker, 33),
			       .rtm_table = RT_TABLE_MAIN,
			       .rtm_protocol = RTPROT_STATIC,
			       .rtm_type = RTN_UNICAST };
	return family == AF_INET ? 4 : 16;
}

static uint8_t any_family(struct maker *maker)
{
	return make_random(maker, 2) ? AF_INET : AF_INET6;
}

static const struct layout {
	uint8_t family;
	uint16_t types[8];
} layouts[] = {
	{ AF_INET, { RTA_TABLE, RTA_DST, RTA_PRIORITY, RTA_GATEWAY, RTA_OIF } },
	{ AF_INET6,
	  { RTA_TABLE, RTA_DST, RTA_PRIORITY, RTA_GATEWAY, RTA_OIF,
	    RTA_CACHEINFO, RTA_PREF } },
	{ AF_INET, { RTA_TABLE, RTA_DST, RTA_PREFSRC, RTA_OIF } },
	{ AF_INET6,
	  { RTA_TABLE, RTA_DST, RTA_PRIORITY, RTA_OIF, RTA_CACHEINFO,
	    RTA_PREF } },
	{ AF_INET, { RTA_TABLE, RTA_PRIORITY, RTA_GATEWAY, RTA_OIF } },
	{ AF_INET, { RTA_TABLE, RTA_DST, RTA_NH_ID, RTA_GATEWAY, RTA_OIF } },
	{ AF_INET, { RTA_TABLE, RTA_DST, RTA_METRICS, RTA_PREFSRC, RTA_OIF } },
	{ AF_INET6,
	  { RTA_TABLE, RTA_DST, RTA_PREFSRC, RTA_PRIORITY, RTA_METRICS,
	    RTA_GATEWAY, RTA_OIF, RTA_CACHEINFO } },
};

static void make_layout(struct maker *maker, size_t which)
{
	const struct layout *layout = &layouts[which];
	const size_t address = begin_route(maker, layout->family);
	size_t i;

	for (i = 0; i < COUNT(layout->types) && layout->types[i]; i++)
		put_route_attribute(maker, address, layout->types[i]);
}

void make_five(struct maker *maker)
{
	make_layout(maker, maker->number % 5);
}

void make_eight(struct maker *maker)
{
	make_layout(maker, maker->number % 8);
}

void make_five_random(struct maker *maker)
{
	make_layout(maker, make_random(maker, 5));
}

void make_eight_random(struct maker *maker)
{
	make_layout(maker, make_random(maker, 8));
}

/* Each attribute with a chance of @percent, in any order if @shuffled. */
static void make_subset(struct maker *maker, uint32_t percent, bool shuffled)
{
	uint16_t types[] = { RTA_TABLE,	  RTA_DST,	 RTA_PRIORITY,
			     RTA_GATEWAY, RTA_OIF,	 RTA_PREFSRC,
			     RTA_METRICS, RTA_CACHEINFO, RTA_PREF,
			     RTA_MARK,	  RTA_UID,	 RTA_FLOW };
	const size_t address = begin_route(maker, any_family(maker));
	uint32_t i;

	for (i = COUNT(types) - 1; shuffled && i; i--) {
		const uint32_t j = make_random(maker, i + 1);
		const uint16_t type = types[i];

		types[i] = types[j];
		types[j] = type;
	}
	for (i = 0; i < COUNT(types); i++)
		if (make_random(maker, 100) < percent)
			put_route_attribute(maker, address, types[i]);
}

void make_shuffled(struct maker *maker)
{
	make_subset(maker, 100, true);
}

void make_some(struct maker *maker)
{
	make_subset(maker, 50, false);
}

void make_metrics(struct maker *maker)
{
	static const uint16_t types[] = { RTA_TABLE,   RTA_DST,
					  RTA_METRICS, RTA_PRIORITY,
					  RTA_GATEWAY, RTA_OIF };
	const size_t address = begin_route(maker, any_family(maker));
	size_t i;

	for (i = 0; i < COUNT(types); i++)
		put_route_attribute(maker, address, types[i]);
}

void make_multipath(struct maker *maker)
{
	const size_t address = begin_route(maker, any_family(maker));

	put_route_attribute(maker, address, RTA_TABLE);
	put_route_attribute(maker, address, RTA_DST);
	put_route_attribute(maker, address, RTA_MULTIPATH);
}

void make_unknown(struct maker *maker)
{
	const size_t address = begin_route(maker, any_family(maker));
	uint32_t i;

	put_route_attribute(maker, address, RTA_DST);
	for (i = 8 + make_random(maker, 17); i; i--)
		make_bytes(maker,
			   (uint16_t)(RTA_MAX + 1 + make_random(maker, 200)),
			   make_random(maker, 9));
	put_route_attribute(maker, address, RTA_OIF);
}
