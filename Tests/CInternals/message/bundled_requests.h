/* SPDX-License-Identifier: MIT */
/* engine/query/requests.c compiled with REACH_BUNDLED_LIBMNL, and the functions
 * that replace libmnl's in it. */
#ifndef BUNDLED_REQUESTS_H
#define BUNDLED_REQUESTS_H

#include "engine/query/query.h"

struct nlmsghdr;

struct nlmsghdr *bundled_put_header(void *buffer);
void *bundled_put_extra_header(struct nlmsghdr *nlh, size_t size);
void bundled_put(struct nlmsghdr *nlh, uint16_t type, size_t len,
		 const void *data);
void bundled_put_u32(struct nlmsghdr *nlh, uint16_t type, uint32_t data);
void bundled_put_strz(struct nlmsghdr *nlh, uint16_t type, const char *data);

size_t bundled_request_dump(void *buffer, uint8_t kind, uint32_t sequence);
size_t bundled_request_link(void *buffer, uint32_t sequence, uint32_t index,
			    const char *name);
size_t bundled_request_links(void *buffer, uint32_t sequence, uint32_t master);
size_t bundled_request_addresses(void *buffer, uint32_t sequence,
				 uint8_t family, uint32_t index);
size_t bundled_request_barrier(void *buffer, uint32_t sequence);
size_t bundled_request_route(void *buffer, uint32_t sequence,
			     const struct reach_selectors *selectors,
			     const struct reach_destination *destination,
			     const struct reach_address *source, uint32_t link,
			     bool match);

#endif
