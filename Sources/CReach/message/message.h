/* SPDX-License-Identifier: MIT */
/*
 * Door of message/: rtnetlink messages: attributes, and what decode*.c read
 * from them.
 */
#ifndef REACH_MESSAGE_MESSAGE_H
#define REACH_MESSAGE_MESSAGE_H

#include <linux/netlink.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include <reach/address.h>
#include <reach/internal/message.h>

#include "base/base.h"

#pragma GCC visibility push(hidden)

/*
 * The walk over netlink attributes (struct nlattr), inline. libmnl's
 * mnl_attr_ok(), mnl_attr_next() and getters are about forty calls into a
 * shared library per message, and its bounds are signed ints.
 */

/* NLMSG_ALIGN, NLA_ALIGN and RTNH_ALIGN: all round up to 4, the kernel's macros
 * in int arithmetic. */
static inline size_t reach_align(size_t size)
{
	return (size + 3) & ~(size_t)3;
}

/* 16 bytes at any alignment: one load or store. */
typedef uint32_t reach_quad
	__attribute__((vector_size(16), aligned(1), may_alias));

/* Clears @size bytes; @size is a constant, at least 16. gcc 12 compiles
 * memset() of 100 bytes and more to `rep stos`, which takes as long as decoding
 * a route. The last store overlaps the one before. */
static inline __attribute__((always_inline)) void reach_clear(void *ret,
							      size_t size)
{
	uint8_t *at = ret;
	size_t i;

#pragma GCC unroll 32
	for (i = 0; i < size / sizeof(reach_quad); i++)
		((reach_quad *)at)[i] = (reach_quad){ 0 };
	*(reach_quad *)(at + size - sizeof(reach_quad)) = (reach_quad){ 0 };
}

/* A walk over consecutive attributes: after the fixed header of a message, or
 * nested in the payload of an attribute. reach_message_decode() limits sizes to
 * INT_MAX, so offsets do not overflow. */
struct reach_attributes {
	const uint8_t *bytes;
	/* Offset in `bytes` of the next attribute. At the end of the walk it
	 * may exceed `end` by 1 to 3: the last attribute needs no padding. */
	ptrdiff_t at;
	/* Size of `bytes`. */
	ptrdiff_t end;
};

/* The attributes of @bytes after the first @fixed of @size bytes. */
static inline struct reach_attributes
reach_attributes_behind(size_t fixed, const void *bytes, size_t size)
{
	return (struct reach_attributes){ .bytes = bytes,
					  .at = (ptrdiff_t)reach_align(fixed),
					  .end = (ptrdiff_t)size };
}

/* The attributes of a message after its fixed header (struct rtmsg, ...) of
 * @fixed bytes. */
static inline struct reach_attributes
reach_attributes_of(const struct nlmsghdr *nlh, size_t fixed)
{
	return reach_attributes_behind(NLMSG_HDRLEN + fixed, nlh,
				       nlh->nlmsg_len);
}

/* The attributes nested in @attr. */
static inline struct reach_attributes
reach_attributes_inside(const struct nlattr *attr)
{
	return reach_attributes_behind(sizeof(*attr), attr, attr->nla_len);
}

/* Whether fewer bytes are left than an attribute's header has. If false after
 * reach_attributes_next() returned NULL, the next attribute is malformed. */
static inline bool reach_attributes_end(const struct reach_attributes *walk)
{
	return walk->end - walk->at < (ptrdiff_t)sizeof(struct nlattr);
}

/* The next attribute, or NULL if none is left or its length is less than its
 * header or more than what is left. */
static inline const struct nlattr *
reach_attributes_next(struct reach_attributes *walk)
{
	/* A header and four bytes. */
	const ptrdiff_t word = 8;
	const struct nlattr *attr;
	size_t left;

	if (reach_attributes_end(walk))
		return NULL;
	attr = (const void *)(walk->bytes + walk->at);
	left = (size_t)(walk->end - walk->at);
	/* Unsigned: a length less than the header's wraps and is too large. */
	if (attr->nla_len - sizeof(*attr) > left - sizeof(*attr))
		return NULL;
	/* The address of each attribute depends on the length of the one
	 * before: a load and two operations, about 7 cycles, that cannot
	 * overlap. The branch predictor supplies the length of 4-byte payloads
	 * (numbers, IPv4 addresses, the most frequent ones) without the load.
	 * It gains 10 to 30 % on messages of the kernel and costs up to 50 %
	 * where the order of lengths is random. */
	if (__builtin_expect(attr->nla_len == word, 1))
		walk->at += word;
	else
		walk->at = (walk->at + attr->nla_len + 3) & ~(ptrdiff_t)3;
	return attr;
}

/* The type without NLA_F_NESTED and NLA_F_NET_BYTEORDER. */
static inline unsigned int reach_attribute_type(const struct nlattr *attr)
{
	return attr->nla_type & (unsigned int)NLA_TYPE_MASK;
}

static inline const void *reach_attribute_data(const struct nlattr *attr)
{
	return (const uint8_t *)attr + sizeof(*attr);
}

static inline size_t reach_attribute_size(const struct nlattr *attr)
{
	return (size_t)attr->nla_len - sizeof(*attr);
}

/* Reads a number. False if the payload is too short; a longer one is accepted.
 */
static inline bool reach_attribute_u32(const struct nlattr *attr, uint32_t *ret)
{
	if (reach_attribute_size(attr) < sizeof(*ret))
		return false;
	memcpy(ret, reach_attribute_data(attr), sizeof(*ret));
	return true;
}

static inline bool reach_attribute_u8(const struct nlattr *attr, uint8_t *ret)
{
	if (reach_attribute_size(attr) < sizeof(*ret))
		return false;
	*ret = *(const uint8_t *)reach_attribute_data(attr);
	return true;
}

/* Sets @ret to the address at @bytes; false if @size is not that of @family. */
static inline __attribute__((always_inline)) bool
reach_address_set(struct reach_address *ret, uint8_t family, const void *bytes,
		  size_t size)
{
	if (size != reach_address_size(family))
		return false;
	ret->family = family;
	ret->reserved = 0;
	ret->scope_id = 0;
	if (family == AF_INET) {
		uint32_t word;

		memcpy(&word, bytes, sizeof(word));
		*(reach_quad *)ret->bytes = (reach_quad){ word };
	} else {
		memcpy(ret->bytes, bytes, sizeof(ret->bytes));
	}
	return true;
}

static inline bool reach_attribute_address(const struct nlattr *attr,
					   uint8_t family,
					   struct reach_address *ret)
{
	return reach_address_set(ret, family, reach_attribute_data(attr),
				 reach_attribute_size(attr));
}

/* Copies a string, which need not end in NUL, cut to the 16 bytes of @ret
 * (IFNAMSIZ). Names are short, so the loop takes less time than calls of
 * strnlen() and memcpy(). */
static inline void reach_attribute_string(const struct nlattr *attr, char *ret)
{
	const size_t size = reach_attribute_size(attr), room = 15;
	const char *bytes = reach_attribute_data(attr);
	size_t i;

	memset(ret, 0, room + 1);
	for (i = 0; i < size && i < room && bytes[i]; i++)
		ret[i] = bytes[i];
}

/* The decoders of message bodies, one per kind. */

/* Decodes the body of @nlh into @ret, whose header reach_message_decode() has
 * filled with the kind REACH_MESSAGE_OTHER. The caller has checked that
 * nlmsg_len is at least a header and ends inside the datagram.
 *
 * @return 1, or -EBADMSG for a malformed body. A body of an address family that
 *         the library does not use leaves the kind as it is. */
int reach_decode_link(const struct nlmsghdr *nlh, struct reach_message *ret);
int reach_decode_address(const struct nlmsghdr *nlh, struct reach_message *ret);
int reach_decode_route(const struct nlmsghdr *nlh, struct reach_message *ret);
int reach_decode_rule(const struct nlmsghdr *nlh, struct reach_message *ret);
int reach_decode_netconf(const struct nlmsghdr *nlh, struct reach_message *ret);

/* Decodes IFLA_INFO_DATA of a link of @kind, unless that is no tunnel. @return
 * false if it is malformed. */
bool reach_decode_tunnel(const struct nlattr *data, const char *kind,
			 struct reach_tunnel *ret);

#pragma GCC visibility pop

#endif
