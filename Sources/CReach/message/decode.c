/* SPDX-License-Identifier: MIT */
/* Datagrams to messages. */
#include "message/decode.h"
#include "message/attributes.h"

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

int reach_decode_message(const struct nlmsghdr *nlh, struct reach_message *ret)
{
	const decoder decode = find_decoder(nlh->nlmsg_type);

	reach_decode_header(nlh, REACH_MESSAGE_OTHER, ret);
	return decode ? decode(nlh, ret) : 0;
}

int reach_message_decode(const void *bytes, size_t size, size_t *offset,
			 struct reach_message *message)
{
	const struct nlmsghdr *nlh;
	int err = reach_decode_step(bytes, size, offset, message, &nlh);

	if (err <= 0)
		return err;
	err = reach_decode_message(nlh, message);
	return err ? err : 1;
}
