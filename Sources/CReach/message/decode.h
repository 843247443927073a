/* SPDX-License-Identifier: MIT */
/* The decoders of single message bodies, one a kind, and the tables of the
 * hot ones. */
#ifndef REACH_DECODE_H
#define REACH_DECODE_H

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/if_addr.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include <reach/message.h>

#pragma GCC visibility push(hidden)

/* How an attribute is read. */
enum reach_field_kind {
	REACH_FIELD_NONE = 0,
	REACH_FIELD_U32,
	REACH_FIELD_U8,
	REACH_FIELD_ADDRESS,
	/* IFA_LOCAL and IFA_ADDRESS, as addresses. */
	REACH_FIELD_LOCAL,
	REACH_FIELD_PEER,
	REACH_FIELD_STRING,
	/* Only that it is there. */
	REACH_FIELD_FLAG,
	/* IFLA_ADDRESS, into hardware_address. */
	REACH_FIELD_HARDWARE,
	/* IFA_CACHEINFO, into preferred and valid. */
	REACH_FIELD_LIFETIME,
	/* RTA_CACHEINFO, into expires. */
	REACH_FIELD_CACHEINFO,
	/* IFLA_LINKINFO, a nest. */
	REACH_FIELD_INFO,
	/* Read by the walk alone: what it holds decides where things are. */
	REACH_FIELD_LEGS,
	REACH_FIELD_VIA,
	REACH_FIELD_SECONDS
};

struct reach_field {
	uint8_t kind;
	/* Offset in the member of `u`. */
	uint16_t at;
	/* Bit of `present`, the first word of that member. */
	uint32_t bit;
};

#define REACH_ROUTE_FIELDS   32
#define REACH_LINK_FIELDS    64
#define REACH_ADDRESS_FIELDS 16

/* By attribute type. */
extern const struct reach_field reach_route_fields[REACH_ROUTE_FIELDS];
extern const struct reach_field reach_link_fields[REACH_LINK_FIELDS];
extern const struct reach_field reach_address_fields[REACH_ADDRESS_FIELDS];

/* @nlh is whole inside the datagram: nlmsg_len bytes, at least its header.
 * Each returns 0 or -EBADMSG; a family the library has no use for makes a
 * REACH_MESSAGE_OTHER. */
int reach_decode_link(const struct nlmsghdr *nlh, struct reach_message *ret);
int reach_decode_address(const struct nlmsghdr *nlh, struct reach_message *ret);
int reach_decode_route(const struct nlmsghdr *nlh, struct reach_message *ret);
int reach_decode_rule(const struct nlmsghdr *nlh, struct reach_message *ret);
int reach_decode_nexthop(const struct nlmsghdr *nlh, struct reach_message *ret);
int reach_decode_netconf(const struct nlmsghdr *nlh, struct reach_message *ret);
int reach_decode_error(const struct nlmsghdr *nlh, struct reach_message *ret);

/* The message @nlh, header and all. */
int reach_decode_message(const struct nlmsghdr *nlh, struct reach_message *ret);

_Static_assert(offsetof(struct reach_message, type) ==
			       offsetof(struct reach_message, kind) +
				       offsetof(struct nlmsghdr, nlmsg_type) &&
		       offsetof(struct reach_message, u) ==
			       offsetof(struct reach_message, kind) +
				       sizeof(struct nlmsghdr),
	       "a message starts as nlmsghdr does, kind in place of length");

/* Starts a message of @kind with what its header says. */
static inline void reach_decode_header(const struct nlmsghdr *nlh,
				       uint16_t kind, struct reach_message *ret)
{
	const uint16_t start[2] = { kind, 0 };

	memcpy(&ret->kind, nlh, sizeof(*nlh));
	memcpy(&ret->kind, start, sizeof(start));
}

_Static_assert(
	offsetof(struct reach_route_message, type) ==
		offsetof(struct reach_route_message, family) +
			offsetof(struct rtmsg, rtm_type),
	"a route starts as rtmsg does, `reserved` in place of its table");

/* What a fixed header says but for what is a number of 32 bits, over what is
 * there already. */
static inline void reach_route_header(const struct rtmsg *rtm,
				      struct reach_route_message *ret)
{
	memcpy(&ret->family, rtm, offsetof(struct rtmsg, rtm_flags));
	ret->reserved = 0;
}

static inline void reach_link_header(const struct ifinfomsg *ifi,
				     struct reach_link_message *ret)
{
	ret->family = ifi->ifi_family;
	ret->hardware_type = ifi->ifi_type;
	ret->index = (uint32_t)ifi->ifi_index;
}

_Static_assert(offsetof(struct reach_address_message, scope) ==
		       offsetof(struct reach_address_message, family) +
			       offsetof(struct ifaddrmsg, ifa_scope),
	       "as ifaddrmsg does, `reserved` in place of its short flags");

static inline void reach_address_header(const struct ifaddrmsg *ifa,
					struct reach_address_message *ret)
{
	memcpy(&ret->family, ifa, offsetof(struct ifaddrmsg, ifa_index));
	ret->reserved = 0;
}

/* Longest prefix of a family. */
static inline uint8_t reach_route_length_max(uint8_t family)
{
	return family == AF_INET ? 32 : 128;
}

/* Start of the attributes behind a fixed header of @fixed bytes. */
static inline const void *reach_decode_tail(const struct nlmsghdr *nlh,
					    size_t fixed, size_t *size)
{
	const size_t start = NLMSG_HDRLEN + NLMSG_ALIGN(fixed);

	*size = nlh->nlmsg_len > start ? nlh->nlmsg_len - start : 0;
	return (const uint8_t *)nlh + start;
}

/* Checks the call and the header at @offset, and moves @offset behind that
 * message. 1, 0 at the end, or the error to return.
 * mnl_nlmsg_ok() of libmnl 1.0.4 compares lengths as int and accepts those
 * above INT_MAX, so it is not asked. */
static inline int reach_decode_step(const void *bytes, size_t size,
				    size_t *offset,
				    const struct reach_message *message,
				    const struct nlmsghdr **ret)
{
	const size_t at = *offset;
	const struct nlmsghdr *nlh;
	size_t left, step;

	if (message->size < sizeof(*message) || size > INT_MAX || at > size ||
	    (uintptr_t)bytes % NLMSG_ALIGNTO)
		return -EINVAL;
	left = size - at;
	if (!left)
		return 0;
	/* A datagram may end in less than the padding of its last message. */
	if (at % NLMSG_ALIGNTO)
		return -EINVAL;
	nlh = (const void *)((const uint8_t *)bytes + at);
	if (left < sizeof(*nlh) || nlh->nlmsg_len < sizeof(*nlh) ||
	    nlh->nlmsg_len > left) {
		*offset = size;
		return -EBADMSG;
	}
	step = ((size_t)nlh->nlmsg_len + NLMSG_ALIGNTO - 1) &
	       ~((size_t)NLMSG_ALIGNTO - 1);
	*offset = at + (step < left ? step : left);
	*ret = nlh;
	return 1;
}

#pragma GCC visibility pop

#endif
