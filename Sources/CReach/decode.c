/* SPDX-License-Identifier: MIT */
/* Datagrams to messages. */
#include "decode.h"
#include "attributes.h"

#include <errno.h>
#include <limits.h>

#include <linux/rtnetlink.h>

typedef int (*decoder)(const struct nlmsghdr *nlh, struct reach_message *ret);

/* rtnetlink numbers NEW, DEL, GET and SET of a family in a row. */
static decoder find_decoder(uint16_t type)
{
	static const decoder families[RTM_NR_FAMILIES] = {
		[RTM_FAM(RTM_NEWLINK)] = reach_decode_link,
		[RTM_FAM(RTM_NEWADDR)] = reach_decode_address,
		[RTM_FAM(RTM_NEWROUTE)] = reach_decode_route,
		[RTM_FAM(RTM_NEWRULE)] = reach_decode_rule,
		[RTM_FAM(RTM_NEWNETCONF)] = reach_decode_netconf,
		[RTM_FAM(RTM_NEWNEXTHOP)] = reach_decode_nexthop,
	};

	if (type >= RTM_BASE && type < RTM_BASE + RTM_NR_MSGTYPES &&
	    (type - RTM_BASE) % 4 < 2)
		return families[RTM_FAM(type)];
	if (type == NLMSG_ERROR || type == NLMSG_DONE)
		return reach_decode_error;
	return NULL;
}

/* The header at @offset if the whole message is inside, or NULL.
 * mnl_nlmsg_ok() of libmnl 1.0.4 compares lengths as int and accepts those
 * above INT_MAX, so it is not asked. */
static const struct nlmsghdr *whole_message(const void *bytes, size_t size,
					    size_t offset)
{
	const struct nlmsghdr *nlh =
		(const void *)((const uint8_t *)bytes + offset);
	const size_t left = size - offset;

	if (left < sizeof(*nlh) || nlh->nlmsg_len < sizeof(*nlh) ||
	    nlh->nlmsg_len > left)
		return NULL;
	return nlh;
}

static bool is_sound_call(const void *bytes, size_t size, size_t offset,
			  const struct reach_message *message)
{
	const uintptr_t mask = NLMSG_ALIGNTO - 1;

	if (message->size < sizeof(*message) || size > INT_MAX || offset > size)
		return false;
	return !((uintptr_t)bytes & mask) &&
	       (!(offset & mask) || offset == size);
}

int reach_message_decode(const void *bytes, size_t size, size_t *offset,
			 struct reach_message *message)
{
	const struct nlmsghdr *nlh;
	decoder decode;
	size_t step;
	int err;

	if (!is_sound_call(bytes, size, *offset, message))
		return -EINVAL;
	if (*offset == size)
		return 0;
	nlh = whole_message(bytes, size, *offset);
	if (!nlh) {
		*offset = size;
		return -EBADMSG;
	}
	step = reach_align(nlh->nlmsg_len);
	*offset = step < size - *offset ? *offset + step : size;
	message->kind = REACH_MESSAGE_OTHER;
	decode = find_decoder(nlh->nlmsg_type);
	err = decode ? decode(nlh, message) : 0;
	if (err)
		return err;
	message->type = nlh->nlmsg_type;
	message->flags = nlh->nlmsg_flags;
	message->reserved = 0;
	message->sequence = nlh->nlmsg_seq;
	message->port = nlh->nlmsg_pid;
	return 1;
}
