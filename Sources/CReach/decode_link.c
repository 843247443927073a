/* SPDX-License-Identifier: MIT */
/* RTM_NEWLINK, RTM_DELLINK. */
#include "attributes.h"
#include "decode.h"

#include <errno.h>

#include <linux/if_link.h>
#include <linux/rtnetlink.h>

/* IFLA_INFO_SLAVE_DATA of a bond's port. */
static bool decode_bond_port(const struct nlattr *attr,
			     struct reach_link_message *ret)
{
	struct reach_attributes walk = reach_attributes_begin(
		reach_attribute_data(attr), reach_attribute_size(attr));

	while ((attr = reach_attributes_next(&walk))) {
		if (reach_attribute_type(attr) != IFLA_BOND_SLAVE_STATE)
			continue;
		if (!reach_attribute_u8(attr, &ret->slave_state))
			return false;
		ret->present |= REACH_LINK_SLAVE_STATE;
	}
	return !walk.malformed;
}

static bool decode_info(const struct nlattr *attr,
			struct reach_link_message *ret)
{
	struct reach_attributes walk = reach_attributes_begin(
		reach_attribute_data(attr), reach_attribute_size(attr));
	const struct nlattr *port = NULL;
	char port_kind[REACH_INTERFACE_NAME_SIZE] = "";

	ret->present |= REACH_LINK_INFO;
	while ((attr = reach_attributes_next(&walk))) {
		switch (reach_attribute_type(attr)) {
		case IFLA_INFO_KIND:
			reach_attribute_string(attr, ret->kind);
			ret->present |= REACH_LINK_KIND;
			break;
		case IFLA_INFO_SLAVE_KIND:
			reach_attribute_string(attr, port_kind);
			break;
		case IFLA_INFO_SLAVE_DATA:
			port = attr;
			break;
		default:
			break;
		}
	}
	if (walk.malformed)
		return false;
	return !port || strcmp(port_kind, "bond") != 0 ||
	       decode_bond_port(port, ret);
}

static void decode_hardware_address(const struct nlattr *attr,
				    struct reach_link_message *ret)
{
	size_t size = reach_attribute_size(attr);

	/* MAX_ADDR_LEN is 32 (linux/netdevice.h). */
	if (size > sizeof(ret->hardware_address))
		size = sizeof(ret->hardware_address);
	memcpy(ret->hardware_address, reach_attribute_data(attr), size);
	ret->hardware_address_length = (uint8_t)size;
	ret->present |= REACH_LINK_HARDWARE_ADDRESS;
}

static bool decode_number(const struct nlattr *attr,
			  struct reach_link_message *ret)
{
	uint32_t netns;

	switch (reach_attribute_type(attr)) {
	case IFLA_MTU:
		ret->present |= REACH_LINK_MTU;
		return reach_attribute_u32(attr, &ret->mtu);
	case IFLA_MASTER:
		ret->present |= REACH_LINK_MASTER;
		return reach_attribute_u32(attr, &ret->master);
	case IFLA_LINK:
		ret->present |= REACH_LINK_LOWER;
		return reach_attribute_u32(attr, &ret->lower);
	case IFLA_LINK_NETNSID:
		if (!reach_attribute_u32(attr, &netns))
			return false;
		ret->present |= REACH_LINK_LOWER_NETNS;
		ret->lower_netns = (int32_t)netns;
		return true;
	case IFLA_OPERSTATE:
		ret->present |= REACH_LINK_OPERSTATE;
		return reach_attribute_u8(attr, &ret->operstate);
	case IFLA_CARRIER:
		ret->present |= REACH_LINK_CARRIER;
		return reach_attribute_u8(attr, &ret->carrier);
	default:
		return true;
	}
}

static bool decode_attribute(const struct nlattr *attr,
			     struct reach_link_message *ret)
{
	switch (reach_attribute_type(attr)) {
	case IFLA_IFNAME:
		reach_attribute_string(attr, ret->name);
		ret->present |= REACH_LINK_NAME;
		return true;
	case IFLA_ADDRESS:
		decode_hardware_address(attr, ret);
		return true;
	case IFLA_LINKINFO:
		return decode_info(attr, ret);
	case IFLA_WIRELESS:
		ret->present |= REACH_LINK_WIRELESS;
		return true;
	default:
		return decode_number(attr, ret);
	}
}

int reach_decode_link(const struct nlmsghdr *nlh, struct reach_message *ret)
{
	struct reach_link_message *link = &ret->u.link;
	const struct ifinfomsg *ifi = NLMSG_DATA(nlh);
	struct reach_attributes walk;
	const struct nlattr *attr;
	const void *tail;
	size_t size;

	if (nlh->nlmsg_len < NLMSG_LENGTH(sizeof(*ifi)))
		return -EBADMSG;
	memset(link, 0, sizeof(*link));
	link->family = ifi->ifi_family;
	link->hardware_type = ifi->ifi_type;
	link->index = (uint32_t)ifi->ifi_index;
	link->flags = ifi->ifi_flags;
	tail = reach_decode_tail(nlh, sizeof(*ifi), &size);
	walk = reach_attributes_begin(tail, size);
	while ((attr = reach_attributes_next(&walk)))
		if (!decode_attribute(attr, link))
			return -EBADMSG;
	if (walk.malformed)
		return -EBADMSG;
	ret->kind = REACH_MESSAGE_LINK;
	return 0;
}
