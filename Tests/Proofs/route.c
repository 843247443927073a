/* SPDX-License-Identifier: MIT */
/* What reads one attribute of a route, for any attribute, and the legs of
 * RTA_MULTIPATH up to LEGS_MAX bytes. */
#include "attribute.h"

/* A walk inside of an attribute, as attributes.c proves it to be. */
#define reach_attributes_next any_next
#include "message/decode_route.c"

/* Bytes of a message in front of its attributes. */
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
	/* As decode_attributes() asks. */
	__CPROVER_assume(reach_attribute_size(attr) - field->least <=
			 field->more);
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
