/* SPDX-License-Identifier: MIT */
/* RTM_NEWLINK, RTM_DELLINK: struct ifinfomsg and IFLA_* attributes
 * (rtnl_fill_ifinfo() of net/core/rtnetlink.c). */
#include "message/message.h"

#include <errno.h>

#include <linux/if_ether.h>
#include <linux/if_link.h>

#include "base/kernel.h"

/* IFLA_INFO_SLAVE_DATA of a bond's port (bond_netlink.c). */
static bool decode_bond_port(const struct nlattr *attr,
			     struct reach_link_message *ret)
{
	struct reach_attributes walk = reach_attributes_inside(attr);

	while ((attr = reach_attributes_next(&walk))) {
		if (reach_attribute_type(attr) != IFLA_BOND_SLAVE_STATE)
			continue;
		if (!reach_attribute_u8(attr, &ret->slave_state))
			return false;
		ret->present |= REACH_LINK_SLAVE_STATE;
	}
	return reach_attributes_end(&walk);
}

/* IFLA_LINKINFO. IFLA_INFO_DATA and IFLA_INFO_SLAVE_DATA are read after the walk,
 * since their attributes are those of the kinds. */
static bool decode_info(const struct nlattr *attr,
			struct reach_link_message *ret)
{
	struct reach_attributes walk = reach_attributes_inside(attr);
	const struct nlattr *port = NULL, *data = NULL;
	char port_kind[REACH_INTERFACE_NAME_SIZE] = "";

	ret->present |= REACH_LINK_INFO;
	while ((attr = reach_attributes_next(&walk))) {
		switch (reach_attribute_type(attr)) {
		case IFLA_INFO_KIND:
			reach_attribute_string(attr, ret->kind);
			ret->present |= REACH_LINK_KIND;
			break;
		case IFLA_INFO_DATA:
			data = attr;
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
	if (!reach_attributes_end(&walk) ||
	    (data && !reach_decode_tunnel(data, ret->kind, &ret->tunnel)))
		return false;
	return !port || strcmp(port_kind, "bond") != 0 ||
	       decode_bond_port(port, ret);
}

/* IFLA_PROP_LIST. */
static bool decode_alternatives(const struct nlattr *attr,
				struct reach_link_message *ret)
{
	struct reach_attributes walk = reach_attributes_inside(attr);

	while ((attr = reach_attributes_next(&walk))) {
		const size_t size = reach_attribute_size(attr);

		if (reach_attribute_type(attr) != IFLA_ALT_IFNAME ||
		    strnlen(reach_attribute_data(attr), size) >=
			    REACH_INTERFACE_NAME_SIZE ||
		    ret->alternative_count == REACH_ALTERNATIVES_MAX)
			continue;
		reach_attribute_string(
			attr, ret->alternatives[ret->alternative_count++]);
	}
	return reach_attributes_end(&walk);
}

static void decode_hardware_address(const struct nlattr *attr,
				    struct reach_link_message *ret)
{
	const uint8_t *bytes = reach_attribute_data(attr);
	size_t size = reach_attribute_size(attr);

	/* MAX_ADDR_LEN is 32 (linux/netdevice.h). */
	if (size > sizeof(ret->hardware_address))
		size = sizeof(ret->hardware_address);
	if (size == ETH_ALEN)
		memcpy(ret->hardware_address, bytes, ETH_ALEN);
	else
		memcpy(ret->hardware_address, bytes, size);
	ret->hardware_address_length = (uint8_t)size;
	ret->present |= REACH_LINK_HARDWARE_ADDRESS;
}

#define BIT(type) (UINT64_C(1) << (type))

/* Types that decode_attribute() reads: twelve of the forty to fifty attributes in
 * a message. The test of one bit keeps the others out of its switch. */
static const uint64_t decoded =
	BIT(IFLA_ADDRESS) | BIT(IFLA_IFNAME) | BIT(IFLA_MTU) | BIT(IFLA_LINK) |
	BIT(IFLA_MASTER) | BIT(IFLA_WIRELESS) | BIT(IFLA_OPERSTATE) |
	BIT(IFLA_LINKINFO) | BIT(IFLA_CARRIER) | BIT(IFLA_LINK_NETNSID) |
	BIT(IFLA_PROP_LIST) | BIT(IFLA_GROUP);

static inline bool is_decoded(unsigned int type)
{
	return type < 64 && decoded & BIT(type);
}

static bool decode_number(const struct nlattr *attr, uint32_t bit,
			  struct reach_link_message *link, uint32_t *ret)
{
	link->present |= bit;
	return reach_attribute_u32(attr, ret);
}

static bool decode_numbers(const struct nlattr *attr,
			   struct reach_link_message *ret)
{
	uint32_t value;

	switch (reach_attribute_type(attr)) {
	case IFLA_MTU:
		return decode_number(attr, REACH_LINK_MTU, ret, &ret->mtu);
	case IFLA_MASTER:
		return decode_number(attr, REACH_LINK_MASTER, ret,
				     &ret->master);
	case IFLA_GROUP:
		return decode_number(attr, REACH_LINK_GROUP, ret, &ret->group);
	case IFLA_LINK:
		return decode_number(attr, REACH_LINK_LOWER, ret, &ret->lower);
	default:
		/* IFLA_LINK_NETNSID */
		if (!decode_number(attr, REACH_LINK_LOWER_NETNS, ret, &value))
			return false;
		ret->lower_netns = (int32_t)value;
		return true;
	}
}

static bool decode_attribute(const struct nlattr *attr,
			     struct reach_link_message *ret)
{
	switch (reach_attribute_type(attr)) {
	case IFLA_IFNAME:
		ret->present |= REACH_LINK_NAME;
		reach_attribute_string(attr, ret->name);
		return true;
	case IFLA_ADDRESS:
		decode_hardware_address(attr, ret);
		return true;
	case IFLA_LINKINFO:
		return decode_info(attr, ret);
	case IFLA_PROP_LIST:
		return decode_alternatives(attr, ret);
	case IFLA_WIRELESS:
		ret->present |= REACH_LINK_WIRELESS;
		return true;
	case IFLA_OPERSTATE:
		ret->present |= REACH_LINK_OPERSTATE;
		return reach_attribute_u8(attr, &ret->operstate);
	case IFLA_CARRIER:
		ret->present |= REACH_LINK_CARRIER;
		return reach_attribute_u8(attr, &ret->carrier);
	default:
		return decode_numbers(attr, ret);
	}
}

int reach_decode_link(const struct nlmsghdr *nlh, struct reach_message *ret)
{
	struct reach_link_message *link = &ret->u.link;
	const struct ifinfomsg *ifi = NLMSG_DATA(nlh);
	struct reach_attributes walk;
	const struct nlattr *attr;

	if (nlh->nlmsg_len < NLMSG_LENGTH(sizeof(*ifi)))
		return -EBADMSG;
	reach_clear(link, sizeof(*link));
	link->family = ifi->ifi_family;
	link->hardware_type = ifi->ifi_type;
	link->index = (uint32_t)ifi->ifi_index;
	link->flags = ifi->ifi_flags;
	walk = reach_attributes_of(nlh, sizeof(*ifi));
	while ((attr = reach_attributes_next(&walk)))
		if (is_decoded(reach_attribute_type(attr)) &&
		    !decode_attribute(attr, link))
			return -EBADMSG;
	if (!reach_attributes_end(&walk))
		return -EBADMSG;
	ret->kind = REACH_MESSAGE_LINK;
	return 1;
}
