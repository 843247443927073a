/* SPDX-License-Identifier: MIT */
/* Opens rtnetlink sockets and receives from them. Options that old kernels
 * refuse are optional: the decoder handles longer answers. */
#include "system/system.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/kernel.h"

#ifndef SOL_NETLINK
#define SOL_NETLINK 270
#endif

/* SO_RCVBUF of the request socket in bytes; the kernel doubles it. A batch has
 * up to 256 answers of 832 bytes, 213 KB, which is all that the default
 * holds. */
#define LOOKUPS_BUFFER (512 * 1024)

void reach_descriptor_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Sets SO_RCVBUF to as much of @size bytes as is granted. SO_RCVBUFFORCE, which
 * needs CAP_NET_ADMIN, exceeds net.core.rmem_max (socket(7)). A smaller buffer
 * means more overruns, and is no error. */
static void set_receive_buffer(int fd, uint32_t size)
{
	const int value = size > INT32_MAX / 2 ? INT32_MAX / 2 : (int)size;

	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &value, sizeof(value)))
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &value,
				 sizeof(value));
}

static int open_route(void)
{
	const int fd = socket(AF_NETLINK,
			      SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK,
			      NETLINK_ROUTE);

	/* firejail's error, which also means that a group is refused. */
	if (fd < 0)
		return errno == EOPNOTSUPP ? -EPROTONOSUPPORT : -errno;
	return fd;
}

/* Joins a group, or leaves it. */
static int join(int fd, unsigned int group, bool member)
{
	const int option = member ? NETLINK_ADD_MEMBERSHIP
				  : NETLINK_DROP_MEMBERSHIP;

	return setsockopt(fd, SOL_NETLINK, option, &group, sizeof(group))
		       ? -errno
		       : 0;
}

/* The error to return for @err of a refused group. Sandboxes without multicast
 * return different ones (EOPNOTSUPP, ENOPROTOOPT, EINVAL, EPERM). Linux itself
 * fails only for lack of memory. */
static int refusal(int err)
{
	return err == -ENOMEM || err == -ENOBUFS ? err : -EOPNOTSUPP;
}

int reach_socket_events(uint32_t receive_buffer)
{
	static const unsigned int groups[] = {
		RTNLGRP_LINK,	    RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR,
		RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV6_ROUTE,
	};
	/* A kernel without policy rules, netconf or nexthop objects (before
	 * 5.3) refuses the group, and has no such events. */
	static const unsigned int optional[] = {
		RTNLGRP_IPV4_RULE,    RTNLGRP_IPV6_RULE, RTNLGRP_IPV4_NETCONF,
		RTNLGRP_IPV6_NETCONF, RTNLGRP_NEXTHOP,
	};
	const struct sockaddr_nl any = { .nl_family = AF_NETLINK };
	const int fd = open_route();
	int err = 0;
	size_t i;

	if (fd < 0)
		return fd;
	set_receive_buffer(fd, receive_buffer);
	if (bind(fd, (const struct sockaddr *)&any, sizeof(any)))
		err = -errno;
	for (i = 0; !err && i < sizeof(groups) / sizeof(*groups); i++)
		err = join(fd, groups[i], true);
	for (i = 0; !err && i < sizeof(optional) / sizeof(*optional); i++)
		(void)join(fd, optional[i], true);
	if (err) {
		close(fd);
		return refusal(err);
	}
	return fd;
}

int reach_socket_follow_neighbors(int fd, bool follow)
{
	return join(fd, RTNLGRP_NEIGH, follow);
}

int reach_socket_lookups(bool few)
{
	const int fd = open_route();
	const int on = 1;

	if (fd < 0)
		return fd;
	/* Since 4.20 (netlink(7)). Without it dumps ignore their filters. */
	(void)setsockopt(fd, SOL_NETLINK, NETLINK_GET_STRICT_CHK, &on,
			 sizeof(on));
	if (few)
		return fd;
	/* Since 4.3. Without it errors are longer. */
	(void)setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	set_receive_buffer(fd, LOOKUPS_BUFFER);
	return fd;
}

int reach_receive(int fd, void *buffer, size_t room, struct reach_datagram *ret)
{
	struct sockaddr_nl sender = { 0 };
	socklen_t length;
	ssize_t size;

	do {
		length = sizeof(sender);
		/* MSG_TRUNC returns the length of the datagram, not of the part
		 * that fitted. */
		size = recvfrom(fd, buffer, room, MSG_DONTWAIT | MSG_TRUNC,
				(struct sockaddr *)&sender, &length);
	} while (size < 0 && errno == EINTR);
	if (size < 0)
		return -errno;
	*ret = (struct reach_datagram){
		.bytes = buffer,
		.size = (size_t)size < room ? (size_t)size : room,
		.from_kernel = length == sizeof(sender) && sender.nl_pid == 0,
		.truncated = (size_t)size > room,
	};
	return 0;
}
