/* SPDX-License-Identifier: MIT */
/* Datagrams to messages. */
#include "decode.h"

#include <errno.h>
#include <limits.h>

#include <linux/rtnetlink.h>

static int decode_body(const struct nlmsghdr *nlh, struct reach_message *ret)
{
	switch (nlh->nlmsg_type) {
	case RTM_NEWROUTE:
	case RTM_DELROUTE:
		return reach_decode_route(nlh, ret);
	case RTM_NEWLINK:
	case RTM_DELLINK:
		return reach_decode_link(nlh, ret);
	case RTM_NEWADDR:
	case RTM_DELADDR:
		return reach_decode_address(nlh, ret);
	case RTM_NEWRULE:
	case RTM_DELRULE:
		return reach_decode_rule(nlh, ret);
	case RTM_NEWNEXTHOP:
	case RTM_DELNEXTHOP:
		return reach_decode_nexthop(nlh, ret);
	case RTM_NEWNETCONF:
	case RTM_DELNETCONF:
		return reach_decode_netconf(nlh, ret);
	case NLMSG_ERROR:
	case NLMSG_DONE:
		return reach_decode_error(nlh, ret);
	default:
		ret->kind = REACH_MESSAGE_OTHER;
		return 0;
	}
}

int reach_message_decode(const void *bytes, size_t size, size_t *offset,
			 struct reach_message *message)
{
	const struct nlmsghdr *nlh;
	size_t left, step;
	int err;

	if (message->size < sizeof(*message) || *offset > size ||
	    size > INT_MAX || ((uintptr_t)bytes & (NLMSG_ALIGNTO - 1)) ||
	    (*offset & (NLMSG_ALIGNTO - 1) && *offset != size))
		return -EINVAL;
	left = size - *offset;
	if (left == 0)
		return 0;
	nlh = (const void *)((const uint8_t *)bytes + *offset);
	/* mnl_nlmsg_ok() of libmnl 1.0.4 compares lengths as int and accepts
	 * those above INT_MAX, so it is not asked. */
	if (left < sizeof(*nlh) || nlh->nlmsg_len < sizeof(*nlh) ||
	    nlh->nlmsg_len > left) {
		*offset = size;
		return -EBADMSG;
	}
	step = NLMSG_ALIGN((size_t)nlh->nlmsg_len);
	*offset += step < left ? step : left;
	err = decode_body(nlh, message);
	if (err)
		return err;
	message->type = nlh->nlmsg_type;
	message->flags = nlh->nlmsg_flags;
	message->reserved = 0;
	message->sequence = nlh->nlmsg_seq;
	message->port = nlh->nlmsg_pid;
	return 1;
}
