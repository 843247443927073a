/* SPDX-License-Identifier: MIT */
/* Kernels before 4.13 ignore RTM_F_FIB_MATCH. They answer as if to a plain
 * lookup, with the destination's full prefix length. */
#include <errno.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>

#include "bytes.h"

/* More targets than the engine looks up without the match. */
#define TARGETS 200

static int look_up(struct bytes *bytes, const struct nlmsghdr *request,
		   struct nlmsghdr *ret)
{
	struct rtmsg *body = mnl_nlmsg_get_payload(ret);
	const bool *is_routed = bytes->context;

	if (!*is_routed)
		return ENETUNREACH;
	/* net/ipv6/route.c of 4.9 sets the flag only for exceptions. */
	if (body->rtm_family == AF_INET)
		body->rtm_flags |= RTM_F_CLONED;
	return bytes_route(bytes, request, ret);
}

static void the_length_is_not_known(uint8_t family)
{
	bool is_routed = true;
	SCOPED_BYTES bytes = { .look_up = look_up, .context = &is_routed };

	bytes_open(&bytes, BYTES_SECOND);
	bytes_watch_many(&bytes,
			 family == AF_INET ? "192.0.2." : "2001:db8::", TARGETS,
			 NULL);
	CHECK(bytes_settle(&bytes) == TARGETS);
	is_routed = false;
	bytes_tell_route(&bytes, RTM_DELROUTE, family);
	CHECK(bytes_settle(&bytes) == TARGETS);
	is_routed = true;
	bytes_tell_route(&bytes, RTM_NEWROUTE, family);
	CHECK(bytes_settle(&bytes) == TARGETS);
}

void test_old_kernel(void)
{
	the_length_is_not_known(AF_INET);
	the_length_is_not_known(AF_INET6);
}
