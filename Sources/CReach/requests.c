/* SPDX-License-Identifier: MIT */
/* Requests, built with libmnl. */
#include "core.h"

#include <limits.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>

static struct nlmsghdr *begin(void *buffer, uint16_t type, uint16_t flags,
			      uint32_t sequence)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buffer);

	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags);
	nlh->nlmsg_seq = sequence;
	return nlh;
}

size_t reach_request_dump(void *buffer, uint16_t type, uint32_t sequence)
{
	struct nlmsghdr *nlh = begin(buffer, type, NLM_F_DUMP, sequence);

	/* Strict checking wants the whole header of the type. */
	if (type == RTM_GETLINK)
		mnl_nlmsg_put_extra_header(nlh, sizeof(struct ifinfomsg));
	else
		mnl_nlmsg_put_extra_header(nlh, sizeof(struct ifaddrmsg));
	return nlh->nlmsg_len;
}

size_t reach_request_barrier(void *buffer, uint32_t sequence)
{
	struct nlmsghdr *nlh = begin(buffer, RTM_GETLINK, 0, sequence);
	struct ifinfomsg *ifi = mnl_nlmsg_put_extra_header(nlh, sizeof(*ifi));

	/* No link has this index, so the answer is a short ENODEV. */
	ifi->ifi_index = INT_MAX;
	return nlh->nlmsg_len;
}

static void put_address(struct nlmsghdr *nlh, uint16_t type,
			const struct reach_address *address)
{
	mnl_attr_put(nlh, type, address->family == AF_INET ? 4 : 16,
		     address->bytes);
}

size_t reach_request_route(void *buffer, uint32_t sequence,
			   const struct reach_target *target,
			   const struct reach_address *destination,
			   uint32_t interface_index, bool match)
{
	struct nlmsghdr *nlh = begin(buffer, RTM_GETROUTE, 0, sequence);
	struct rtmsg *rtm = mnl_nlmsg_put_extra_header(nlh, sizeof(*rtm));
	const bool with_source = target->kind == REACH_TARGET_ADDRESS_PAIR &&
				 target->remote.family &&
				 target->local.family == destination->family;

	rtm->rtm_family = (unsigned char)destination->family;
	rtm->rtm_dst_len = destination->family == AF_INET ? 32 : 128;
	rtm->rtm_flags = match ? RTM_F_FIB_MATCH : 0;
	put_address(nlh, RTA_DST, destination);
	if (with_source) {
		rtm->rtm_src_len = rtm->rtm_dst_len;
		put_address(nlh, RTA_SRC, &target->local);
	}
	if (!interface_index)
		interface_index = destination->scope_id;
	if (interface_index)
		mnl_attr_put_u32(nlh, RTA_OIF, interface_index);
	if (target->mark)
		mnl_attr_put_u32(nlh, RTA_MARK, target->mark);
	if (target->uid != REACH_UID_CALLER)
		mnl_attr_put_u32(nlh, RTA_UID, target->uid);
	return nlh->nlmsg_len;
}
