/* SPDX-License-Identifier: MIT */
#define REACH_BUNDLED_LIBMNL
/* Compiles requests.c a second time, under other names and without libmnl. */
#define reach_request_dump	bundled_request_dump
#define reach_request_link	bundled_request_link
#define reach_request_links	bundled_request_links
#define reach_request_addresses bundled_request_addresses
#define reach_request_barrier	bundled_request_barrier
#define reach_request_route	bundled_request_route
#define reach_lookup_write	bundled_lookup_write
#define reach_dump_begin	bundled_dump_begin
#define reach_dump_apply	bundled_dump_apply
#define reach_dump_take		bundled_dump_take
#include "../../../Sources/CReach/engine/query/requests.c"

#include "message/bundled_requests.h"

struct nlmsghdr *bundled_put_header(void *buffer)
{
	return mnl_nlmsg_put_header(buffer);
}

void *bundled_put_extra_header(struct nlmsghdr *nlh, size_t size)
{
	return mnl_nlmsg_put_extra_header(nlh, size);
}

void bundled_put(struct nlmsghdr *nlh, uint16_t type, size_t len,
		 const void *data)
{
	mnl_attr_put(nlh, type, len, data);
}

void bundled_put_u32(struct nlmsghdr *nlh, uint16_t type, uint32_t data)
{
	mnl_attr_put_u32(nlh, type, data);
}

void bundled_put_strz(struct nlmsghdr *nlh, uint16_t type, const char *data)
{
	mnl_attr_put_strz(nlh, type, data);
}
