/* SPDX-License-Identifier: MIT */
/* The events of storm.c that cannot matter to 100,000 targets, half of them
 * IPv6: how many messages are delivered, and how many lookups are sent. */
#include <poll.h>

#include <reach/reach.h>

#include "network.h"
#include "storm_contenders.h"

#define TARGETS 100000

struct event {
	const char *name;
	/* Arguments of ip, where N is a number from 1 on, and M is 1500 more.
	 * NULL for synthetic messages about v0 with IFLA_WIRELESS, as a Wi-Fi
	 * driver announces the results of a scan. */
	const char *lines;
	/* Messages that may be delivered per line. */
	int messages;
	/* Any target may have its source: IPv4 targets, which are one group,
	 * are looked up. */
	bool asks;
};

/*
 * A new lifetime of an address comes as RTM_NEWADDR. So do its flags
 * (tentative, deprecated), which affect sources. Only the table of addresses
 * shows that they are unchanged, so the event is delivered, but causes no
 * lookup. An address elsewhere may matter: a route without a source of its own
 * may use it (inet_select_addr(), net/ipv4/devinet.c; ipv6_dev_get_saddr(),
 * net/ipv6/addrconf.c). IPv4 takes two lookups, and two more in the end.
 */
static const struct event events[] = {
	{ "neighbors", "neigh replace 10.9.0.N lladdr 02:00:00:00:00:01 dev v0",
	  0, false },
	{ "routes to elsewhere", "route replace blackhole 203.0.113.N", 0,
	  false },
	{ "errors elsewhere, IPv6", "route replace blackhole 2001:db7:N::/48",
	  0, false },
	{ "tables that no rule uses",
	  "route replace blackhole 20.0.0.0/8 table N", 0, false },
	{ "the same, IPv6", "route replace blackhole 2001:db8::/32 table N", 0,
	  false },
	{ "bridge ports", "link set w0 type bridge_slave cost N", 0, false },
	{ "MTU", "link set v0 mtu M", 1, false },
	{ "queue length", "link set v0 txqueuelen M", 1, false },
	{ "alias", "link set v0 alias aN", 1, false },
	{ "Wi-Fi scans", NULL, 0, false },
	{ "addresses elsewhere", "addr add 172.16.0.N/32 dev d0", 1, true },
	{ "address lifetimes",
	  "addr change 10.9.0.1/24 dev v0 valid_lft 9N preferred_lft 9N", 1,
	  false },
	{ "address lifetimes, IPv6",
	  "addr change 2001:db8:9::1/64 dev v0 valid_lft 9N preferred_lft 9N",
	  1, false },
};

/* Until there is nothing left to do, including a new filter and the confirming
 * lookup, 500 ms after a change. */
static struct reach_stats settle(struct reach_monitor *monitor)
{
	struct reach_stats stats = { .size = sizeof(stats) };
	struct reach_change change = { .size = sizeof(change) };
	struct pollfd pollfd = { .fd = reach_monitor_fd(monitor),
				 .events = POLLIN };

	do {
		if (reach_monitor_dispatch(monitor) < 0)
			die("reach_monitor_dispatch");
		while (reach_monitor_next(monitor, &change) == 1)
			;
	} while (poll(&pollfd, 1, 700) == 1);
	reach_monitor_stats(monitor, &stats);
	return stats;
}

/* Sends messages with the contents of wireless_nlevent_flush()
 * (net/wireless/wext-core.c) to the group that announces links. If the filter
 * passed one, the library would wake up, and then reject it, since the kernel
 * has not sent it. */
static void make_wireless(int count)
{
	const struct sockaddr_nl group = { .nl_family = AF_NETLINK,
					   .nl_groups = RTMGRP_LINK };
	const int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	uint32_t buffer[64], event = 0;
	struct nlmsghdr *header;
	struct ifinfomsg *body;

	for (; count > 0; count--) {
		header = mnl_nlmsg_put_header(buffer);
		header->nlmsg_type = RTM_NEWLINK;
		body = mnl_nlmsg_put_extra_header(header, sizeof(*body));
		body->ifi_type = 1;
		body->ifi_index = (int)interface_index;
		body->ifi_flags = IFF_UP | IFF_RUNNING;
		mnl_attr_put_strz(header, IFLA_IFNAME, "v0");
		mnl_attr_put(header, IFLA_WIRELESS, sizeof(event), &event);
		if (sendto(fd, buffer, header->nlmsg_len, 0,
			   (const void *)&group, sizeof(group)) < 0)
			die("a made message");
	}
	close(fd);
}

static void make(const struct event *event, int first, int last)
{
	char command[512];

	if (!event->lines) {
		make_wireless(last - first + 1);
		return;
	}
	snprintf(command, sizeof(command),
		 "for n in $(seq %d %d); do echo '%s' | "
		 "sed \"s/M/$((1500 + n))/; s/N/$n/g\"; done | ip -batch -",
		 first, last, event->lines);
	if (system(command))
		exit(1);
}

static bool measure(struct reach_monitor *monitor, const struct event *event,
		    int count)
{
	struct reach_stats before, after;
	unsigned long long messages, wakeups, questions;
	bool good;

	/* The first event may change something: a permanent address is no
	 * longer permanent. */
	make(event, 1, 1);
	before = settle(monitor);
	make(event, 2, count + 1);
	after = settle(monitor);
	messages = after.events - before.events;
	wakeups = after.wakeups - before.wakeups;
	questions = after.lookups - before.lookups;
	good = messages <= (unsigned int)(event->messages * count) &&
	       questions <= (event->asks ? 4U * (unsigned int)count : 0) &&
	       (event->messages || !wakeups);
	printf("%-26s %26d %9llu %9llu %9llu%s\n", event->name, count, wakeups,
	       messages, questions, good ? "" : "  PAST ITS LIMIT");
	return good;
}

bool storm_events(bool brief)
{
	struct reach_monitor *monitor;
	bool good = true;
	size_t i;

	enter_namespace();
	if (system("ip link add br0 type bridge && ip link add w0 type veth "
		   "peer name w1 && ip link set w0 master br0 && "
		   "ip link add d0 type veth peer name d1 && ip link set d0 "
		   "up"))
		exit(1);
	if (reach_monitor_open(&monitor, NULL))
		die("reach_monitor_open");
	storm_add_targets(monitor, AF_INET, TARGETS / 2);
	storm_add_targets(monitor, AF_INET6, TARGETS / 2);
	settle(monitor);
	printf("%-26s %26s %9s %9s %9s\n", "100,000 targets", "events",
	       "wakeups", "messages", "questions");
	for (i = 0; i < sizeof(events) / sizeof(*events); i++)
		good = measure(monitor, &events[i], brief ? 20 : 200) && good;
	reach_monitor_close(monitor);
	return good;
}
