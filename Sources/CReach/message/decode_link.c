/* SPDX-License-Identifier: MIT */
/* RTM_NEWLINK, RTM_DELLINK. */
#include "message/attributes.h"
#include "message/decode.h"

#include <errno.h>
#include <stddef.h>

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

#define FIELD(kind, member, bit)                                               \
	{ kind, offsetof(struct reach_link_message, member), bit }

const struct reach_field reach_link_fields[REACH_LINK_FIELDS] = {
	[IFLA_IFNAME] = FIELD(REACH_FIELD_STRING, name, REACH_LINK_NAME),
	[IFLA_ADDRESS] = FIELD(REACH_FIELD_HARDWARE, hardware_address,
			       REACH_LINK_HARDWARE_ADDRESS),
	[IFLA_LINKINFO] = FIELD(REACH_FIELD_INFO, kind, REACH_LINK_INFO),
	[IFLA_WIRELESS] = FIELD(REACH_FIELD_FLAG, present, REACH_LINK_WIRELESS),
	[IFLA_MTU] = FIELD(REACH_FIELD_U32, mtu, REACH_LINK_MTU),
	[IFLA_MASTER] = FIELD(REACH_FIELD_U32, master, REACH_LINK_MASTER),
	[IFLA_LINK] = FIELD(REACH_FIELD_U32, lower, REACH_LINK_LOWER),
	[IFLA_LINK_NETNSID] =
		FIELD(REACH_FIELD_U32, lower_netns, REACH_LINK_LOWER_NETNS),
	[IFLA_OPERSTATE] =
		FIELD(REACH_FIELD_U8, operstate, REACH_LINK_OPERSTATE),
	[IFLA_CARRIER] = FIELD(REACH_FIELD_U8, carrier, REACH_LINK_CARRIER),
};

static bool decode_attribute(const struct nlattr *attr,
			     struct reach_link_message *ret)
{
	const unsigned int type = reach_attribute_type(attr);

	if (type >= REACH_LINK_FIELDS)
		return true;
	switch (reach_link_fields[type].kind) {
	case REACH_FIELD_INFO:
		return decode_info(attr, ret);
	case REACH_FIELD_HARDWARE:
		decode_hardware_address(attr, ret);
		return true;
	default:
		return reach_field_read(&reach_link_fields[type], attr, 0, ret);
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
	reach_link_header(ifi, link);
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
