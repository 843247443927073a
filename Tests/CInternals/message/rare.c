/* SPDX-License-Identifier: MIT */
/* Bounds of rare messages, in heap blocks of their exact size, so that the
 * sanitizer reports reads beyond them. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/lwtunnel.h>
#include <linux/rtnetlink.h>
#include <linux/seg6.h>
#include <linux/seg6_iptunnel.h>

#include <reach/message.h>

#include "check.h"

/* The offsets of the list of segments, and of the index of the next one. */
#define SEGMENTS                                                               \
	(offsetof(struct seg6_iptunnel_encap, srh) +                           \
	 offsetof(struct ipv6_sr_hdr, segments))
#define FIRST_SEGMENT                                                          \
	(offsetof(struct seg6_iptunnel_encap, srh) +                           \
	 offsetof(struct ipv6_sr_hdr, first_segment))

static int decode(const struct nlmsghdr *nlh, struct reach_message *ret)
{
	const size_t size = nlh->nlmsg_len;
	void *copy = malloc(size);
	size_t offset = 0;
	int result;

	if (!copy)
		return -ENOMEM;
	memcpy(copy, nlh, size);
	memset(ret, 0, sizeof(*ret));
	ret->size = sizeof(*ret);
	result = reach_message_decode(copy, size, &offset, ret);
	free(copy);
	return result;
}

/* Decodes a route whose packets get a list of one segment, of which @first is
 * said to be the next. */
static int decode_segments(uint8_t first, struct reach_message *ret)
{
	_Alignas(8) uint8_t bytes[512] = { 0 };
	uint8_t list[SEGMENTS + sizeof(struct in6_addr)] = { 0 };
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(bytes);
	struct rtmsg *rtm = mnl_nlmsg_put_extra_header(nlh, sizeof(*rtm));
	struct nlattr *encap;

	nlh->nlmsg_type = RTM_NEWROUTE;
	rtm->rtm_family = AF_INET6;
	rtm->rtm_table = RT_TABLE_MAIN;
	list[FIRST_SEGMENT] = first;
	list[SEGMENTS] = 0xfd;
	mnl_attr_put_u16(nlh, RTA_ENCAP_TYPE, LWTUNNEL_ENCAP_SEG6);
	encap = mnl_attr_nest_start(nlh, RTA_ENCAP);
	mnl_attr_put(nlh, SEG6_IPTUNNEL_SRH, sizeof(list), list);
	mnl_attr_nest_end(nlh, encap);
	return decode(nlh, ret);
}

static void check_segments(struct check *check)
{
	struct reach_message message;

	CHECK(check, decode_segments(0, &message) == 1);
	CHECK(check, message.u.route.present & REACH_ROUTE_SEGMENT);
	CHECK(check, message.u.route.segment.bytes[0] == 0xfd);
	CHECK(check, decode_segments(1, &message) == 1);
	CHECK(check, !(message.u.route.present & REACH_ROUTE_SEGMENT));
	CHECK(check, decode_segments(255, &message) == 1);
	CHECK(check, !(message.u.route.present & REACH_ROUTE_SEGMENT));
}

static int decode_error(int code, struct reach_message *ret)
{
	_Alignas(8) uint8_t bytes[128] = { 0 };
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(bytes);
	struct nlmsgerr *error =
		mnl_nlmsg_put_extra_header(nlh, sizeof(*error));

	nlh->nlmsg_type = NLMSG_ERROR;
	error->error = code;
	return decode(nlh, ret);
}

static void check_errors(struct check *check)
{
	struct reach_message message;

	CHECK(check, decode_error(-4095, &message) == 1);
	CHECK(check, message.u.error.error == 4095);
	CHECK(check, decode_error(-4096, &message) == -EBADMSG);
	CHECK(check, decode_error(4096, &message) == -EBADMSG);
}

void test_rare(struct check *check)
{
	check_segments(check);
	check_errors(check);
}
