/* SPDX-License-Identifier: MIT */
/* Datagrams to messages. */
#include "message/decode.h"
#include "message/attributes.h"

#include <errno.h>
#include <limits.h>

#include <linux/rtnetlink.h>

static int decode_body(const struct nlmsghdr *nlh, struct reach_message *ret)
{
	/* rtnetlink numbers NEW and DEL of a family in a row, NEW even. */
	switch (nlh->nlmsg_type & ~1U) {
	case RTM_NEWROUTE:
		return reach_decode_route(nlh, ret);
	case RTM_NEWLINK:
		return reach_decode_link(nlh, ret);
	case RTM_NEWADDR:
		return reach_decode_address(nlh, ret);
	case RTM_NEWRULE:
		return reach_decode_rule(nlh, ret);
	case RTM_NEWNETCONF:
		return reach_decode_netconf(nlh, ret);
	case RTM_NEWNEXTHOP:
		return reach_decode_nexthop(nlh, ret);
	case NLMSG_ERROR:
		/* And NLMSG_DONE. */
		return reach_decode_error(nlh, ret);
	default:
		return 1;
	}
}

_Static_assert(offsetof(struct reach_message, type) -
				       offsetof(struct reach_message, kind) ==
			       offsetof(struct nlmsghdr, nlmsg_type) &&
		       offsetof(struct reach_message, u) -
				       offsetof(struct reach_message, kind) ==
			       sizeof(struct nlmsghdr),
	       "a message starts as nlmsghdr does");

/* mnl_nlmsg_ok() of libmnl 1.0.4 compares lengths as int and accepts those
 * above INT_MAX, so it is not asked. */
int reach_message_decode(const void *bytes, size_t size, size_t *offset,
			 struct reach_message *message)
{
	const size_t at = *offset;
	const struct nlmsghdr *nlh;
	size_t left, step;

	if (message->size < sizeof(*message) || size > INT_MAX || at > size ||
	    (uintptr_t)bytes % NLMSG_ALIGNTO)
		return -EINVAL;
	left = size - at;
	if (!left)
		return 0;
	/* A datagram may end in less than the padding of its last message. */
	if (at % NLMSG_ALIGNTO)
		return -EINVAL;
	nlh = (const void *)((const uint8_t *)bytes + at);
	if (left < sizeof(*nlh) || nlh->nlmsg_len < sizeof(*nlh) ||
	    nlh->nlmsg_len > left) {
		*offset = size;
		return -EBADMSG;
	}
	step = reach_align(nlh->nlmsg_len);
	*offset = at + (step < left ? step : left);
	/* The header, with `kind` in place of its length. */
	memcpy(&message->kind, nlh, sizeof(*nlh));
	message->kind = REACH_MESSAGE_OTHER;
	message->reserved = 0;
	return decode_body(nlh, message);
}
