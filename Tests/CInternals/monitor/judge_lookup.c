/* SPDX-License-Identifier: MIT */
#include "monitor/judge_lookup.h"

#include <net/if.h>
#include <string.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>

static void put_address(struct nlmsghdr *header, uint16_t type,
			const struct reach_address *address)
{
	mnl_attr_put(header, type, address->family == AF_INET ? 4 : 16,
		     address->bytes);
}

static void write_request(struct nlmsghdr *header,
			  const struct reach_target *target,
			  const uint8_t *source, uint32_t flags)
{
	const uint16_t family = target->remote.family;
	const uint8_t bits = family == AF_INET ? 32 : 128;
	struct reach_address from = { .family = family };
	struct rtmsg *route;

	header->nlmsg_type = RTM_GETROUTE;
	header->nlmsg_flags = NLM_F_REQUEST;
	route = mnl_nlmsg_put_extra_header(header, sizeof(*route));
	route->rtm_family = (uint8_t)family;
	route->rtm_dst_len = bits;
	route->rtm_flags = flags;
	put_address(header, RTA_DST, &target->remote);
	if (source) {
		memcpy(from.bytes, source, sizeof(from.bytes));
		route->rtm_src_len = bits;
		put_address(header, RTA_SRC, &from);
	}
	if (target->interface_name[0])
		mnl_attr_put_u32(header, RTA_OIF,
				 if_nametoindex(target->interface_name));
	if (target->mark)
		mnl_attr_put_u32(header, RTA_MARK, target->mark);
	if (target->uid != REACH_UID_CALLER)
		mnl_attr_put_u32(header, RTA_UID, target->uid);
}

static void read_gateway(uint16_t family, const void *bytes, size_t size,
			 struct reach_address *ret)
{
	ret->family = family;
	memcpy(ret->bytes, bytes, size);
}

static void read_attribute(const struct nlattr *attribute, uint16_t family,
			   struct judge_route *ret)
{
	const struct rtvia *via = mnl_attr_get_payload(attribute);

	switch (mnl_attr_get_type(attribute)) {
	case RTA_OIF:
		ret->link = mnl_attr_get_u32(attribute);
		break;
	case RTA_GATEWAY:
		read_gateway(family, via, mnl_attr_get_payload_len(attribute),
			     &ret->gateway);
		break;
	case RTA_VIA:
		read_gateway(via->rtvia_family, via->rtvia_addr,
			     mnl_attr_get_payload_len(attribute) -
				     sizeof(via->rtvia_family),
			     &ret->gateway);
		break;
	case RTA_ENCAP_TYPE:
		ret->is_encapsulated = true;
		break;
	default:
		break;
	}
}

struct judge_route judge_lookup(int fd, const struct reach_target *target,
				const uint8_t *source, uint32_t flags)
{
	struct judge_route route = { .link = 0 };
	const struct nlattr *attribute;
	struct nlmsghdr *header;
	const struct rtmsg *body;
	char buffer[4096];
	ssize_t size;

	header = mnl_nlmsg_put_header(buffer);
	write_request(header, target, source, flags);
	if (send(fd, buffer, header->nlmsg_len, 0) < 0)
		return route;
	size = recv(fd, buffer, sizeof(buffer), 0);
	if (size < 0 || !mnl_nlmsg_ok(header, (int)size) ||
	    header->nlmsg_type != RTM_NEWROUTE)
		return route;
	body = mnl_nlmsg_get_payload(header);
	/* IPv6 answers with the error route itself, whose link is lo. */
	if (body->rtm_type >= RTN_BLACKHOLE)
		return route;
	mnl_attr_for_each(attribute, header, sizeof(*body))
		read_attribute(attribute, body->rtm_family, &route);
	return route;
}

int judge_lookup_open(void)
{
	return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
}
