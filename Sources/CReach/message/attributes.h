/* SPDX-License-Identifier: MIT */
/*
 * The attribute walk. libmnl's calls cross a library boundary some forty times
 * a message; this is the same walk inline, with unsigned bounds.
 */
#ifndef REACH_ATTRIBUTES_H
#define REACH_ATTRIBUTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/netlink.h>

#include <reach/address.h>

/* NLMSG_ALIGN, NLA_ALIGN and RTNH_ALIGN, which are all the same, without the
 * int arithmetic of the kernel's macros. */
static inline size_t reach_align(size_t size)
{
	return (size + 3) & ~(size_t)3;
}

/* 16 bytes anywhere in memory, in one load or store. */
typedef uint32_t reach_quad
	__attribute__((vector_size(16), aligned(1), may_alias));

/* Clears @size bytes, 16 at least and known when it is compiled: gcc makes a
 * `rep stos` of memset(), which takes as long as to decode a route. */
static inline __attribute__((always_inline)) void reach_clear(void *ret,
							      size_t size)
{
	uint8_t *at = ret;
	size_t i;

#pragma GCC unroll 16
	for (i = 0; i < size / sizeof(reach_quad); i++)
		((reach_quad *)at)[i] = (reach_quad){ 0 };
	*(reach_quad *)(at + size - sizeof(reach_quad)) = (reach_quad){ 0 };
}

/* Attributes in a row: the payload of one, or what follows a fixed header.
 * Lengths are less than 2^31, so the signed ones have no overflow. */
struct reach_attributes {
	const uint8_t *bytes;
	/* Offset of the next one, and of the end; the former may pass the
	 * latter by the padding that the last one need not have. */
	ptrdiff_t at;
	ptrdiff_t end;
};

/* What follows @fixed bytes in @size. */
static inline struct reach_attributes
reach_attributes_behind(size_t fixed, const void *bytes, size_t size)
{
	return (struct reach_attributes){ .bytes = bytes,
					  .at = (ptrdiff_t)reach_align(fixed),
					  .end = (ptrdiff_t)size };
}

/* The attributes behind a fixed header of @fixed bytes. */
static inline struct reach_attributes
reach_attributes_of(const struct nlmsghdr *nlh, size_t fixed)
{
	return reach_attributes_behind(NLMSG_HDRLEN + fixed, nlh,
				       nlh->nlmsg_len);
}

static inline struct reach_attributes
reach_attributes_inside(const struct nlattr *attr)
{
	return reach_attributes_behind(sizeof(*attr), attr, attr->nla_len);
}

/* Whether no attribute is left; else the next one does not fit, once
 * reach_attributes_next() has returned NULL. */
static inline bool reach_attributes_end(const struct reach_attributes *walk)
{
	return walk->end - walk->at < (ptrdiff_t)sizeof(struct nlattr);
}

/* The next attribute, whole inside its container, or NULL. */
static inline const struct nlattr *
reach_attributes_next(struct reach_attributes *walk)
{
	const struct nlattr *attr;
	size_t left;

	if (reach_attributes_end(walk))
		return NULL;
	attr = (const void *)(walk->bytes + walk->at);
	left = (size_t)(walk->end - walk->at);
	/* Unsigned: shorter than its header is longer than anything. */
	if (attr->nla_len - sizeof(*attr) > left - sizeof(*attr))
		return NULL;
	/* The way from one length to the next is what a walk waits for. */
	walk->at = (walk->at + attr->nla_len + 3) & ~(ptrdiff_t)3;
	return attr;
}

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

/* Sets an address from @size bytes, which must be what @family has. */
static inline __attribute__((always_inline)) bool
reach_address_set(struct reach_address *ret, uint8_t family, const void *bytes,
		  size_t size)
{
	if (size != (family == AF_INET ? 4U : 16U))
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

/* Copies a string that need not end in NUL, cut to the 16 bytes of @ret. It
 * is short: a loop costs less than the calls of strnlen() and memcpy(). */
static inline void reach_attribute_string(const struct nlattr *attr, char *ret)
{
	const size_t size = reach_attribute_size(attr), room = 15;
	const char *bytes = reach_attribute_data(attr);
	size_t i;

	memset(ret, 0, room + 1);
	for (i = 0; i < size && i < room && bytes[i]; i++)
		ret[i] = bytes[i];
}

#endif
