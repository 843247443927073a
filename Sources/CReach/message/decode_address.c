/* SPDX-License-Identifier: MIT */
/* RTM_NEWADDR, RTM_DELADDR. */
#include "message/attributes.h"
#include "message/decode.h"

#include <errno.h>

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

static inline bool decode_attribute(const struct nlattr *attr, uint8_t family,
				    struct reach_address_message *ret)
{
	switch (reach_attribute_type(attr)) {
	case IFA_LOCAL:
		ret->present |= REACH_ADDRESS_LOCAL;
		return reach_attribute_address(attr, family, &ret->address);
	case IFA_ADDRESS:
		ret->present |= REACH_ADDRESS_ADDRESS;
		return reach_attribute_address(attr, family, &ret->peer);
	case IFA_BROADCAST:
		ret->present |= REACH_ADDRESS_BROADCAST;
		return reach_attribute_address(attr, family, &ret->broadcast);
	case IFA_FLAGS:
		return reach_attribute_u32(attr, &ret->flags);
	case IFA_CACHEINFO:
		return decode_lifetime(attr, ret);
	default:
		return true;
	}
}

_Static_assert(offsetof(struct reach_address_message, scope) -
			       offsetof(struct reach_address_message, family) ==
		       offsetof(struct ifaddrmsg, ifa_scope),
	       "as ifaddrmsg, `reserved` in place of its flags");

static inline __attribute__((always_inline)) bool
decode_attributes(const struct nlmsghdr *nlh, uint8_t family,
		  struct reach_address_message *ret)
{
	struct reach_attributes walk =
		reach_attributes_of(nlh, sizeof(struct ifaddrmsg));
	const struct nlattr *attr;

	while ((attr = reach_attributes_next(&walk)))
		if (!decode_attribute(attr, family, ret))
			return false;
	return reach_attributes_end(&walk);
}

int reach_decode_address(const struct nlmsghdr *nlh, struct reach_message *ret)
{
	struct reach_address_message *address = &ret->u.address;
	const struct ifaddrmsg *ifa = NLMSG_DATA(nlh);
	uint8_t family;

	if (nlh->nlmsg_len < NLMSG_LENGTH(sizeof(*ifa)))
		return -EBADMSG;
	family = ifa->ifa_family;
	if (family != AF_INET && family != AF_INET6)
		return 1;
	reach_clear(address, sizeof(*address));
	memcpy(&address->family, ifa, offsetof(struct ifaddrmsg, ifa_index));
	address->reserved = 0;
	address->flags = ifa->ifa_flags;
	address->interface_index = ifa->ifa_index;
	address->preferred = UINT32_MAX;
	address->valid = UINT32_MAX;
	if (family == AF_INET ? !decode_attributes(nlh, AF_INET, address)
			      : !decode_attributes(nlh, AF_INET6, address))
		return -EBADMSG;
	/* IFA_ADDRESS is the far end where IFA_LOCAL differs from it, and the
	 * address itself where there is no IFA_LOCAL (linux/if_addr.h). */
	if (!address->address.family)
		address->address = address->peer;
	if (memcmp(&address->address, &address->peer, sizeof(address->peer)) ==
	    0)
		memset(&address->peer, 0, sizeof(address->peer));
	ret->kind = REACH_MESSAGE_ADDRESS;
	return 1;
}
