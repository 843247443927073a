/* SPDX-License-Identifier: MIT */
/*
 * The part of libmnl that the core uses: the functions that append to a
 * request.
 *
 * Debian and others have no static libmnl. So a static program, an image
 * without libraries, or a build against musl needs these functions built in
 * (REACH_BUNDLED_LIBMNL). They are static, so a program may link libmnl as
 * well. SwiftPM can't test that a trait is off, so there the trait SystemLibmnl
 * selects libmnl.
 */
#ifndef REACH_MESSAGE_LIBMNL_H
#define REACH_MESSAGE_LIBMNL_H

#if !defined(REACH_BUNDLED_LIBMNL) &&                                          \
	(!defined(SWIFT_PACKAGE) || defined(REACH_SYSTEM_LIBMNL))
#if !__has_include(<libmnl/libmnl.h>)
#error "libmnl is missing: apt-get install libmnl-dev, apk add libmnl-dev, dnf install libmnl-devel, or pacman -S libmnl; or enable the trait BundledLibmnl"
#endif
#include <libmnl/libmnl.h>
#else

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <linux/netlink.h>

/* Zeroed space for `size` bytes at the end of the message, aligned as netlink
 * requires (NLMSG_ALIGN and NLA_ALIGN are both 4). The caller's buffer has room
 * for every request of the core. */
static inline void *mnl_nlmsg_put_extra_header(struct nlmsghdr *nlh,
					       size_t size)
{
	const size_t aligned = (size + NLMSG_ALIGNTO - 1) &
			       ~(size_t)(NLMSG_ALIGNTO - 1);
	void *end = (char *)nlh + nlh->nlmsg_len;

	nlh->nlmsg_len += (uint32_t)aligned;
	return memset(end, 0, aligned);
}

static inline struct nlmsghdr *mnl_nlmsg_put_header(void *buffer)
{
	struct nlmsghdr *nlh = memset(buffer, 0, NLMSG_HDRLEN);

	nlh->nlmsg_len = NLMSG_HDRLEN;
	return nlh;
}

static inline void mnl_attr_put(struct nlmsghdr *nlh, uint16_t type, size_t len,
				const void *data)
{
	struct nlattr *attr =
		mnl_nlmsg_put_extra_header(nlh, sizeof(*attr) + len);

	attr->nla_type = type;
	attr->nla_len = (uint16_t)(sizeof(*attr) + len);
	if (len)
		memcpy(attr + 1, data, len);
}

static inline void mnl_attr_put_u32(struct nlmsghdr *nlh, uint16_t type,
				    uint32_t data)
{
	mnl_attr_put(nlh, type, sizeof(data), &data);
}

static inline void mnl_attr_put_strz(struct nlmsghdr *nlh, uint16_t type,
				     const char *data)
{
	mnl_attr_put(nlh, type, strlen(data) + 1, data);
}

#endif

#endif
