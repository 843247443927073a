/* SPDX-License-Identifier: MIT */
/* Records the kernel's events for one link, with libmnl alone, to compare the
 * library's states with them. */
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/if.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "guest.h"

static void append(struct announced *announced, char letter)
{
	if (letter == announced->letters[announced->count - 1] ||
	    !CHECK(announced->count < SEEN_MAX))
		return;
	announced->letters[announced->count++] = letter;
	announced->letters[announced->count] = '\0';
}

void announced_open(struct announced *announced, const struct seen *seen)
{
	memset(announced, 0, sizeof(*announced));
	announced->index = seen->state.interface_index;
	announced->letters[0] = seen->letters[seen->count - 1];
	announced->count = 1;
	announced->socket =
		mnl_socket_open2(NETLINK_ROUTE, SOCK_NONBLOCK | SOCK_CLOEXEC);
	CHECK(announced->socket &&
	      mnl_socket_bind(announced->socket, RTMGRP_LINK,
			      MNL_SOCKET_AUTOPID) == 0);
}

void announced_close(struct announced *announced)
{
	mnl_socket_close(announced->socket);
}

/* An event of the wireless extensions has no operstate: the last one stays. */
static int take_operstate(const struct nlattr *attr, void *data)
{
	struct announced *announced = data;

	if (mnl_attr_get_type(attr) == IFLA_OPERSTATE)
		announced->operstate = mnl_attr_get_u8(attr);
	return MNL_CB_OK;
}

static int take_link(const struct nlmsghdr *nlh, void *data)
{
	const struct ifinfomsg *link = mnl_nlmsg_get_payload(nlh);
	struct announced *announced = data;

	if ((unsigned int)link->ifi_index != announced->index ||
	    nlh->nlmsg_type != RTM_NEWLINK)
		return MNL_CB_OK;
	mnl_attr_parse(nlh, sizeof(*link), take_operstate, announced);
	if (!(link->ifi_flags & IFF_UP))
		append(announced, 'n');
	else if (!(link->ifi_flags & IFF_LOWER_UP))
		append(announced, 'x');
	else if (link->ifi_flags & IFF_RUNNING)
		append(announced, 'd');
	else
		append(announced,
		       announced->operstate == IF_OPER_DORMANT ? 'q' : 'x');
	return MNL_CB_OK;
}

static void read_all(struct announced *announced)
{
	char buf[32768];
	ssize_t size;

	while ((size = mnl_socket_recvfrom(announced->socket, buf,
					   sizeof(buf))) > 0)
		CHECK(mnl_cb_run(buf, (size_t)size, 0, 0, take_link,
				 announced) >= 0);
	CHECK(size < 0 && errno == EAGAIN);
}

void expect_announced(struct seen *seen, struct announced *announced)
{
	const char *letter = seen->letters, *next = announced->letters;

	read_all(announced);
	printf("%s: %s, announced %s\n", seen->text, seen->letters,
	       announced->letters);
	for (; *letter && next; letter++)
		next = strchr(next, *letter);
	CHECK(next);
	CHECK(seen->letters[seen->count - 1] ==
	      announced->letters[announced->count - 1]);
	announced->letters[0] = announced->letters[announced->count - 1];
	announced->letters[1] = '\0';
	announced->count = 1;
	expect(seen, "");
}
