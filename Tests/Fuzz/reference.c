/* SPDX-License-Identifier: MIT */
/*
 * The contract of message.h, implemented with libmnl. The last attribute of a
 * type wins. An attribute that is too short or reaches past its container makes
 * the message malformed.
 *
 * Doesn't use mnl_attr_for_each(): mnl_nlmsg_get_payload_tail() rounds up and
 * may point past the buffer.
 */
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>

#include "reference.h"

struct region attributes_of(const struct nlmsghdr *nlh, size_t body)
{
	size_t start = sizeof(*nlh) + ((body + 3) & ~(size_t)3);

	if (nlh->nlmsg_len <= start)
		return (struct region){ NULL, 0 };
	return (struct region){ (const char *)nlh + start,
				nlh->nlmsg_len - start };
}

struct region inside(const struct nlattr *attr)
{
	return (struct region){ mnl_attr_get_payload(attr),
				mnl_attr_get_payload_len(attr) };
}

/* The attribute at @at if all of it is inside @region, otherwise NULL. */
static const struct nlattr *checked(struct region region, const void *at)
{
	ptrdiff_t left = region.start + region.size - (const char *)at;

	return mnl_attr_ok(at, (int)left) ? at : NULL;
}

const struct nlattr *region_first(struct region region)
{
	return region.size > 0 ? checked(region, region.start) : NULL;
}

const struct nlattr *region_next(struct region region,
				 const struct nlattr *attr)
{
	return checked(region, mnl_attr_next(attr));
}

bool is_whole(struct region region)
{
	const struct nlattr *attr;
	const char *at = region.start;

	for (attr = region_first(region); attr;
	     attr = region_next(region, attr))
		at = (const char *)mnl_attr_next(attr);
	return region.start + region.size - at <
	       (ptrdiff_t)sizeof(struct nlattr);
}

const struct nlattr *last(struct region region, uint16_t type)
{
	const struct nlattr *attr;
	const struct nlattr *found = NULL;

	for (attr = region_first(region); attr;
	     attr = region_next(region, attr)) {
		if (mnl_attr_get_type(attr) == type)
			found = attr;
	}
	return found;
}

bool has_size(struct region region, uint16_t type, size_t least, size_t most)
{
	const struct nlattr *attr;

	for (attr = region_first(region); attr;
	     attr = region_next(region, attr)) {
		size_t size = mnl_attr_get_payload_len(attr);

		if (mnl_attr_get_type(attr) == type &&
		    (size < least || size > most))
			return false;
	}
	return true;
}

bool read_u32(struct region region, uint16_t type, uint32_t bit,
	      uint32_t *present, uint32_t *ret)
{
	const struct nlattr *attr = last(region, type);

	if (!has_size(region, type, 4, SIZE_MAX))
		return false;
	if (attr != NULL) {
		*ret = mnl_attr_get_u32(attr);
		*present |= bit;
	}
	return true;
}

bool read_u8(struct region region, uint16_t type, uint32_t bit,
	     uint32_t *present, uint8_t *ret)
{
	const struct nlattr *attr = last(region, type);

	if (!has_size(region, type, 1, SIZE_MAX))
		return false;
	if (attr != NULL) {
		*ret = mnl_attr_get_u8(attr);
		*present |= bit;
	}
	return true;
}

bool read_address(struct region region, uint16_t type, uint8_t family,
		  uint32_t bit, uint32_t *present, struct reach_address *ret)
{
	const struct nlattr *attr = last(region, type);
	size_t size = family == AF_INET ? 4 : 16;

	if (!has_size(region, type, size, size))
		return false;
	if (attr != NULL) {
		memset(ret, 0, sizeof(*ret));
		ret->family = family;
		memcpy(ret->bytes, mnl_attr_get_payload(attr), size);
		*present |= bit;
	}
	return true;
}

bool reference_address(const struct nlmsghdr *nlh,
		       struct reach_address_message *ret)
{
	const struct ifaddrmsg *ifa = mnl_nlmsg_get_payload(nlh);
	struct region region = attributes_of(nlh, sizeof(*ifa));
	const struct ifa_cacheinfo *info;
	uint32_t *present = &ret->present;
	uint32_t ignored = 0;

	memset(ret, 0, sizeof(*ret));
	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*ifa))
		return false;
	ret->family = ifa->ifa_family;
	ret->prefix_length = ifa->ifa_prefixlen;
	ret->scope = ifa->ifa_scope;
	ret->flags = ifa->ifa_flags;
	ret->interface_index = ifa->ifa_index;
	ret->preferred = UINT32_MAX;
	ret->valid = UINT32_MAX;
	if (!is_whole(region) ||
	    !read_u32(region, IFA_FLAGS, 0, &ignored, &ret->flags) ||
	    !has_size(region, IFA_CACHEINFO, sizeof(*info), SIZE_MAX) ||
	    !read_address(region, IFA_LOCAL, ret->family, REACH_ADDRESS_LOCAL,
			  present, &ret->address) ||
	    !read_address(region, IFA_ADDRESS, ret->family,
			  REACH_ADDRESS_ADDRESS, present, &ret->peer) ||
	    !read_address(region, IFA_BROADCAST, ret->family,
			  REACH_ADDRESS_BROADCAST, present, &ret->broadcast))
		return false;
	if (last(region, IFA_CACHEINFO) != NULL) {
		info = mnl_attr_get_payload(last(region, IFA_CACHEINFO));
		ret->preferred = info->ifa_prefered;
		ret->valid = info->ifa_valid;
		ret->present |= REACH_ADDRESS_LIFETIME;
	}
	if (!(ret->present & REACH_ADDRESS_LOCAL))
		ret->address = ret->peer;
	if (memcmp(&ret->address, &ret->peer, sizeof(ret->peer)) == 0)
		memset(&ret->peer, 0, sizeof(ret->peer));
	return true;
}
