/* SPDX-License-Identifier: MIT */
/*
 * Records rtnetlink datagrams as recv() returns them, each after its length
 * (u32, host order).
 *
 *	recorder dump FILE WHAT     the answers to one dump
 *	recorder events FILE        multicast events until stdin ends
 *
 * `events` prints "ready" to stdout once it receives events.
 */
#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define RECEIVE_BUFFER (64 * 1024 * 1024)

static _Alignas(struct nlmsghdr) char datagram[256 * 1024];

struct request {
	struct nlmsghdr header;
	struct rtmsg body;
};

static const struct {
	const char *name;
	uint16_t type;
	uint8_t family;
} dumps[] = {
	{ "links", RTM_GETLINK, AF_UNSPEC },
	{ "addresses", RTM_GETADDR, AF_UNSPEC },
	{ "routes4", RTM_GETROUTE, AF_INET },
	{ "routes6", RTM_GETROUTE, AF_INET6 },
};

static const int groups[] = { RTNLGRP_LINK,	    RTNLGRP_IPV4_IFADDR,
			      RTNLGRP_IPV6_IFADDR,  RTNLGRP_IPV4_ROUTE,
			      RTNLGRP_IPV6_ROUTE,   RTNLGRP_IPV4_RULE,
			      RTNLGRP_IPV6_RULE,    RTNLGRP_NEXTHOP,
			      RTNLGRP_IPV4_NETCONF, RTNLGRP_IPV6_NETCONF };

static void die(const char *what)
{
	fprintf(stderr, "recorder: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int open_socket(void)
{
	const int size = RECEIVE_BUFFER;
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);

	if (fd < 0)
		die("socket");
	/* Needs CAP_NET_ADMIN. An overrun ends the recording with an error. */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) < 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	return fd;
}

/* Receives one datagram and writes it; 0 when there is none. */
static size_t record(int fd, int flags, FILE *file)
{
	ssize_t size = recv(fd, datagram, sizeof(datagram), flags | MSG_TRUNC);
	uint32_t length;

	if (size < 0 && errno == EAGAIN)
		return 0;
	if (size < 0)
		die("recv");
	if ((size_t)size > sizeof(datagram)) {
		errno = EMSGSIZE;
		die("recv");
	}
	length = (uint32_t)size;
	if (fwrite(&length, sizeof(length), 1, file) != 1 ||
	    fwrite(datagram, length, 1, file) != 1)
		die("write");
	return length;
}

static bool ends_dump(size_t size)
{
	const struct nlmsghdr *header = (const void *)datagram;

	while (size >= sizeof(*header) &&
	       header->nlmsg_len >= sizeof(*header) &&
	       header->nlmsg_len <= size) {
		size_t step = NLMSG_ALIGN(header->nlmsg_len);

		if (header->nlmsg_type == NLMSG_DONE ||
		    header->nlmsg_type == NLMSG_ERROR)
			return true;
		if (step >= size)
			break;
		size -= step;
		header = (const void *)((const char *)header + step);
	}
	return false;
}

static void record_dump(FILE *file, const char *what)
{
	struct request request = {
		.header = { .nlmsg_len = sizeof(request),
			    .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
			    .nlmsg_seq = 1 },
	};
	int fd = open_socket();

	for (size_t i = 0; i < sizeof(dumps) / sizeof(dumps[0]); i++) {
		if (strcmp(dumps[i].name, what) == 0) {
			request.header.nlmsg_type = dumps[i].type;
			request.body.rtm_family = dumps[i].family;
		}
	}
	if (request.header.nlmsg_type == 0) {
		fprintf(stderr, "recorder: no dump is called '%s'\n", what);
		exit(64);
	}
	if (send(fd, &request, sizeof(request), 0) < 0)
		die("send");
	while (!ends_dump(record(fd, 0, file)))
		;
	close(fd);
}

static void record_events(FILE *file)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK };
	struct pollfd polled[2] = { { .fd = STDIN_FILENO, .events = POLLIN },
				    { .events = POLLIN } };
	char ignored[64];
	int fd = open_socket();

	if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		die("bind");
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		if (setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP,
			       &groups[i], sizeof(groups[i])) < 0)
			die("join");
	puts("ready");
	fflush(stdout);
	polled[1].fd = fd;
	while (poll(polled, 2, -1) > 0) {
		while (record(fd, MSG_DONTWAIT, file) > 0)
			;
		/* Events of changes before the end are queued by now. */
		if (polled[0].revents != 0 &&
		    read(STDIN_FILENO, ignored, sizeof(ignored)) <= 0)
			break;
	}
	while (record(fd, MSG_DONTWAIT, file) > 0)
		;
	close(fd);
}

int main(int argc, char **argv)
{
	FILE *file;

	if (!(argc == 4 && strcmp(argv[1], "dump") == 0) &&
	    !(argc == 3 && strcmp(argv[1], "events") == 0)) {
		fputs("usage: recorder dump FILE WHAT | events FILE\n", stderr);
		return 64;
	}
	file = fopen(argv[2], "we");
	if (file == NULL)
		die(argv[2]);
	if (argc == 4)
		record_dump(file, argv[3]);
	else
		record_events(file);
	if (fclose(file) != 0)
		die(argv[2]);
	return 0;
}
