/* SPDX-License-Identifier: MIT */
/* The model's tables as rtnetlink messages. */
#include <linux/fib_rules.h>
#include <linux/if.h>
#include <linux/if_arp.h>
#include <linux/netconf.h>
#include <linux/nexthop.h>
#include <string.h>

#include <libmnl/libmnl.h>

#include "model.h"

/* The unit of rta_expires (USER_HZ), in nanoseconds. */
#define TICK INT64_C(10000000)

static struct nlmsghdr *begin(void *buffer, uint16_t type, size_t body)
{
	struct nlmsghdr *header;

	memset(buffer, 0, MODEL_MESSAGE);
	header = mnl_nlmsg_put_header(buffer);
	header->nlmsg_type = type;
	mnl_nlmsg_put_extra_header(header, body);
	return header;
}

static size_t size_of(uint8_t family)
{
	return family == AF_INET ? 4 : 16;
}

static void put_gateway(struct nlmsghdr *header, uint8_t family, uint32_t index)
{
	uint8_t bytes[16];
	const size_t size = model_gateway(family, index, bytes);

	mnl_attr_put(header, RTA_GATEWAY, size, bytes);
}

static void put_legs(struct nlmsghdr *header, const struct model_route *route)
{
	struct nlattr *nest = mnl_attr_nest_start(header, RTA_MULTIPATH);

	for (unsigned int i = 0; i < route->legs; i++) {
		struct rtnexthop *leg = mnl_nlmsg_get_payload_tail(header);
		const uint32_t before = header->nlmsg_len;

		memset(leg, 0, sizeof(*leg));
		leg->rtnh_ifindex = (int)route->outputs[i];
		header->nlmsg_len += (uint32_t)sizeof(*leg);
		put_gateway(header, route->family, route->outputs[i]);
		leg->rtnh_len = (unsigned short)(header->nlmsg_len - before);
	}
	mnl_attr_nest_end(header, nest);
}

static void put_way(const struct model *model, struct nlmsghdr *header,
		    const struct model_route *route)
{
	const struct model_nexthop *object = &model->nexthops[route->nexthop];
	const uint32_t output = route->nexthop ? object->output
					       : route->outputs[0];
	const bool gateway = route->nexthop ? object->gateway : route->gateway;

	if (route->nexthop)
		mnl_attr_put_u32(header, RTA_NH_ID, route->nexthop);
	if (route->legs > 1) {
		put_legs(header, route);
		return;
	}
	if (output)
		mnl_attr_put_u32(header, RTA_OIF, output);
	if (output && gateway)
		put_gateway(header, route->family, output);
}

struct nlmsghdr *model_put_route(const struct model *model, void *buffer,
				 uint16_t type, const struct model_route *route)
{
	struct nlmsghdr *header = begin(buffer, type, sizeof(struct rtmsg));
	struct rtmsg *body = mnl_nlmsg_get_payload(header);
	struct rta_cacheinfo cache = { 0 };
	uint8_t bytes[16];

	body->rtm_family = route->family;
	body->rtm_dst_len = route->length;
	body->rtm_table = (uint8_t)route->table;
	body->rtm_type = route->type;
	body->rtm_scope = route->scope;
	if (route->length > 0)
		mnl_attr_put(header, RTA_DST, size_of(route->family),
			     route->prefix);
	mnl_attr_put_u32(header, RTA_TABLE, route->table);
	if (route->metric)
		mnl_attr_put_u32(header, RTA_PRIORITY, route->metric);
	if (route->source) {
		model_address(route->family, route->outputs[0],
			      route->source - 1U, bytes);
		mnl_attr_put(header, RTA_PREFSRC, size_of(route->family),
			     bytes);
	}
	put_way(model, header, route);
	if (route->expires)
		cache.rta_expires = (int)((route->expires - model->now) / TICK);
	if (route->family == AF_INET6)
		mnl_attr_put(header, RTA_CACHEINFO, sizeof(cache), &cache);
	return header;
}

const char *model_link_name(const struct model *model, uint32_t index)
{
	static const char *const names[2][MODEL_LINKS] = {
		{ "", "lo", "eth0", "eth1", "tun0" },
		{ "", "lo", "lan0", "lan1", "vpn0" },
	};

	return names[model->links[index].renamed][index];
}

static unsigned int flags_of(const struct model_link *link, uint32_t index)
{
	unsigned int flags = link->resolves ? 0 : IFF_NOARP;

	if (link->up)
		flags |= IFF_UP;
	if (link->up && link->carrier)
		flags |= IFF_LOWER_UP |
			 (link->dormant ? IFF_DORMANT : IFF_RUNNING);
	if (index == 1)
		flags |= IFF_LOOPBACK;
	if (index == MODEL_LINKS - 1)
		flags |= IFF_POINTOPOINT;
	return flags;
}

struct nlmsghdr *model_put_link(const struct model *model, void *buffer,
				uint16_t type, uint32_t index)
{
	const struct model_link *link = &model->links[index];
	struct nlmsghdr *header = begin(buffer, type, sizeof(struct ifinfomsg));
	struct ifinfomsg *body = mnl_nlmsg_get_payload(header);
	struct nlattr *nest;

	body->ifi_index = (int)index;
	body->ifi_type = index == 1		    ? ARPHRD_LOOPBACK
			 : index == MODEL_LINKS - 1 ? ARPHRD_NONE
						    : ARPHRD_ETHER;
	body->ifi_flags = flags_of(link, index);
	mnl_attr_put_strz(header, IFLA_IFNAME, model_link_name(model, index));
	mnl_attr_put_u32(header, IFLA_MTU, 1500);
	if (index != MODEL_VETH)
		return header;
	if (!link->sink) {
		mnl_attr_put_u32(header, IFLA_LINK, 2);
		mnl_attr_put_u32(header, IFLA_LINK_NETNSID, 0);
	}
	nest = mnl_attr_nest_start(header, IFLA_LINKINFO);
	mnl_attr_put_strz(header, IFLA_INFO_KIND, link->sink ? "ifb" : "veth");
	mnl_attr_nest_end(header, nest);
	return header;
}

struct nlmsghdr *model_put_address(const struct model *model, void *buffer,
				   uint16_t type, uint8_t family,
				   uint32_t index, uint32_t n)
{
	struct nlmsghdr *header = begin(buffer, type, sizeof(struct ifaddrmsg));
	struct ifaddrmsg *body = mnl_nlmsg_get_payload(header);
	uint8_t bytes[16];
	const size_t size = model_address(family, index, n, bytes);

	body->ifa_family = family;
	body->ifa_prefixlen = model_subnet(family);
	body->ifa_flags = IFA_F_PERMANENT;
	if (family == AF_INET6 && model->links[index].deprecated[n])
		body->ifa_flags |= IFA_F_DEPRECATED;
	body->ifa_index = index;
	mnl_attr_put(header, IFA_ADDRESS, size, bytes);
	if (family == AF_INET)
		mnl_attr_put(header, IFA_LOCAL, size, bytes);
	return header;
}

struct nlmsghdr *model_put_rule(void *buffer, uint16_t type,
				const struct model_rule *rule)
{
	struct nlmsghdr *header =
		begin(buffer, type, sizeof(struct fib_rule_hdr));
	struct fib_rule_hdr *body = mnl_nlmsg_get_payload(header);

	body->family = rule->family;
	body->action = rule->action;
	body->table = (uint8_t)rule->table;
	body->dst_len = rule->length;
	mnl_attr_put_u32(header, FRA_TABLE, rule->table);
	mnl_attr_put_u32(header, FRA_SUPPRESS_PREFIXLEN,
			 (uint32_t)rule->suppress);
	if (rule->priority)
		mnl_attr_put_u32(header, FRA_PRIORITY, rule->priority);
	if (rule->length)
		mnl_attr_put(header, FRA_DST, size_of(rule->family),
			     rule->prefix);
	if (rule->incoming)
		mnl_attr_put_strz(header, FRA_IIFNAME, "eth0");
	if (rule->mark) {
		mnl_attr_put_u32(header, FRA_FWMARK, rule->mark);
		mnl_attr_put_u32(header, FRA_FWMASK, UINT32_MAX);
	}
	return header;
}

struct nlmsghdr *model_put_netconf(const struct model *model, void *buffer,
				   uint8_t family, int index)
{
	struct nlmsghdr *header =
		begin(buffer, RTM_NEWNETCONF, sizeof(struct netconfmsg));
	struct netconfmsg *body = mnl_nlmsg_get_payload(header);

	body->ncm_family = family;
	mnl_attr_put_u32(header, NETCONFA_IFINDEX, (uint32_t)index);
	mnl_attr_put_u32(header, NETCONFA_FORWARDING, 0);
	mnl_attr_put_u32(header, NETCONFA_IGNORE_ROUTES_WITH_LINKDOWN,
			 model->ignore_linkdown[model_side(family)]);
	return header;
}

void model_tell(struct model *model, const struct nlmsghdr *header)
{
	struct model_event *event = &model->events[model->event_count];

	if (model->event_count == MODEL_EVENTS) {
		model->lost = true;
		return;
	}
	event->size = header->nlmsg_len;
	event->bytes = fuzz_copy(header, event->size);
	model->event_count++;
}

void model_tell_link(struct model *model, uint16_t type, uint32_t index)
{
	_Alignas(8) uint8_t buffer[MODEL_MESSAGE];

	model_tell(model, model_put_link(model, buffer, type, index));
}

void model_tell_address(struct model *model, uint16_t type, uint8_t family,
			uint32_t index, uint32_t n)
{
	_Alignas(8) uint8_t buffer[MODEL_MESSAGE];

	model_tell(model,
		   model_put_address(model, buffer, type, family, index, n));
}

void model_tell_route(struct model *model, uint16_t type,
		      const struct model_route *route)
{
	_Alignas(8) uint8_t buffer[MODEL_MESSAGE];

	model_tell(model, model_put_route(model, buffer, type, route));
}

void model_tell_nexthop(struct model *model, uint16_t type, uint32_t id)
{
	const struct model_nexthop *nexthop = &model->nexthops[id];
	_Alignas(8) uint8_t buffer[MODEL_MESSAGE];
	struct nlmsghdr *header = begin(buffer, type, sizeof(struct nhmsg));
	struct nhmsg *body = mnl_nlmsg_get_payload(header);

	body->nh_family = nexthop->family;
	mnl_attr_put_u32(header, NHA_ID, id);
	mnl_attr_put_u32(header, NHA_OIF, nexthop->output);
	model_tell(model, header);
}
