/* SPDX-License-Identifier: MIT */
/* IFLA_INFO_DATA of links that are tunnels: where their packets go. The
 * attributes are those of the kind. */
#include "message/message.h"

#include <linux/if_link.h>
#include <linux/if_tunnel.h>

/* Types of attributes; 0 for none. */
struct shape {
	const char *kind;
	uint8_t local, local6, remote, remote6, mark, link;
};

#define GRE                                                                    \
	.local = IFLA_GRE_LOCAL, .remote = IFLA_GRE_REMOTE,                    \
	.mark = IFLA_GRE_FWMARK
#define IPTUN                                                                  \
	.local = IFLA_IPTUN_LOCAL, .remote = IFLA_IPTUN_REMOTE,                \
	.mark = IFLA_IPTUN_FWMARK
#define VTI                                                                    \
	.local = IFLA_VTI_LOCAL, .remote = IFLA_VTI_REMOTE,                    \
	.mark = IFLA_VTI_FWMARK

static const struct shape shapes[] = {
	{ .kind = "gre", GRE },
	{ .kind = "gretap", GRE },
	{ .kind = "erspan", GRE },
	{ .kind = "ip6gre", GRE },
	{ .kind = "ip6gretap", GRE },
	{ .kind = "ip6erspan", GRE },
	{ .kind = "ipip", IPTUN },
	{ .kind = "sit", IPTUN },
	{ .kind = "ip6tnl", IPTUN },
	{ .kind = "vti", VTI },
	{ .kind = "vti6", VTI },
	{ .kind = "vxlan",
	  .local = IFLA_VXLAN_LOCAL,
	  .local6 = IFLA_VXLAN_LOCAL6,
	  .remote = IFLA_VXLAN_GROUP,
	  .remote6 = IFLA_VXLAN_GROUP6,
	  .link = IFLA_VXLAN_LINK },
	{ .kind = "geneve",
	  .remote = IFLA_GENEVE_REMOTE,
	  .remote6 = IFLA_GENEVE_REMOTE6 },
};

static const struct shape *find_shape(const char *kind)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
		if (shapes[i].kind[0] == kind[0] &&
		    strcmp(shapes[i].kind, kind) == 0)
			return &shapes[i];
	return NULL;
}

/* An unspecified address is none. */
static void decode_end(const struct nlattr *attr, struct reach_address *ret)
{
	struct reach_address end;

	if ((reach_attribute_address(attr, AF_INET, &end) ||
	     reach_attribute_address(attr, AF_INET6, &end)) &&
	    !reach_address_is_any(&end))
		*ret = end;
}

bool reach_decode_tunnel(const struct nlattr *data, const char *kind,
			 struct reach_tunnel *ret)
{
	struct reach_attributes walk = reach_attributes_inside(data);
	const struct shape *shape = find_shape(kind);
	const struct nlattr *attr;

	while (shape && (attr = reach_attributes_next(&walk))) {
		const unsigned int type = reach_attribute_type(attr);

		if (!type)
			continue;
		if (type == shape->local || type == shape->local6)
			decode_end(attr, &ret->local);
		else if (type == shape->remote || type == shape->remote6)
			decode_end(attr, &ret->remote);
		else if ((type == shape->mark &&
			  !reach_attribute_u32(attr, &ret->mark)) ||
			 (type == shape->link &&
			  !reach_attribute_u32(attr, &ret->link)))
			return false;
	}
	return !shape || reach_attributes_end(&walk);
}
