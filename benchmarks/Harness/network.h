/* SPDX-License-Identifier: MIT */
/* Shared by the programs that need a namespace with routes in it. */
#ifndef NETWORK_H
#define NETWORK_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <net/if.h>

enum family {
	INET = 1,
	INET6 = 2
};

#define AT_ONCE 64
#define BLOCK	1024

/* The first byte of the storm's addresses; in IPv6, it follows 2001:db8. */
#define STORM_FIRST 20

/* 0, until enter_namespace(): the kernel finds the gateway's interface. */
static uint32_t interface_index;

static inline void __attribute__((noreturn)) die(const char *what)
{
	perror(what);
	exit(1);
}

static inline double clock_ms(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static inline void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static inline uint32_t next_random(void)
{
	static uint64_t state = 88172645463325252U;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 16);
}

static inline size_t put_route(void *buffer, int family, uint16_t type,
			       const uint8_t *destination, uint8_t length)
{
	static const uint8_t gateways[2][16] = {
		{ 10, 9, 0, 2 },
		{ 0x20, 1, 0xd, 0xb8, 0, 9, [15] = 2 },
	};
	const size_t size = family == AF_INET ? 4 : 16;
	struct nlmsghdr *header = mnl_nlmsg_put_header(buffer);
	struct rtmsg *body;

	header->nlmsg_type = type;
	header->nlmsg_flags = NLM_F_REQUEST |
			      (type == RTM_NEWROUTE ? NLM_F_CREATE : 0);
	body = mnl_nlmsg_put_extra_header(header, sizeof(*body));
	body->rtm_family = (uint8_t)family;
	body->rtm_dst_len = length;
	body->rtm_table = RT_TABLE_MAIN;
	body->rtm_protocol = RTPROT_STATIC;
	body->rtm_type = RTN_UNICAST;
	if (length)
		mnl_attr_put(header, RTA_DST, size, destination);
	mnl_attr_put(header, RTA_GATEWAY, size, gateways[family == AF_INET6]);
	mnl_attr_put_u32(header, RTA_OIF, interface_index);
	return header->nlmsg_len;
}

/* Adds or removes a route to an IPv4 host or an IPv6 network (/64). The last
 * byte of its prefix is even. */
static inline size_t put_change(void *buffer, int family, uint32_t number,
				bool add)
{
	const uint8_t bytes[4] = { STORM_FIRST, (uint8_t)(number >> 15),
				   (uint8_t)(number >> 7),
				   (uint8_t)(number << 1) };
	uint8_t inet6[16] = { 0x20, 1, 0xd, 0xb8 };
	const uint16_t type = add ? RTM_NEWROUTE : RTM_DELROUTE;

	if (family == AF_INET)
		return put_route(buffer, family, type, bytes, 32);
	memcpy(inet6 + 4, bytes, sizeof(bytes));
	return put_route(buffer, family, type, inet6, 64);
}

static inline void change_defaults(int fd, enum family families, bool add)
{
	static uint32_t buffer[256];
	const uint16_t type = add ? RTM_NEWROUTE : RTM_DELROUTE;
	size_t size = 0;

	if (families & INET)
		size += put_route(buffer, AF_INET, type, NULL, 0);
	if (families & INET6)
		size += put_route((uint8_t *)buffer + size, AF_INET6, type,
				  NULL, 0);
	if (send(fd, buffer, size, 0) < 0)
		die("send");
}

/* Writes blocks of routes that come and go, so that the tables stay small.
 * @return the least time of two blocks, in milliseconds: other load only adds
 * time. */
static inline double write_storm(int fd, enum family families, uint32_t changes)
{
	static uint32_t buffer[AT_ONCE * 32];
	double begin = clock_ms(CLOCK_MONOTONIC), least = 1e12;
	uint32_t done, i;

	for (done = 0; done < changes; done += AT_ONCE) {
		const bool add = done / BLOCK % 2 == 0;
		const uint32_t first =
			done / (2 * BLOCK) * BLOCK + done % BLOCK;
		size_t size = 0;

		if (done == changes / 2)
			change_defaults(fd, families, false);
		for (i = 0; i < AT_ONCE; i++) {
			const bool inet6 = families == INET6 ||
					   (families != INET && i % 2);

			size += put_change((uint8_t *)buffer + size,
					   inet6 ? AF_INET6 : AF_INET,
					   first + i, add);
		}
		if (send(fd, buffer, size, 0) < 0)
			die("send");
		if ((done + AT_ONCE) % (2 * BLOCK) == 0) {
			const double end = clock_ms(CLOCK_MONOTONIC);

			least = end - begin < least ? end - begin : least;
			begin = end;
		}
	}
	return least;
}

/* Events dropped by full receive buffers, over all sockets of the namespace. */
static inline uint64_t count_drops(void)
{
	FILE *file = fopen("/proc/thread-self/net/netlink", "re");
	unsigned long long drops, sum = 0;
	char line[256];

	if (!file)
		die("/proc/thread-self/net/netlink");
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "%*s %*s %*s %*s %*s %*s %*s %*s %llu",
			   &drops) == 1)
			sum += drops;
	fclose(file);
	return sum;
}

/* Enters a namespace with v0, which has addresses and default routes. Waits
 * until the kernel's own changes are over: it announces an address just before
 * the local route that comes with it. */
static inline void enter_namespace(void)
{
	if (unshare(CLONE_NEWNET))
		die("unshare(CLONE_NEWNET)");
	if (system("sysctl -qw net.ipv6.conf.all.accept_dad=0 "
		   "net.ipv6.conf.default.accept_dad=0 "
		   "net.ipv6.conf.default.addr_gen_mode=1 && "
		   "ip link add v0 type veth peer name v1 && "
		   "ip link set lo up && ip link set v1 up && "
		   "ip link set v0 up && ip addr add 10.9.0.1/24 dev v0 && "
		   "ip addr add 2001:db8:9::1/64 dev v0 nodad && "
		   "ip route add default via 10.9.0.2 proto static && "
		   "ip route add default via 2001:db8:9::2 proto static && "
		   "until ip -6 route show table local | grep -q :9::1; do "
		   "sleep 0.01; done; "
		   "until ip link show v0 | grep -q 'state UP'; do "
		   "sleep 0.01; done"))
		exit(1);
	interface_index = if_nametoindex("v0");
}

#endif
