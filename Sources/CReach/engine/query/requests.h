/* SPDX-License-Identifier: MIT */
/* Requests, built with libmnl. */
#ifndef REACH_ENGINE_QUERY_REQUESTS_H
#define REACH_ENGINE_QUERY_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/state/selectors.h"
#include "engine/store/entries.h"

#pragma GCC visibility push(hidden)

/* Write one request with libmnl; @buffer has room for REACH_REQUEST_MAX.
 * Return its length. */
#define REACH_REQUEST_MAX 112

/* @kind is that of the question. */
size_t reach_request_dump(void *buffer, uint8_t kind, uint32_t sequence);

/* The link @index or, if that is 0, @name. */
size_t reach_request_link(void *buffer, uint32_t sequence, uint32_t index,
			  const char *name);

/* Those whose master is @master, and the addresses of @index; 0 for all. */
size_t reach_request_links(void *buffer, uint32_t sequence, uint32_t master);
size_t reach_request_addresses(void *buffer, uint32_t sequence, uint8_t family,
			       uint32_t index);

/* A request that takes RTNL and fails: when it is answered, what the kernel
 * had announced before it has been carried out. */
size_t reach_request_barrier(void *buffer, uint32_t sequence);

size_t reach_request_route(void *buffer, uint32_t sequence,
			   const struct reach_selectors *selectors,
			   const struct reach_entry *entry, bool match);

#pragma GCC visibility pop

#endif
