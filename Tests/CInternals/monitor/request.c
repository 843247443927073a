/* SPDX-License-Identifier: MIT */
#include "monitor/request.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/if.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>

#include "check.h"

#define SIZE 4096

int request_open(void)
{
	const struct sockaddr_nl any = { .nl_family = AF_NETLINK };
	const int fd =
		socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	if (fd >= 0 && bind(fd, (const struct sockaddr *)&any, sizeof(any)))
		abort();
	return fd;
}

static struct nlmsghdr *request_begin(void *buffer, uint16_t type,
				      uint16_t flags, size_t body)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buffer);

	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = NLM_F_REQUEST | flags;
	mnl_nlmsg_put_extra_header(nlh, body);
	return nlh;
}

static int request_send(int fd, struct nlmsghdr *request)
{
	const struct nlmsgerr *error = mnl_nlmsg_get_payload(request);

	if (send(fd, request, request->nlmsg_len, 0) < 0 ||
	    recv(fd, request, SIZE, 0) < 0)
		return -errno;
	return request->nlmsg_type == NLMSG_ERROR ? error->error : 0;
}

static void put_address(struct nlmsghdr *nlh, uint16_t type,
			const struct reach_address *address)
{
	mnl_attr_put(nlh, type, address->family == AF_INET ? 4 : 16,
		     address->bytes);
}

int request_set_link(int fd, uint32_t index, bool up)
{
	_Alignas(8) uint8_t buffer[SIZE] = { 0 };
	struct nlmsghdr *nlh = request_begin(buffer, RTM_NEWLINK, NLM_F_ACK,
					     sizeof(struct ifinfomsg));
	struct ifinfomsg *body = mnl_nlmsg_get_payload(nlh);

	body->ifi_index = (int)index;
	body->ifi_flags = up ? IFF_UP : 0;
	body->ifi_change = IFF_UP;
	return request_send(fd, nlh);
}

int request_set_address(int fd, uint32_t index, const char *text,
			uint8_t length, bool there)
{
	const struct reach_address address = check_address(text);
	_Alignas(8) uint8_t buffer[SIZE] = { 0 };
	struct nlmsghdr *nlh = request_begin(
		buffer, there ? RTM_NEWADDR : RTM_DELADDR,
		NLM_F_CREATE | NLM_F_ACK, sizeof(struct ifaddrmsg));
	struct ifaddrmsg *body = mnl_nlmsg_get_payload(nlh);

	body->ifa_family = (uint8_t)address.family;
	body->ifa_prefixlen = length;
	body->ifa_flags = IFA_F_NODAD;
	body->ifa_index = index;
	put_address(nlh, IFA_LOCAL, &address);
	return request_send(fd, nlh);
}

int request_set_route(int fd, const struct request_route *route, bool there)
{
	_Alignas(8) uint8_t buffer[SIZE] = { 0 };
	struct nlmsghdr *nlh = request_begin(
		buffer, there ? RTM_NEWROUTE : RTM_DELROUTE,
		NLM_F_ACK | (there ? NLM_F_CREATE : 0), sizeof(struct rtmsg));
	struct rtmsg *body = mnl_nlmsg_get_payload(nlh);

	body->rtm_family = (uint8_t)route->destination.family;
	body->rtm_dst_len = route->length;
	body->rtm_table = RT_TABLE_MAIN;
	body->rtm_protocol = RTPROT_STATIC;
	body->rtm_type = route->type ? route->type : RTN_UNICAST;
	if (route->output && !route->gateway)
		body->rtm_scope = RT_SCOPE_LINK;
	if (route->length)
		put_address(nlh, RTA_DST, &route->destination);
	if (route->output)
		mnl_attr_put_u32(nlh, RTA_OIF, route->output);
	if (route->gateway) {
		const struct reach_address gateway =
			check_address(route->gateway);

		put_address(nlh, RTA_GATEWAY, &gateway);
	}
	return request_send(fd, nlh);
}
