/* SPDX-License-Identifier: MIT */
/* The functions that read an attribute of a route message, for any attribute,
 * and RTA_MULTIPATH with legs of up to LEGS_MAX bytes. */
#include "attribute.h"

/* attributes.c proves the walk inside an attribute. */
#define reach_attributes_next any_next
#include "message/decode_route.c"

/* The size of a message's headers, before its attributes. */
#define FRONT	 (NLMSG_HDRLEN + sizeof(struct rtmsg))
#define LEGS_MAX 28

void proof_via(void)
{
	struct reach_address gateway;

	(void)decode_via(any_attribute(), &gateway);
}

void proof_expiry(void)
{
	const struct nlattr *attr = any_attribute();
	struct reach_route_message route;

	if (nondet_bool())
		(void)decode_cacheinfo(attr, &route);
	else
		(void)decode_seconds(attr, &route);
}

void proof_legs(void)
{
	const struct nlattr *attr = any_attribute();
	const uint8_t family = nondet_bool() ? AF_INET : AF_INET6;
	static struct reach_route_message route;

	__CPROVER_assume(reach_attribute_size(attr) <= LEGS_MAX);
	if (decode_legs(attr, family, &route))
		assert(route.leg_count <= LEGS_MAX / sizeof(struct rtnexthop));
}

static void copy_any(uint8_t family, const struct field *fields)
{
	const size_t left = nondet_size();
	static struct reach_route_message route;
	const struct nlattr *attr;
	const struct field *field;
	unsigned int type;

	__CPROVER_assume(left >= sizeof(*attr) && left <= UINT16_MAX);
	attr = (const void *)((uint8_t *)bytes_of(FRONT + left) + FRONT);
	__CPROVER_assume(attr->nla_len >= sizeof(*attr) &&
			 attr->nla_len <= left);
	type = reach_attribute_type(attr);
	__CPROVER_assume(type < TYPES);
	field = &fields[type];
	/* decode_attributes() has checked the size. */
	__CPROVER_assume(reach_attribute_size(attr) - field->least <
			 field->sizes);
	__CPROVER_assume(family == AF_INET || left >= 8);
	copy_value(attr, family, field, &route);
}

void proof_copy4(void)
{
	copy_any(AF_INET, fields4);
}

void proof_copy6(void)
{
	copy_any(AF_INET6, fields6);
}
