/* SPDX-License-Identifier: MIT */
/* Links, read with libmnl. */
#include <linux/if_link.h>
#include <linux/if_tunnel.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include <libmnl/libmnl.h>

#include "reference.h"

/* Up to 15 characters, ended by NUL or by the attribute. */
static bool read_name(struct region region, uint16_t type, char *ret)
{
	const struct nlattr *attr = last(region, type);

	if (attr == NULL)
		return false;
	memset(ret, 0, REACH_INTERFACE_NAME_SIZE);
	for (size_t i = 0; i < mnl_attr_get_payload_len(attr) && i < 15; i++) {
		if (mnl_attr_get_str(attr)[i] == '\0')
			break;
		ret[i] = mnl_attr_get_str(attr)[i];
	}
	return true;
}

/* The last address of either type that isn't 0.0.0.0 or ::. */
static void read_end(struct region region, const uint16_t *types,
		     struct reach_address *ret)
{
	static const uint8_t none[16];
	const struct nlattr *attr;

	for (attr = region_first(region); attr;
	     attr = region_next(region, attr)) {
		const size_t size = mnl_attr_get_payload_len(attr);
		const void *bytes = mnl_attr_get_payload(attr);
		const uint16_t type = mnl_attr_get_type(attr);

		if (!type || (type != types[0] && type != types[1]) ||
		    (size != 4 && size != 16) || !memcmp(bytes, none, size))
			continue;
		memset(ret, 0, sizeof(*ret));
		ret->family = size == 4 ? AF_INET : AF_INET6;
		memcpy(ret->bytes, bytes, size);
	}
}

/* IFLA_INFO_DATA. */
static bool read_tunnel(struct region data, const char *kind,
			struct reach_tunnel *ret)
{
	static const struct {
		/* Each between two spaces. */
		const char *kinds;
		uint16_t local[2], remote[2], mark, link;
	} rows[] = {
		{ " gre gretap erspan ip6gre ip6gretap ip6erspan ",
		  { IFLA_GRE_LOCAL },
		  { IFLA_GRE_REMOTE },
		  IFLA_GRE_FWMARK,
		  0 },
		{ " ipip sit ip6tnl ",
		  { IFLA_IPTUN_LOCAL },
		  { IFLA_IPTUN_REMOTE },
		  IFLA_IPTUN_FWMARK,
		  0 },
		{ " vti vti6 ",
		  { IFLA_VTI_LOCAL },
		  { IFLA_VTI_REMOTE },
		  IFLA_VTI_FWMARK,
		  0 },
		{ " vxlan ",
		  { IFLA_VXLAN_LOCAL, IFLA_VXLAN_LOCAL6 },
		  { IFLA_VXLAN_GROUP, IFLA_VXLAN_GROUP6 },
		  0,
		  IFLA_VXLAN_LINK },
		{ " geneve ",
		  { 0 },
		  { IFLA_GENEVE_REMOTE, IFLA_GENEVE_REMOTE6 },
		  0,
		  0 },
	};
	char word[REACH_INTERFACE_NAME_SIZE + 2];
	uint32_t present = 0;
	size_t i;

	snprintf(word, sizeof(word), " %s ", kind);
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (!kind[0] || strchr(kind, ' ') ||
		    !strstr(rows[i].kinds, word))
			continue;
		read_end(data, rows[i].local, &ret->local);
		read_end(data, rows[i].remote, &ret->remote);
		return is_whole(data) &&
		       (!rows[i].mark || read_u32(data, rows[i].mark, 0,
						  &present, &ret->mark)) &&
		       (!rows[i].link ||
			read_u32(data, rows[i].link, 0, &present, &ret->link));
	}
	return true;
}

static bool read_link_info(const struct nlattr *attr,
			   struct reach_link_message *ret)
{
	struct region info = inside(attr);
	char port[REACH_INTERFACE_NAME_SIZE] = "";
	const struct nlattr *data;

	ret->present |= REACH_LINK_INFO;
	if (!is_whole(info))
		return false;
	if (read_name(info, IFLA_INFO_KIND, ret->kind))
		ret->present |= REACH_LINK_KIND;
	data = last(info, IFLA_INFO_DATA);
	if (data && !read_tunnel(inside(data), ret->kind, &ret->tunnel))
		return false;
	data = last(info, IFLA_INFO_SLAVE_DATA);
	if (data == NULL || !read_name(info, IFLA_INFO_SLAVE_KIND, port) ||
	    strcmp(port, "bond") != 0)
		return true;
	return is_whole(inside(data)) &&
	       read_u8(inside(data), IFLA_BOND_SLAVE_STATE,
		       REACH_LINK_SLAVE_STATE, &ret->present,
		       &ret->slave_state);
}

static bool read_alternatives(struct region names,
			      struct reach_link_message *ret)
{
	const struct nlattr *attr;

	if (!is_whole(names))
		return false;
	for (attr = region_first(names); attr;
	     attr = region_next(names, attr)) {
		const size_t size = mnl_attr_get_payload_len(attr);
		const size_t length = strnlen(mnl_attr_get_str(attr), size);

		if (mnl_attr_get_type(attr) == IFLA_ALT_IFNAME && length < 16 &&
		    ret->alternative_count < REACH_ALTERNATIVES_MAX)
			memcpy(ret->alternatives[ret->alternative_count++],
			       mnl_attr_get_str(attr), length);
	}
	return true;
}

/* Attributes that consist of attributes. */
static bool read_nests(struct region region, struct reach_link_message *ret)
{
	const struct nlattr *attr;

	for (attr = region_first(region); attr;
	     attr = region_next(region, attr)) {
		if (mnl_attr_get_type(attr) == IFLA_LINKINFO &&
		    !read_link_info(attr, ret))
			return false;
		if (mnl_attr_get_type(attr) == IFLA_PROP_LIST &&
		    !read_alternatives(inside(attr), ret))
			return false;
	}
	return true;
}

static void read_hardware_address(struct region region,
				  struct reach_link_message *ret)
{
	const struct nlattr *attr;

	for (attr = region_first(region); attr;
	     attr = region_next(region, attr)) {
		size_t size = mnl_attr_get_payload_len(attr);

		if (mnl_attr_get_type(attr) != IFLA_ADDRESS)
			continue;
		size = size < 32 ? size : 32;
		memcpy(ret->hardware_address, mnl_attr_get_payload(attr), size);
		ret->hardware_address_length = (uint8_t)size;
		ret->present |= REACH_LINK_HARDWARE_ADDRESS;
	}
}

static bool read_numbers(struct region region, struct reach_link_message *ret)
{
	uint32_t *present = &ret->present;
	uint32_t netns = 0;
	const bool whole = read_u32(region, IFLA_MTU, REACH_LINK_MTU, present,
				    &ret->mtu) &&
			   read_u32(region, IFLA_MASTER, REACH_LINK_MASTER,
				    present, &ret->master) &&
			   read_u32(region, IFLA_GROUP, REACH_LINK_GROUP,
				    present, &ret->group) &&
			   read_u32(region, IFLA_LINK, REACH_LINK_LOWER,
				    present, &ret->lower) &&
			   read_u32(region, IFLA_LINK_NETNSID,
				    REACH_LINK_LOWER_NETNS, present, &netns);

	ret->lower_netns = (int32_t)netns;
	return whole;
}

bool reference_link(const struct nlmsghdr *nlh, struct reach_link_message *ret)
{
	const struct ifinfomsg *ifi = mnl_nlmsg_get_payload(nlh);
	struct region region = attributes_of(nlh, sizeof(*ifi));
	uint32_t *present = &ret->present;

	memset(ret, 0, sizeof(*ret));
	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*ifi))
		return false;
	ret->family = ifi->ifi_family;
	ret->hardware_type = ifi->ifi_type;
	ret->index = (uint32_t)ifi->ifi_index;
	ret->flags = ifi->ifi_flags;
	if (!is_whole(region) || !read_nests(region, ret) ||
	    !read_numbers(region, ret) ||
	    !read_u8(region, IFLA_OPERSTATE, REACH_LINK_OPERSTATE, present,
		     &ret->operstate) ||
	    !read_u8(region, IFLA_CARRIER, REACH_LINK_CARRIER, present,
		     &ret->carrier))
		return false;
	read_hardware_address(region, ret);
	if (read_name(region, IFLA_IFNAME, ret->name))
		ret->present |= REACH_LINK_NAME;
	if (last(region, IFLA_WIRELESS) != NULL)
		ret->present |= REACH_LINK_WIRELESS;
	return true;
}
