/* SPDX-License-Identifier: MIT */
/* Splits a netlink datagram into messages and hands each body to the decoder of
 * its type. */
#include "message/message.h"

#include <errno.h>
#include <limits.h>

#include "base/kernel.h"

/* MAX_ERRNO of the kernel's linux/err.h, which is not a UAPI header. */
#define ERRNO_MAX 4095

/* NLMSG_ERROR, and NLMSG_DONE, the next number. */
static int decode_error(const struct nlmsghdr *nlh, struct reach_message *ret)
{
	struct reach_error_message *error = &ret->u.error;
	const bool done = nlh->nlmsg_type == NLMSG_DONE;
	const size_t fixed = done ? sizeof(int) : sizeof(struct nlmsgerr);
	int code = 0;

	ret->kind = done ? REACH_MESSAGE_DONE : REACH_MESSAGE_ERROR;
	/* A DONE without an error code is valid. */
	if (nlh->nlmsg_len >= NLMSG_HDRLEN + fixed)
		memcpy(&code, NLMSG_DATA(nlh), sizeof(code));
	else if (!done)
		return -EBADMSG;
	if (code < -ERRNO_MAX || code > ERRNO_MAX)
		return -EBADMSG;
	error->error = code < 0 ? -code : code;
	return 1;
}

static int decode_body(const struct nlmsghdr *nlh, struct reach_message *ret)
{
	/* RTM_NEW* is a multiple of 4 and RTM_DEL* the next number
	 * (linux/rtnetlink.h). */
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
		/* Its event marks all answers, whatever the object is. */
		ret->kind = REACH_MESSAGE_NEXTHOP;
		return 1;
	case NLMSG_ERROR:
		return decode_error(nlh, ret);
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
	       "from `kind` on laid out as nlmsghdr");

/* Bounds are compared unsigned: mnl_nlmsg_ok() of libmnl 1.0.4 compares as int
 * and accepts a length above INT_MAX. */
int reach_message_decode(const void *bytes, size_t size, size_t *offset,
			 struct reach_message *message)
{
	const size_t at = *offset;
	const struct nlmsghdr *nlh;
	size_t left, step;

	if (size > INT_MAX || at > size || (uintptr_t)bytes % NLMSG_ALIGNTO)
		return -EINVAL;
	left = size - at;
	if (!left)
		return 0;
	/* The last message need not be padded, so only the end of a datagram
	 * may be unaligned. */
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
	/* The whole header in one copy. `kind` and `reserved` replace
	 * nlmsg_len. */
	memcpy(&message->kind, nlh, sizeof(*nlh));
	message->kind = REACH_MESSAGE_OTHER;
	message->reserved = 0;
	return decode_body(nlh, message);
}
