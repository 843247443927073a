/* SPDX-License-Identifier: MIT */
/*
 * The attribute walk of the hot messages. libmnl's calls cross a library
 * boundary some forty times a message; this is the same walk inline, with
 * unsigned bounds.
 */
#ifndef REACH_ATTRIBUTES_H
#define REACH_ATTRIBUTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/netlink.h>

#include <reach/address.h>

#include "message/decode.h"

/* NLMSG_ALIGN, NLA_ALIGN and RTNH_ALIGN, which are all the same, without the
 * int arithmetic of the kernel's macros. */
static inline size_t reach_align(size_t size)
{
	return (size + 3) & ~(size_t)3;
}

struct reach_attributes {
	const uint8_t *at;
	const uint8_t *end;
	/* An attribute did not fit; the walk ended there. */
	bool malformed;
};

static inline struct reach_attributes
reach_attributes_begin(const void *payload, size_t size)
{
	return (struct reach_attributes){
		.at = payload, .end = (const uint8_t *)payload + size
	};
}

/* The next attribute, whole inside the buffer, or NULL. */
static inline const struct nlattr *
reach_attributes_next(struct reach_attributes *walk)
{
	const size_t left = (size_t)(walk->end - walk->at);
	const struct nlattr *attr = (const void *)walk->at;
	size_t step;

	if (left < sizeof(*attr))
		return NULL;
	if (attr->nla_len < sizeof(*attr) || attr->nla_len > left) {
		walk->malformed = true;
		return NULL;
	}
	step = reach_align((size_t)attr->nla_len);
	walk->at += step < left ? step : left;
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
static inline bool reach_address_set(struct reach_address *ret, uint8_t family,
				     const void *bytes, size_t size)
{
	if (size != (family == AF_INET ? 4U : 16U))
		return false;
	*ret = (struct reach_address){ .family = family };
	memcpy(ret->bytes, bytes, size);
	return true;
}

static inline bool reach_attribute_address(const struct nlattr *attr,
					   uint8_t family,
					   struct reach_address *ret)
{
	return reach_address_set(ret, family, reach_attribute_data(attr),
				 reach_attribute_size(attr));
}

/* Copies a string that need not end in NUL, cut to the 16 bytes of @ret. */
static inline void reach_attribute_string(const struct nlattr *attr, char *ret)
{
	const size_t room = 15;
	size_t size = reach_attribute_size(attr);

	size = strnlen(reach_attribute_data(attr), size < room ? size : room);
	memcpy(ret, reach_attribute_data(attr), size);
	memset(ret + size, 0, room + 1 - size);
}

/* Reads @attr into the body @ret as @field says; false if it is malformed.
 * The kinds that are one message's own are left to its decoder. */
static inline bool reach_field_read(const struct reach_field *field,
				    const struct nlattr *attr, uint8_t family,
				    void *ret)
{
	uint8_t *at = (uint8_t *)ret + field->at;

	*(uint32_t *)ret |= field->bit;
	switch (field->kind) {
	case REACH_FIELD_U32:
		return reach_attribute_u32(attr, (uint32_t *)(void *)at);
	case REACH_FIELD_U8:
		return reach_attribute_u8(attr, at);
	case REACH_FIELD_ADDRESS:
	case REACH_FIELD_LOCAL:
	case REACH_FIELD_PEER:
		return reach_attribute_address(
			attr, family, (struct reach_address *)(void *)at);
	case REACH_FIELD_STRING:
		reach_attribute_string(attr, (char *)at);
		return true;
	default:
		return true;
	}
}

#endif
