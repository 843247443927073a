/* SPDX-License-Identifier: MIT */
#include "include/CBoard.h"

#include <arpa/inet.h>
#include <errno.h>
#include <sys/socket.h>

#include <linux/rtnetlink.h>

int board_bare_open(struct board_bare *ret)
{
	const struct sockaddr_nl groups = { .nl_family = AF_NETLINK,
					    .nl_groups = RTMGRP_IPV4_ROUTE };

	ret->events = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	ret->lookups = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	if (ret->events < 0 || ret->lookups < 0 ||
	    bind(ret->events, (const void *)&groups, sizeof(groups)))
		return -errno;
	return 0;
}

int board_bare_wait(const struct board_bare *bare)
{
	uint32_t buffer[8192];

	if (recv(bare->events, buffer, sizeof(buffer), 0) < 0 &&
	    errno != ENOBUFS)
		return -errno;
	return 0;
}

int board_bare_look_up(const struct board_bare *bare)
{
	struct {
		struct nlmsghdr header;
		struct rtmsg route;
		struct rtattr attribute;
		struct in_addr destination;
	} request = {
		.header = { .nlmsg_len = sizeof(request),
			    .nlmsg_type = RTM_GETROUTE,
			    .nlmsg_flags = NLM_F_REQUEST },
		.route = { .rtm_family = AF_INET, .rtm_dst_len = 32 },
		.attribute = { .rta_len =
				       RTA_LENGTH(sizeof(request.destination)),
			       .rta_type = RTA_DST },
	};
	union {
		struct nlmsghdr header;
		uint32_t room[2048];
	} answer;

	inet_pton(AF_INET, BOARD_TARGET, &request.destination);
	if (send(bare->lookups, &request, sizeof(request), 0) < 0 ||
	    recv(bare->lookups, &answer, sizeof(answer), 0) < 0)
		return -errno;
	return answer.header.nlmsg_type == RTM_NEWROUTE;
}
