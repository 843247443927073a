/* SPDX-License-Identifier: MIT */
/* RTM_NEWROUTE, RTM_DELROUTE and answers to RTM_GETROUTE. */
#include "message/attributes.h"
#include "message/decode.h"

#include <errno.h>
#include <stddef.h>

#include <asm/param.h>
#include <linux/rtnetlink.h>

/* RTA_VIA: a gateway of another family than the route's (RFC 5549). */
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

static bool decode_legs(const struct nlattr *attr, uint8_t family,
			struct reach_route_message *ret)
{
	const uint8_t *at = reach_attribute_data(attr);
	size_t left = reach_attribute_size(attr);
	struct reach_leg dropped;

	ret->leg_count = 0;
	while (left >= sizeof(struct rtnexthop)) {
		const struct rtnexthop *hop = (const void *)at;
		size_t step = reach_align(hop->rtnh_len);
		struct reach_leg *leg = ret->leg_count < REACH_LEGS_MAX
						? &ret->legs[ret->leg_count]
						: &dropped;

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

/* What is done with an attribute, by type. Most are a number or an address,
 * which are written without a branch: what comes next in a message cannot be
 * foreseen, and a wrong guess costs as much as four attributes. */
struct field {
	/* Bytes that it has at least, and may have more; else it is one for
	 * decode_odd(). */
	uint16_t least;
	uint16_t more;
	/* Of `present`. */
	uint16_t bit;
	/* Where its first four bytes go if it is a number, and where 16 go if
	 * it is an address; else to the start of struct reach_route_message,
	 * which is written last. */
	uint8_t number;
	uint8_t address;
};

#define MEMBER(member) offsetof(struct reach_route_message, member)
/* Bytes that are written last: `present` to `flags`. */
#define START MEMBER(table)
_Static_assert(START == sizeof(reach_quad), "an address fits");
_Static_assert(MEMBER(legs) <= UINT8_MAX, "offsets fit");

#define NUMBER(member, bit)	   { 4, UINT16_MAX, bit, MEMBER(member), 0 }
#define ADDRESS(size, member, bit) { size, 0, bit, 0, MEMBER(member.bytes) }
/* No attribute is so long. */
#define ODD { UINT16_MAX, 0, 0, 0, 0 }
/* Not decoded. Of IPv4 those of less than @least bytes are left to
 * decode_odd(), which spares a check; IPv6 has one, RTA_PREF, in every route.
 */
#define SKIP(least) { least, UINT16_MAX, 0, 0, 0 }

#define FIELDS(size, short)                                                    \
	{                                                                      \
		[RTA_UNSPEC] = SKIP(short),                                    \
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
		[RTA_MULTIPATH] = ODD,                                         \
		[RTA_PROTOINFO] = SKIP(short),                                 \
		[RTA_FLOW] = SKIP(short),                                      \
		[RTA_CACHEINFO] = ODD,                                         \
		[RTA_SESSION] = SKIP(short),                                   \
		[RTA_MP_ALGO] = SKIP(short),                                   \
		[RTA_TABLE] = NUMBER(table, REACH_ROUTE_TABLE),                \
		[RTA_MARK] = NUMBER(mark, REACH_ROUTE_MARK),                   \
		[RTA_MFC_STATS] = SKIP(short),                                 \
		[RTA_VIA] = ODD,                                               \
		[RTA_NEWDST] = SKIP(short),                                    \
		[RTA_PREF] = SKIP(short),                                      \
		[RTA_ENCAP_TYPE] = SKIP(short),                                \
		[RTA_ENCAP] = SKIP(short),                                     \
		[RTA_EXPIRES] = ODD,                                           \
		[RTA_PAD] = SKIP(short),                                       \
		[RTA_UID] = NUMBER(uid, REACH_ROUTE_UID),                      \
		[RTA_TTL_PROPAGATE] = SKIP(short),                             \
		[RTA_IP_PROTO] = SKIP(short),                                  \
		[RTA_SPORT] = SKIP(short),                                     \
		[RTA_DPORT] = SKIP(short),                                     \
		[RTA_NH_ID] = NUMBER(nexthop_id, REACH_ROUTE_NEXTHOP_ID),      \
	}

#define TYPES (RTA_NH_ID + 1)
static const struct field fields4[TYPES] = FIELDS(4, 4);
static const struct field fields6[TYPES] = FIELDS(16, 0);

/* These return bits of `present`, or all. */
#define MALFORMED UINT32_MAX
/* There is an RTA_VIA. */
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
	/* Signed: negative once the route is over (rtnl_put_cacheinfo,
	 * net/core/rtnetlink.c). */
	ret->expires = (int64_t)ticks * (1000 / HZ);
	return REACH_ROUTE_EXPIRES;
}

static uint32_t decode_seconds(const struct nlattr *attr,
			       struct reach_route_message *ret)
{
	uint32_t seconds;

	if (!reach_attribute_u32(attr, &seconds))
		return MALFORMED;
	ret->expires = (int64_t)seconds * 1000;
	return REACH_ROUTE_EXPIRES;
}

/* An attribute with a meaning of its own, or of a wrong size. */
static uint32_t decode_odd(const struct nlattr *attr, const struct field *field,
			   uint8_t family, struct reach_route_message *ret)
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
	default:
		return field->bit ? MALFORMED : 0;
	}
}

/* RTA_VIA and RTA_GATEWAY share a member: the last one of both. */
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

static bool has_two_sources(const struct nlmsghdr *nlh)
{
	struct reach_attributes walk =
		reach_attributes_of(nlh, sizeof(struct rtmsg));
	const struct nlattr *attr;
	size_t count = 0;

	while ((attr = reach_attributes_next(&walk)))
		count += reach_attribute_type(attr) == RTA_PREFSRC;
	return count > 1;
}

/* Writes the value of an attribute, from whose header on there are @left bytes,
 * and which has four. */
static inline __attribute__((always_inline)) void
write_value(const struct nlmsghdr *nlh, const struct nlattr *attr,
	    ptrdiff_t left, uint8_t family, const struct field *field,
	    struct reach_route_message *ret)
{
	const ptrdiff_t whole = sizeof(*attr) + sizeof(reach_quad);
	uint8_t *to = (uint8_t *)ret;
	uint32_t number;
	reach_quad address;

	memcpy(&number, attr + 1, sizeof(number));
	if (family == AF_INET)
		address = (reach_quad){ number };
	else
		/* It is no address if the message ends before. */
		memcpy(&address, left < whole ? (const void *)nlh : attr + 1,
		       sizeof(address));
	memcpy(to + field->number, &number, sizeof(number));
	memcpy(to + field->address, &address, sizeof(address));
}

/* Everything but the members up to `flags`, and the families. Returns
 * `present`. */
static inline __attribute__((always_inline)) uint32_t
decode_attributes(const struct nlmsghdr *nlh, uint8_t family,
		  const struct field *fields, struct reach_route_message *ret)
{
	struct reach_attributes walk =
		reach_attributes_of(nlh, sizeof(struct rtmsg));
	uint32_t present = 0, odd = 0;
	/* Of the bits as numbers: more than they make where a type repeats. */
	uint64_t sum = 0;

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
			/* Every IPv6 route has it. */
			odd |= decode_cacheinfo(attr, ret);
			continue;
		}
		/* The last one may be too short to be read at all. */
		if (reach_attribute_size(attr) - field->least > field->more ||
		    (family == AF_INET6 && left < 8)) {
			odd |= decode_odd(attr, field, family, ret);
			continue;
		}
		write_value(nlh, attr, left, family, field, ret);
		present |= field->bit;
		sum += field->bit;
	}
	/* Only an answer to an IPv6 lookup has two. */
	if (sum != present && has_two_sources(nlh))
		odd |= REACH_ROUTE_PREFERRED_SOURCE_AGAIN;
	return reach_attributes_end(&walk) ? present | odd : MALFORMED;
}

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
	/* The legs are told by leg_count; clearing them would cost more than
	 * all the rest. */
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
	       "as rtmsg, `reserved` in place of its table");

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
