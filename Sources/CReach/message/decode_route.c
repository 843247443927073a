/* SPDX-License-Identifier: MIT */
/* RTM_NEWROUTE, RTM_DELROUTE and replies to RTM_GETROUTE: struct rtmsg and
 * RTA_* attributes (fib_dump_info() of net/ipv4/fib_semantics.c, rt_fill_info()
 * of net/ipv4/route.c, rt6_fill_node() of net/ipv6/route.c).
 *
 * A full table is up to a million of these messages, so the walk is written for
 * speed: the type of an attribute indexes a table, which says what length it
 * must have and where its value is copied to. Attributes that are neither a
 * number nor an address are left to decode_other().
 */
#include "message/message.h"

#include <errno.h>
#include <stddef.h>

#include <asm/param.h>

#include "base/kernel.h"

/* RTA_VIA: a gateway whose family differs from the route's (RFC 5549). Any
 * family but AF_INET and AF_INET6 leaves @ret as it is. */
static bool decode_via(const struct nlattr *attr, struct reach_address *ret)
{
	const struct rtvia *via = reach_attribute_data(attr);
	const size_t size = reach_attribute_size(attr);

	if (size < sizeof(*via))
		return false;
	if (via->rtvia_family != AF_INET && via->rtvia_family != AF_INET6)
		return true;
	return reach_address_set(ret, (uint8_t)via->rtvia_family,
				 via->rtvia_addr, size - sizeof(*via));
}

static bool decode_leg(const struct rtnexthop *hop, uint8_t family,
		       struct reach_leg *ret)
{
	struct reach_attributes walk =
		reach_attributes_behind(sizeof(*hop), hop, hop->rtnh_len);
	const struct nlattr *attr;
	bool sound = true;

	*ret = (struct reach_leg){ .interface_index =
					   (uint32_t)hop->rtnh_ifindex,
				   .flags = hop->rtnh_flags,
				   .hops = hop->rtnh_hops };
	while ((attr = reach_attributes_next(&walk)) && sound) {
		switch (reach_attribute_type(attr)) {
		case RTA_GATEWAY:
			sound = reach_attribute_address(attr, family,
							&ret->gateway);
			break;
		case RTA_VIA:
			sound = decode_via(attr, &ret->gateway);
			break;
		default:
			break;
		}
	}
	return sound && reach_attributes_end(&walk);
}

/* RTA_MULTIPATH: an array of struct rtnexthop, each with attributes of its own.
 * Legs beyond REACH_LEGS_MAX are checked and counted. */
static bool decode_legs(const struct nlattr *attr, uint8_t family,
			struct reach_route_message *ret)
{
	const uint8_t *at = reach_attribute_data(attr);
	size_t left = reach_attribute_size(attr);
	struct reach_leg surplus;

	ret->leg_count = 0;
	while (left >= sizeof(struct rtnexthop)) {
		const struct rtnexthop *hop = (const void *)at;
		size_t step = reach_align(hop->rtnh_len);
		struct reach_leg *leg = ret->leg_count < REACH_LEGS_MAX
						? &ret->legs[ret->leg_count]
						: &surplus;

		if (hop->rtnh_len < sizeof(*hop) || hop->rtnh_len > left ||
		    !decode_leg(hop, family, leg))
			return false;
		ret->leg_count++;
		step = step < left ? step : left;
		at += step;
		left -= step;
	}
	return true;
}

/* How the walk decodes an attribute type. Each attribute is copied both as a
 * number and as an address, one of the two to a dummy offset: a branch on the
 * type is mispredicted wherever the order of attributes varies, and one
 * misprediction costs as much as four attributes. */
struct field {
	/* The payload has one of @sizes sizes from @least bytes on; any other
	 * is left to decode_other(). */
	uint16_t least;
	uint16_t sizes;
	/* Bit of `present`, 0 if the type is not decoded. */
	uint16_t bit;
	/* Offsets in struct reach_route_message: of the number, and of the 16
	 * bytes of the address. The dummy is 0: the first START bytes are
	 * written after the walk. */
	uint8_t number;
	uint8_t address;
};

#define MEMBER(member) offsetof(struct reach_route_message, member)
/* Size of `present` to `flags`, which are written after the walk. */
#define START MEMBER(table)
_Static_assert(START == sizeof(reach_quad),
	       "the dummy has room for an address");
_Static_assert(MEMBER(legs) <= UINT8_MAX, "offsets fit in uint8_t");

#define NUMBER(member, bit) { 4, UINT16_MAX, bit, MEMBER(member), 0 }
#define ADDRESS(size, member, bit)                                             \
	{ size, 1, bit, 0,                                                     \
	  MEMBER(member) + offsetof(struct reach_address, bytes) }
/* Frequent, and not decoded. The walk reads 4 bytes of any payload. IPv4
 * therefore leaves shorter ones to decode_other(); in IPv6, where every route has
 * one (RTA_PREF), the walk checks that 4 bytes are left in the message. */
#define SKIP(least) { least, UINT16_MAX, 0, 0, 0 }

/* Other types are left to decode_other(). */
#define FIELDS(size, short)                                                    \
	{                                                                      \
		[RTA_DST] =                                                    \
			ADDRESS(size, destination, REACH_ROUTE_DESTINATION),   \
		[RTA_SRC] = ADDRESS(size, source_prefix,                       \
				    REACH_ROUTE_SOURCE_PREFIX),                \
		[RTA_IIF] = NUMBER(input, REACH_ROUTE_INPUT),                  \
		[RTA_OIF] = NUMBER(output, REACH_ROUTE_OUTPUT),                \
		[RTA_GATEWAY] = ADDRESS(size, gateway, REACH_ROUTE_GATEWAY),   \
		[RTA_PRIORITY] = NUMBER(priority, REACH_ROUTE_PRIORITY),       \
		[RTA_PREFSRC] = ADDRESS(size, preferred_source,                \
					REACH_ROUTE_PREFERRED_SOURCE),         \
		[RTA_METRICS] = SKIP(short),                                   \
		[RTA_TABLE] = NUMBER(table, REACH_ROUTE_TABLE),                \
		[RTA_MARK] = NUMBER(mark, REACH_ROUTE_MARK),                   \
		[RTA_PREF] = SKIP(short),                                      \
		[RTA_UID] = NUMBER(uid, REACH_ROUTE_UID),                      \
		[RTA_NH_ID] = NUMBER(nexthop_id, REACH_ROUTE_NEXTHOP_ID),      \
	}

#define TYPES (RTA_NH_ID + 1)
static const struct field fields4[TYPES] = FIELDS(4, 4);
static const struct field fields6[TYPES] = FIELDS(16, 0);

/* Returned instead of bits of `present`. */
#define MALFORMED UINT32_MAX
/* Internal bit of `present`: the message has RTA_VIA. */
#define HAS_VIA (UINT32_C(1) << 30)
static uint32_t decode_cacheinfo(const struct nlattr *attr,
				 struct reach_route_message *ret)
{
	const uint8_t *bytes = reach_attribute_data(attr);
	int32_t ticks;

	if (reach_attribute_size(attr) < sizeof(struct rta_cacheinfo))
		return MALFORMED;
	memcpy(&ticks, bytes + offsetof(struct rta_cacheinfo, rta_expires),
	       sizeof(ticks));
	if (!ticks)
		return 0;
	/* In USER_HZ, negative after expiry (rtnl_put_cacheinfo() of
	 * net/core/rtnetlink.c). */
	ret->expires = (int64_t)ticks * (1000 / HZ);
	return REACH_ROUTE_EXPIRES;
}

/* RTA_EXPIRES: seconds. */
static uint32_t decode_seconds(const struct nlattr *attr,
			       struct reach_route_message *ret)
{
	uint32_t seconds;

	if (!reach_attribute_u32(attr, &seconds))
		return MALFORMED;
	ret->expires = (int64_t)seconds * 1000;
	return REACH_ROUTE_EXPIRES;
}

/* Attributes that are neither a number nor an address, and those whose size is
 * not that of their field: malformed if the field is decoded. */
static uint32_t decode_other(const struct nlattr *attr,
			     const struct field *field, uint8_t family,
			     struct reach_route_message *ret)
{
	switch (reach_attribute_type(attr)) {
	case RTA_CACHEINFO:
		return decode_cacheinfo(attr, ret);
	case RTA_EXPIRES:
		return decode_seconds(attr, ret);
	case RTA_MULTIPATH:
		return decode_legs(attr, family, ret) ? REACH_ROUTE_MULTIPATH
						      : MALFORMED;
	case RTA_VIA:
		return HAS_VIA;
	case RTA_ENCAP_TYPE:
		return REACH_ROUTE_ENCAPSULATION;
	default:
		return field->bit ? MALFORMED : 0;
	}
}

/* RTA_GATEWAY and RTA_VIA of a message with RTA_VIA. Both fill the same member,
 * and the last of them in the message is the valid one. */
static bool decode_gateways(const struct nlmsghdr *nlh, uint8_t family,
			    struct reach_address *ret)
{
	struct reach_attributes walk =
		reach_attributes_of(nlh, sizeof(struct rtmsg));
	const struct nlattr *attr;

	while ((attr = reach_attributes_next(&walk))) {
		const unsigned int type = reach_attribute_type(attr);

		if ((type == RTA_GATEWAY &&
		     !reach_attribute_address(attr, family, ret)) ||
		    (type == RTA_VIA && !decode_via(attr, ret)))
			return false;
	}
	return true;
}

/* Copies the payload to both offsets of @field. The caller has checked that
 * four bytes of payload are inside the message. */
static inline __attribute__((always_inline)) void
copy_value(const struct nlattr *attr, uint8_t family, const struct field *field,
	   struct reach_route_message *ret)
{
	uint8_t *to = (uint8_t *)ret;
	uint32_t number;
	reach_quad address;

	memcpy(&number, attr + 1, sizeof(number));
	if (family == AF_INET)
		address = (reach_quad){ number };
	else
		/* The last 16 bytes of the attribute: an address, or a number
		 * and bytes before it. Never bytes after the message. */
		memcpy(&address,
		       (const uint8_t *)attr + attr->nla_len - sizeof(address),
		       sizeof(address));
	memcpy(to + field->number, &number, sizeof(number));
	memcpy(to + field->address, &address, sizeof(address));
}

/* The walk. Fills all but the first START bytes and the families of addresses.
 * Returns `present` with HAS_VIA, or MALFORMED. */
static inline __attribute__((always_inline)) uint32_t
decode_attributes(const struct nlmsghdr *nlh, uint8_t family,
		  const struct field *fields, struct reach_route_message *ret)
{
	struct reach_attributes walk =
		reach_attributes_of(nlh, sizeof(struct rtmsg));
	uint32_t present = 0, other = 0;

	for (;;) {
		const ptrdiff_t left = walk.end - walk.at;
		const struct nlattr *attr = reach_attributes_next(&walk);
		const struct field *field;
		unsigned int type;

		if (!attr)
			break;
		type = reach_attribute_type(attr);
		if (type >= TYPES)
			continue;
		field = &fields[type];
		if (family == AF_INET6 && type == RTA_CACHEINFO) {
			/* Every IPv6 route has it, so not in decode_other(). */
			other |= decode_cacheinfo(attr, ret);
			continue;
		}
		/* copy_value() reads a header and 4 bytes. */
		if (reach_attribute_size(attr) - field->least >= field->sizes ||
		    (family == AF_INET6 && left < 8)) {
			other |= decode_other(attr, field, family, ret);
			continue;
		}
		copy_value(attr, family, field, ret);
		present |= field->bit;
	}
	return reach_attributes_end(&walk) ? present | other : MALFORMED;
}

/* The family of an address that may be absent. */
static uint8_t family_of(uint32_t present, uint32_t bit, uint8_t family)
{
	return present & bit ? family : 0;
}

static inline __attribute__((always_inline)) int
decode_family(const struct nlmsghdr *nlh, uint8_t family, uint8_t length_max,
	      const struct field *fields, struct reach_message *message)
{
	struct reach_route_message *ret = &message->u.route;
	const struct rtmsg *rtm = NLMSG_DATA(nlh);
	uint32_t present;

	if (rtm->rtm_dst_len > length_max)
		return -EBADMSG;
	/* `legs` is valid up to leg_count and not cleared: it is larger than
	 * all other members together. */
	reach_clear((uint8_t *)ret + START, MEMBER(legs) - START);
	ret->table = rtm->rtm_table;
	present = decode_attributes(nlh, family, fields, ret);
	if (present == MALFORMED)
		return -EBADMSG;
	ret->destination.family =
		family_of(present, REACH_ROUTE_DESTINATION, family);
	ret->source_prefix.family =
		family_of(present, REACH_ROUTE_SOURCE_PREFIX, family);
	ret->gateway.family = family_of(present, REACH_ROUTE_GATEWAY, family);
	ret->preferred_source.family =
		family_of(present, REACH_ROUTE_PREFERRED_SOURCE, family);
	if (present & HAS_VIA) {
		if (!decode_gateways(nlh, family, &ret->gateway))
			return -EBADMSG;
		present &= ~HAS_VIA;
		present |= ret->gateway.family ? REACH_ROUTE_GATEWAY : 0;
	}
	ret->present = present;
	memcpy(&ret->family, rtm, sizeof(*rtm));
	ret->reserved = 0;
	message->kind = REACH_MESSAGE_ROUTE;
	return 1;
}

_Static_assert(MEMBER(type) - MEMBER(family) ==
			       offsetof(struct rtmsg, rtm_type) &&
		       START - MEMBER(family) == sizeof(struct rtmsg),
	       "laid out as rtmsg, with `reserved` for rtm_table");

int reach_decode_route(const struct nlmsghdr *nlh, struct reach_message *ret)
{
	const struct rtmsg *rtm = NLMSG_DATA(nlh);

	if (nlh->nlmsg_len < NLMSG_LENGTH(sizeof(*rtm)))
		return -EBADMSG;
	if (rtm->rtm_family == AF_INET)
		return decode_family(nlh, AF_INET, 32, fields4, ret);
	if (rtm->rtm_family == AF_INET6)
		return decode_family(nlh, AF_INET6, 128, fields6, ret);
	return 1;
}
