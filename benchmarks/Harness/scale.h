/* SPDX-License-Identifier: MIT */
/* The base of scale: the clock, numbers, limits, and the yardstick. The
 * yardstick is batched RTM_GETROUTE, 128 per send: per address one with
 * RTM_F_FIB_MATCH, and for IPv6 also one without, since only its answer has the
 * source. */
#ifndef SCALE_H
#define SCALE_H

#include <reach/internal/engine.h>
#include <reach/reach.h>

#include "network.h"

#define BATCH	  128
#define DATAGRAMS 64

/* How far a ratio may exceed its goal: other processes share the machine's
 * caches. */
#define ROOM 2

static bool missed;

/* CPU time in nanoseconds. Nothing here waits: the kernel answers inside the
 * call that sends the request. Other processes don't count. */
static inline int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static inline void run(const char *command)
{
	if (system(command) != 0) {
		fprintf(stderr, "failed: %s\n", command);
		exit(1);
	}
}

/* The event after which all targets are looked up again: a nexthop that comes
 * in even rounds, and goes in odd ones. No route uses it, so lookups cost
 * the same as before. After a first rule, they would cost more for good
 * (fib6_has_custom_rules). */
static inline void change_nexthop(size_t round)
{
	run(round % 2 ? "ip nexthop del id 9"
		      : "ip nexthop add id 9 blackhole");
}

/* The best of several, since other load only adds time. */
static inline int64_t best(const int64_t *values, size_t count)
{
	int64_t least = INT64_MAX;

	for (size_t i = 0; i < count; i++)
		if (values[i] < least)
			least = values[i];
	return least;
}

/* Prints a figure. A goal of 0 means none. */
static inline void report(const char *name, double value, const char *unit,
			  double goal, double room)
{
	const bool over = goal > 0 && value > goal * room;

	printf("  %-30s %9.2f %-11s", name, value, unit);
	if (goal > 0)
		printf(" goal %.4g%s", goal, over ? ", MISSED" : "");
	printf("\n");
	missed |= over;
}

static inline void report_ratio(const char *name, double value, double goal)
{
	report(name, value, "", goal, ROOM);
}

/* A condition that must hold on any machine, however slow. */
static inline void demand(bool holds, const char *what)
{
	if (holds)
		return;
	printf("  WRONG: %s\n", what);
	missed = true;
}

/* An address in 11.0.0.0 to 99.255.255.255, or in 2a00::/8. */
static inline struct reach_address random_address(uint8_t family)
{
	struct reach_address address = { .family = family };
	size_t i;

	for (i = 0; i < (family == AF_INET ? 4 : 16); i++)
		address.bytes[i] = (uint8_t)next_random();
	address.bytes[0] = family == AF_INET
				   ? (uint8_t)(11 + address.bytes[0] % 89)
				   : 0x2a;
	return address;
}

static inline size_t
put_request(void *buffer, const struct reach_address *address, bool match)
{
	struct nlmsghdr *header = mnl_nlmsg_put_header(buffer);
	const size_t size = address->family == AF_INET ? 4 : 16;
	struct rtmsg *body;

	header->nlmsg_type = RTM_GETROUTE;
	header->nlmsg_flags = NLM_F_REQUEST;
	body = mnl_nlmsg_put_extra_header(header, sizeof(*body));
	body->rtm_family = (uint8_t)address->family;
	body->rtm_dst_len = (uint8_t)(8 * size);
	body->rtm_flags = match ? RTM_F_FIB_MATCH : 0;
	mnl_attr_put(header, RTA_DST, size, address->bytes);
	return header->nlmsg_len;
}

static inline void receive(struct mnl_socket *socket, size_t count)
{
	static uint8_t bytes[DATAGRAMS][4096];
	struct mmsghdr messages[DATAGRAMS];
	struct iovec vectors[DATAGRAMS];

	while (count > 0) {
		int got;

		memset(messages, 0, sizeof(messages));
		for (int i = 0; i < DATAGRAMS; i++) {
			vectors[i].iov_base = bytes[i];
			vectors[i].iov_len = sizeof(bytes[i]);
			messages[i].msg_hdr.msg_iov = &vectors[i];
			messages[i].msg_hdr.msg_iovlen = 1;
		}
		got = recvmmsg(mnl_socket_get_fd(socket), messages,
			       count < DATAGRAMS ? (unsigned int)count
						 : DATAGRAMS,
			       0, NULL);
		if (got <= 0)
			die("recvmmsg");
		count -= (size_t)got;
	}
}

/* Lookups per address: the matching route, and the path that a packet takes. */
#define LOOKUPS_EACH 2

/* Nanoseconds for @count addresses of a family. */
static inline int64_t yardstick(struct mnl_socket *socket,
				const struct reach_address *addresses,
				size_t count)
{
	static uint32_t buffer[BATCH * 64];
	const size_t each = LOOKUPS_EACH;
	const int64_t start = now();
	size_t done = 0;

	while (done < each * count) {
		size_t size = 0, i;

		for (i = 0; i < BATCH && done + i < each * count; i++)
			size += put_request((uint8_t *)buffer + size,
					    &addresses[(done + i) / each],
					    (done + i) % each == 0);
		if (mnl_socket_sendto(socket, buffer, size) < 0)
			die("send");
		receive(socket, i);
		done += i;
	}
	return now() - start;
}

static inline size_t resident(void)
{
	size_t pages = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	if (!file || fscanf(file, "%*u %zu", &pages) != 1)
		die("statm");
	fclose(file);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* Runs the counted part of case @name of scale_growth.c in the caller's
 * namespace. @return 64 if there is no such case. */
int scale_count(const char *name, uint32_t targets);

#endif
