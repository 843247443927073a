/* SPDX-License-Identifier: MIT */
/* The yardstick of latency.c, and the library. */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>

#include <reach/reach.h>

#include "latency.h"

static bool look_up(int fd)
{
	uint32_t buffer[2048];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buffer);
	struct rtmsg *rtm;

	nlh->nlmsg_type = RTM_GETROUTE;
	nlh->nlmsg_flags = NLM_F_REQUEST;
	rtm = mnl_nlmsg_put_extra_header(nlh, sizeof(*rtm));
	rtm->rtm_family = AF_INET;
	rtm->rtm_dst_len = 32;
	mnl_attr_put_u32(nlh, RTA_DST, inet_addr(BOARD_TARGET));
	if (send(fd, nlh, nlh->nlmsg_len, 0) < 0 ||
	    recv(fd, buffer, sizeof(buffer), 0) < 0)
		latency_die("lookup");
	return nlh->nlmsg_type == RTM_NEWROUTE;
}

void latency_raw(struct board *board)
{
	const struct sockaddr_nl groups = { .nl_family = AF_NETLINK,
					    .nl_groups = RTMGRP_IPV4_ROUTE };
	const int events = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	const int questions = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	static uint32_t buffer[8192];

	if (bind(events, (const void *)&groups, sizeof(groups)))
		latency_die("bind");
	board_post(board, look_up(questions));
	for (;;) {
		if (recv(events, buffer, sizeof(buffer), 0) < 0 &&
		    errno != ENOBUFS)
			latency_die("recv");
		board_post(board, look_up(questions));
	}
}

/* Watches BOARD_TARGET, and up to 99 others behind the same route. None is in
 * 127.0.0.0/8: those addresses also match the default route, as lo is down, but
 * each has a lookup of its own. */
static struct reach_monitor *watch(unsigned int targets, uint64_t *id)
{
	struct reach_monitor *monitor;
	struct reach_target target;
	uint64_t other;
	unsigned int i;

	reach_target_init(&target, REACH_TARGET_ADDRESS);
	reach_address_parse(BOARD_TARGET, &target.remote);
	if (reach_monitor_open(&monitor, NULL) ||
	    reach_monitor_add(monitor, &target, id))
		latency_die("reach_monitor_open");
	for (i = 1; i < targets; i++) {
		target.remote.bytes[0] = (uint8_t)(20 + i);
		if (reach_monitor_add(monitor, &target, &other))
			latency_die("reach_monitor_add");
	}
	return monitor;
}

/* Follows @changes of them, and then closes the monitor; 0: all. */
static void follow(struct board *board, unsigned int targets,
		   unsigned int changes)
{
	struct reach_change change = { .size = sizeof(change) };
	struct pollfd pollfd = { .events = POLLIN };
	unsigned int posted = 0;
	uint64_t id;
	struct reach_monitor *monitor = watch(targets, &id);

	pollfd.fd = reach_monitor_fd(monitor);
	while (!changes || posted <= changes) {
		if (reach_monitor_dispatch(monitor) < 0)
			latency_die("reach_monitor_dispatch");
		while (reach_monitor_next(monitor, &change) == 1)
			if (change.id == id) {
				board_post(board, change.state.flags &
							  REACH_FLAG_REACHABLE);
				posted++;
			}
		if (!changes || posted <= changes)
			poll(&pollfd, 1, -1);
	}
	reach_monitor_close(monitor);
}

void latency_library(struct board *board)
{
	follow(board, 1, 0);
}

void latency_library_20(struct board *board)
{
	follow(board, 20, 0);
}

void latency_library_60(struct board *board)
{
	follow(board, 60, 0);
}

void latency_library_100(struct board *board)
{
	follow(board, 100, 0);
}

void latency_library_second(struct board *board)
{
	follow(board, 1, LATENCY_FIRST_MONITOR);
	follow(board, 1, 0);
}
