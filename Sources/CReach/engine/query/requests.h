/* SPDX-License-Identifier: MIT */
/* Requests to the kernel, built with libmnl. */
#ifndef REACH_ENGINE_QUERY_REQUESTS_H
#define REACH_ENGINE_QUERY_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/state/segments.h"
#include "engine/state/selectors.h"
#include "engine/store/entries.h"

#pragma GCC visibility push(hidden)

/* Upper bound of the length of a request, in bytes. An IPv6 lookup with source,
 * interface, mark, and uid has 92. */
#define REACH_REQUEST_MAX 112

/*
 * Each function writes one request with @sequence as nlmsg_seq to @buffer,
 * which is aligned to 4 bytes and has room for REACH_REQUEST_MAX. @return its
 * length.
 */

/* @kind: of enum reach_request_kind, from REACH_REQUEST_LINKS on. */
size_t reach_request_dump(void *buffer, uint8_t kind, uint32_t sequence);

/* One link, by its index or, if that is 0, by @name. */
size_t reach_request_link(void *buffer, uint32_t sequence, uint32_t index,
			  const char *name);

/* A dump of the links whose master has index @master, and of the addresses of
 * @family on the interface @index; 0 for all. */
size_t reach_request_links(void *buffer, uint32_t sequence, uint32_t master);
size_t reach_request_addresses(void *buffer, uint32_t sequence, uint8_t family,
			       uint32_t index);

/* A request that takes RTNL and fails. The kernel holds RTNL from the
 * announcement of a change until it has carried out the change. So when the
 * answer comes, everything announced before the request has been carried
 * out. */
size_t reach_request_barrier(void *buffer, uint32_t sequence);

/* A lookup of the address of @entry with @selectors. @match: with
 * RTM_F_FIB_MATCH, which returns the matching route of the FIB. */
size_t reach_request_route(void *buffer, uint32_t sequence,
			   const struct reach_selectors *selectors,
			   const struct reach_entry *entry,
			   const struct reach_address *source, bool match);

/* A lookup of a segment, with RTM_F_FIB_MATCH, since only that answer shows
 * when the route expires. @source: of the packets, or NULL. */
size_t reach_request_segment(void *buffer, uint32_t sequence,
			     const struct reach_segment_key *key,
			     const struct reach_address *source);

#pragma GCC visibility pop

#endif
