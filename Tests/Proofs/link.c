/* SPDX-License-Identifier: MIT */
/* The functions that read an attribute of a link message, for any attribute,
 * including IFLA_LINKINFO and the attributes inside it, of any kind of link. */
#include "attribute.h"

/* attributes.c proves the walk inside an attribute. */
#define reach_attributes_next any_next
#define reach_decode_tunnel   any_tunnel
#include "message/decode_link.c"

/* proof_tunnel() proves it. */
bool any_tunnel(const struct nlattr *data, const char *kind,
		struct reach_tunnel *ret)
{
	bool any;

	(void)data;
	(void)kind;
	(void)ret;
	return any;
}

#undef reach_decode_tunnel
#include "message/decode_tunnel.c"

void proof_link(void)
{
	const struct nlattr *attr = any_attribute();
	struct reach_link_message link;

	__CPROVER_assume(is_decoded(reach_attribute_type(attr)));
	link.hardware_address_length = 0;
	__CPROVER_assume(link.alternative_count <= REACH_ALTERNATIVES_MAX);
	(void)decode_attribute(attr, &link);
	assert(link.alternative_count <= REACH_ALTERNATIVES_MAX);
	assert(link.hardware_address_length <= sizeof(link.hardware_address));
}

void proof_tunnel(void)
{
	const struct nlattr *attr = any_attribute();
	char kind[REACH_INTERFACE_NAME_SIZE];
	struct reach_tunnel tunnel = { 0 };

	kind[sizeof(kind) - 1] = '\0';
	(void)reach_decode_tunnel(attr, kind, &tunnel);
	assert(!tunnel.remote.family || tunnel.remote.family == AF_INET ||
	       tunnel.remote.family == AF_INET6);
}
