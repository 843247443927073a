/* SPDX-License-Identifier: MIT */
/* The function that reads an attribute of a link message, for any attribute,
 * including IFLA_LINKINFO and the attributes inside it. */
#include "attribute.h"

/* attributes.c proves the walk inside an attribute. */
#define reach_attributes_next any_next
#include "message/decode_link.c"

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
