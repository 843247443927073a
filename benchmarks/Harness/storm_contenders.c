/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <poll.h>

#include <linux/filter.h>

#include <reach/reach.h>

#include "network.h"
#include "peers.h"
#include "storm_contenders.h"

#define DATAGRAMS 64

/* Only the default route leads to it. */
#define PEER_TARGET "8.8.8.8"

/* A socket in the groups that announce routes, with @program as its filter. */
static int subscribe(const struct setup *setup,
		     const struct sock_fprog *program)
{
	const struct sockaddr_nl groups = {
		.nl_family = AF_NETLINK,
		.nl_groups = RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE,
	};
	const int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);

	if (program && setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, program,
				  sizeof(*program)))
		die("SO_ATTACH_FILTER");
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &setup->buffer,
		       sizeof(setup->buffer)) ||
	    bind(fd, (const void *)&groups, sizeof(groups)))
		die("subscribe");
	return fd;
}

void storm_deaf(const struct setup *setup, struct tally *tally)
{
	struct sock_filter nothing = BPF_STMT(BPF_RET | BPF_K, 0);

	subscribe(setup, &(struct sock_fprog){ 1, &nothing });
	atomic_store(&tally->ready, true);
	for (;;)
		pause();
}

void storm_raw(const struct setup *setup, struct tally *tally)
{
	static uint8_t bytes[DATAGRAMS][4096];
	const int fd = subscribe(setup, NULL);
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };
	struct mmsghdr messages[DATAGRAMS] = { 0 };
	struct iovec vectors[DATAGRAMS];
	int i, got;

	for (i = 0; i < DATAGRAMS; i++) {
		vectors[i] = (struct iovec){ bytes[i], sizeof(bytes[i]) };
		messages[i].msg_hdr.msg_iov = &vectors[i];
		messages[i].msg_hdr.msg_iovlen = 1;
	}
	for (;;) {
		atomic_store(&tally->ready, true);
		poll(&pollfd, 1, -1);
		while ((got = recvmmsg(fd, messages, DATAGRAMS, MSG_DONTWAIT,
				       NULL)) > 0 ||
		       errno == ENOBUFS) {
			for (i = 0; i < got; i++) {
				const struct nlmsghdr *nlh =
					(const void *)bytes[i];
				const struct rtmsg *rtm = NLMSG_DATA(nlh);

				if (!rtm->rtm_dst_len)
					tally->reachable = nlh->nlmsg_type ==
							   RTM_NEWROUTE;
			}
			tally->events += got > 0 ? (uint64_t)got : 0;
		}
	}
}

/* A random host that no route of the storm covers: the last byte of its
 * address, or of its IPv6 network (/64), is odd. With @near, its address is
 * among those of the storm. */
static struct reach_address pick(int family, bool near)
{
	struct reach_address ret = { .family = (uint16_t)family };
	uint8_t *bytes = ret.bytes + (family == AF_INET ? 0 : 4);
	const uint32_t bits = next_random();

	memcpy(bytes, &bits, sizeof(bits));
	bytes[0] = near ? STORM_FIRST : (uint8_t)(11 + bytes[0] % 89);
	bytes[1] = near ? bytes[1] % 4 : bytes[1];
	bytes[3] |= 1;
	if (family == AF_INET6) {
		memcpy(ret.bytes, (uint8_t[4]){ 0x20, 1, 0xd, 0xb8 }, 4);
		ret.bytes[15] = 1;
	}
	return ret;
}

/* Adds @count targets with random addresses. If they are few, every other one
 * is inside the storm. */
static void add_targets(struct reach_monitor *monitor, int family, int count)
{
	struct reach_target target;
	uint64_t id;
	int i;

	reach_target_init(&target, REACH_TARGET_ADDRESS);
	for (i = 0; i < count; i++) {
		target.remote = pick(family, i % 2 && count < 1000);
		if (reach_monitor_add(monitor, &target, &id))
			die("reach_monitor_add");
	}
}

static void take(struct reach_monitor *monitor, struct tally *tally,
		 bool *reachable)
{
	struct reach_change change = { .size = sizeof(change) };
	struct reach_stats stats = { .size = sizeof(stats) };

	if (reach_monitor_dispatch(monitor) < 0)
		die("reach_monitor_dispatch");
	while (reach_monitor_next(monitor, &change) == 1) {
		bool *known = &reachable[(uint32_t)change.id];
		const bool is = change.state.flags & REACH_FLAG_REACHABLE;

		tally->reachable += is - *known;
		*known = is;
	}
	reach_monitor_stats(monitor, &stats);
	tally->events = stats.events;
}

void storm_libreach(const struct setup *setup, struct tally *tally)
{
	bool *reachable = calloc(1 << 18, sizeof(*reachable));
	const int64_t count = setup->inet + setup->inet6;
	struct pollfd pollfd = { .events = POLLIN };
	struct reach_monitor_options options;
	struct reach_monitor *monitor;

	reach_monitor_options_init(&options);
	options.receive_buffer = (uint32_t)setup->buffer;
	if (reach_monitor_open(&monitor, &options))
		die("reach_monitor_open");
	add_targets(monitor, AF_INET, setup->inet);
	add_targets(monitor, AF_INET6, setup->inet6);
	pollfd.fd = reach_monitor_fd(monitor);
	/* Until there is nothing left to do, including the filter, which is
	 * built within milliseconds of the first answers. */
	do
		take(monitor, tally, reachable);
	while (tally->reachable < count || poll(&pollfd, 1, 50) == 1);
	atomic_store(&tally->ready, true);
	for (;;) {
		poll(&pollfd, 1, -1);
		take(monitor, tally, reachable);
	}
}

static void post(void *context, bool reachable)
{
	struct tally *tally = context;

	tally->reachable = reachable;
	atomic_store(&tally->ready, true);
}

void storm_libnl(const struct setup *setup, struct tally *tally)
{
	(void)setup;
	peer_libnl(PEER_TARGET, post, tally);
}

void storm_glib(const struct setup *setup, struct tally *tally)
{
	(void)setup;
	peer_glib(PEER_TARGET, post, tally);
}
