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
