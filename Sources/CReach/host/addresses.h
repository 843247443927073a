/* SPDX-License-Identifier: MIT */
/* The table of the host's own addresses. */
#ifndef REACH_HOST_ADDRESSES_H
#define REACH_HOST_ADDRESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <reach/message.h>

#pragma GCC visibility push(hidden)

/* An address of this host. */
struct reach_own_address {
	struct reach_address address;
	struct reach_address peer;
	uint32_t interface_index;
	/* IFA_F_*. */
	uint32_t flags;
	uint8_t prefix_length;
	/* RT_SCOPE_*. */
	uint8_t scope;
	bool stale;
};

/* Sorted by address, then interface, prefix length and peer. */
struct reach_own_addresses {
	struct reach_own_address *items;
	size_t count;
	size_t capacity;
};

/* As the functions of links.c: whether anything but a lifetime changed, or
 * -ENOMEM. */
int reach_own_addresses_apply(struct reach_own_addresses *table,
			      const struct reach_address_message *message,
			      bool gone);
/* The interface went down: its IPv6 addresses, if they are kept, have to be
 * found unique once more, and become tentative without a word. */
void reach_own_addresses_down(struct reach_own_addresses *table,
			      uint32_t index);
void reach_own_addresses_dump_begin(struct reach_own_addresses *table);
int reach_own_addresses_dump_end(struct reach_own_addresses *table);
void reach_own_addresses_free(struct reach_own_addresses *table);

/* The usable entry of @address, or NULL: that of interface @index if there is
 * one, else the first, but none of another interface where the address is
 * link-local and @index is not 0. */
const struct reach_own_address *
reach_own_addresses_find(const struct reach_own_addresses *table,
			 const struct reach_address *address, uint32_t index);

/* Some usable address of interface @index, or NULL; IPv4 first. */
const struct reach_own_address *
reach_own_addresses_of(const struct reach_own_addresses *table, uint32_t index);

#pragma GCC visibility pop

#endif
