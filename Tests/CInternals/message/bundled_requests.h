/* SPDX-License-Identifier: MIT */
/* engine/query/requests.c compiled with REACH_BUNDLED_LIBMNL. */
#ifndef BUNDLED_REQUESTS_H
#define BUNDLED_REQUESTS_H

#include "engine/query/query.h"

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
