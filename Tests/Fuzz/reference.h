/* SPDX-License-Identifier: MIT */
/* A second decoder, which uses libmnl, for the most frequent messages. */
#ifndef REACH_FUZZ_REFERENCE_H
#define REACH_FUZZ_REFERENCE_H

#include <linux/netlink.h>
#include <stdbool.h>
#include <stddef.h>

#include <reach/internal/message.h>

/* Each fills @ret and returns whether the message is well-formed. The caller
 * has checked the header against the buffer. */
bool reference_route(const struct nlmsghdr *nlh,
		     struct reach_route_message *ret);
bool reference_link(const struct nlmsghdr *nlh, struct reach_link_message *ret);
bool reference_address(const struct nlmsghdr *nlh,
		       struct reach_address_message *ret);

/* Bytes that contain attributes: the end of a message, or a payload. */
struct region {
	const char *start;
	size_t size;
};

struct region attributes_of(const struct nlmsghdr *nlh, size_t body);
struct region inside(const struct nlattr *attr);

/* The first and the next attribute; NULL at the end, and if the attribute
 * reaches past the region. */
const struct nlattr *region_first(struct region region);
const struct nlattr *region_next(struct region region,
				 const struct nlattr *attr);

/* Whether a region consists of complete attributes and at most 3 more bytes. */
bool is_whole(struct region region);

const struct nlattr *last(struct region region, uint16_t type);

/* Whether every attribute of @type has @least to @most bytes. */
bool has_size(struct region region, uint16_t type, size_t least, size_t most);

/* Each reads the last attribute of @type, if there is one, and sets @bit of
 * @present. Returns false if an attribute of that type has a wrong size. */
bool read_u32(struct region region, uint16_t type, uint32_t bit,
	      uint32_t *present, uint32_t *ret);
bool read_u8(struct region region, uint16_t type, uint32_t bit,
	     uint32_t *present, uint8_t *ret);
bool read_address(struct region region, uint16_t type, uint8_t family,
		  uint32_t bit, uint32_t *present, struct reach_address *ret);

#endif
