/* SPDX-License-Identifier: MIT */
/* What reads one attribute of a link, for any attribute, IFLA_LINKINFO with
 * those inside of it. */
#include "attribute.h"

/* A walk inside of an attribute, as attributes.c proves it to be. */
#define reach_attributes_next any_next
#include "message/decode_link.c"

void proof_link(void)
{
	const struct nlattr *attr = any_attribute();
	struct reach_link_message link;

	__CPROVER_assume(is_decoded(reach_attribute_type(attr)));
	link.hardware_address_length = 0;
	(void)decode_attribute(attr, &link);
	assert(link.hardware_address_length <= sizeof(link.hardware_address));
}
