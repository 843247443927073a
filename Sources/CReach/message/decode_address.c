/* SPDX-License-Identifier: MIT */
/* RTM_NEWADDR, RTM_DELADDR: struct ifaddrmsg and IFA_* attributes
 * (inet_fill_ifaddr() of net/ipv4/devinet.c, inet6_fill_ifaddr() of
 * net/ipv6/addrconf.c). */
#include "message/message.h"

#include <errno.h>

#include <linux/if_addr.h>
#include <linux/rtnetlink.h>

/* Payloads of IFA_LOCAL and IFA_ADDRESS, NULL if absent. Only after the walk is
 * it known which member each one belongs to. */
struct endpoints {
	const void *local;
	const void *address;
};

static inline bool decode_attribute(const struct nlattr *attr, uint8_t family,
				    struct endpoints *endpoints,
				    struct reach_address_message *ret)
{
	switch (reach_attribute_type(attr)) {
	case IFA_LOCAL:
		ret->present |= REACH_ADDRESS_LOCAL;
		endpoints->local = reach_attribute_data(attr);
		return reach_attribute_size(attr) == reach_address_size(family);
	case IFA_ADDRESS:
		ret->present |= REACH_ADDRESS_ADDRESS;
		endpoints->address = reach_attribute_data(attr);
		return reach_attribute_size(attr) == reach_address_size(family);
	case IFA_BROADCAST:
		ret->present |= REACH_ADDRESS_BROADCAST;
		return reach_attribute_address(attr, family, &ret->broadcast);
	case IFA_FLAGS:
		return reach_attribute_u32(attr, &ret->flags);
	default:
		return true;
	}
}

/* IFA_ADDRESS is the peer's address if IFA_LOCAL is present and differs, else
 * the interface's own (linux/if_addr.h). */
static inline __attribute__((always_inline)) void
set_endpoints(const struct endpoints *endpoints, uint8_t family,
	      struct reach_address_message *ret)
{
	const size_t size = reach_address_size(family);
	const void *own = endpoints->local ? endpoints->local
					   : endpoints->address;

	if (!own)
		return;
	(void)reach_address_set(&ret->address, family, own, size);
	if (endpoints->address && memcmp(own, endpoints->address, size) != 0)
		(void)reach_address_set(&ret->peer, family, endpoints->address,
					size);
}

_Static_assert(offsetof(struct reach_address_message, scope) -
			       offsetof(struct reach_address_message, family) ==
		       offsetof(struct ifaddrmsg, ifa_scope),
	       "laid out as ifaddrmsg, with `reserved` for ifa_flags");

static inline __attribute__((always_inline)) bool
decode_attributes(const struct nlmsghdr *nlh, uint8_t family,
		  struct reach_address_message *ret)
{
	struct reach_attributes walk =
		reach_attributes_of(nlh, sizeof(struct ifaddrmsg));
	const struct nlattr *attr;
	struct endpoints endpoints = { NULL, NULL };

	while ((attr = reach_attributes_next(&walk)))
		if (!decode_attribute(attr, family, &endpoints, ret))
			return false;
	set_endpoints(&endpoints, family, ret);
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
	if (family == AF_INET ? !decode_attributes(nlh, AF_INET, address)
			      : !decode_attributes(nlh, AF_INET6, address))
		return -EBADMSG;
	ret->kind = REACH_MESSAGE_ADDRESS;
	return 1;
}
