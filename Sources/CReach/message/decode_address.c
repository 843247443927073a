/* SPDX-License-Identifier: MIT */
/* RTM_NEWADDR, RTM_DELADDR. */
#include "message/attributes.h"
#include "message/decode.h"

#include <errno.h>
#include <stddef.h>

#include <linux/if_addr.h>
#include <linux/rtnetlink.h>

static bool decode_lifetime(const struct nlattr *attr,
			    struct reach_address_message *ret)
{
	struct ifa_cacheinfo info;

	if (reach_attribute_size(attr) < sizeof(info))
		return false;
	memcpy(&info, reach_attribute_data(attr), sizeof(info));
	ret->preferred = info.ifa_prefered;
	ret->valid = info.ifa_valid;
	ret->present |= REACH_ADDRESS_LIFETIME;
	return true;
}

#define FIELD(kind, member, bit)                                               \
	{ kind, offsetof(struct reach_address_message, member), bit }

const struct reach_field reach_address_fields[REACH_ADDRESS_FIELDS] = {
	[IFA_LOCAL] = FIELD(REACH_FIELD_LOCAL, address, REACH_ADDRESS_LOCAL),
	[IFA_ADDRESS] = FIELD(REACH_FIELD_PEER, peer, REACH_ADDRESS_ADDRESS),
	[IFA_BROADCAST] =
		FIELD(REACH_FIELD_ADDRESS, broadcast, REACH_ADDRESS_BROADCAST),
	[IFA_FLAGS] = FIELD(REACH_FIELD_U32, flags, 0),
	[IFA_CACHEINFO] =
		FIELD(REACH_FIELD_LIFETIME, preferred, REACH_ADDRESS_LIFETIME),
};

static bool decode_attribute(const struct nlattr *attr,
			     struct reach_address_message *ret)
{
	const unsigned int type = reach_attribute_type(attr);

	if (type >= REACH_ADDRESS_FIELDS)
		return true;
	if (reach_address_fields[type].kind == REACH_FIELD_LIFETIME)
		return decode_lifetime(attr, ret);
	return reach_field_read(&reach_address_fields[type], attr, ret->family,
				ret);
}

int reach_decode_address(const struct nlmsghdr *nlh, struct reach_message *ret)
{
	struct reach_address_message *address = &ret->u.address;
	const struct ifaddrmsg *ifa = NLMSG_DATA(nlh);
	struct reach_attributes walk;
	const struct nlattr *attr;
	const void *tail;
	size_t size;

	if (nlh->nlmsg_len < NLMSG_LENGTH(sizeof(*ifa)))
		return -EBADMSG;
	if (ifa->ifa_family != AF_INET && ifa->ifa_family != AF_INET6)
		return 0;
	memset(address, 0, sizeof(*address));
	reach_address_header(ifa, address);
	address->flags = ifa->ifa_flags;
	address->interface_index = ifa->ifa_index;
	address->preferred = UINT32_MAX;
	address->valid = UINT32_MAX;
	tail = reach_decode_tail(nlh, sizeof(*ifa), &size);
	walk = reach_attributes_begin(tail, size);
	while ((attr = reach_attributes_next(&walk)))
		if (!decode_attribute(attr, address))
			return -EBADMSG;
	if (walk.malformed)
		return -EBADMSG;
	/* IFA_ADDRESS is the far end where IFA_LOCAL differs from it, and the
	 * address itself where there is no IFA_LOCAL (linux/if_addr.h). */
	if (!address->address.family)
		address->address = address->peer;
	if (memcmp(&address->address, &address->peer, sizeof(address->peer)) ==
	    0)
		memset(&address->peer, 0, sizeof(address->peer));
	ret->kind = REACH_MESSAGE_ADDRESS;
	return 0;
}
