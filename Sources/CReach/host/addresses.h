/* SPDX-License-Identifier: MIT */
/* The table of this host's addresses, maintained from dumps and events. */
#ifndef REACH_HOST_ADDRESSES_H
#define REACH_HOST_ADDRESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <reach/message.h>

#pragma GCC visibility push(hidden)

/* An address of an interface of this host. */
struct reach_own_address {
	struct reach_address address;
	/* The far end of a point-to-point link, else family 0. */
	struct reach_address peer;
	uint32_t interface_index;
	/* IFA_F_*. */
	uint32_t flags;
	uint8_t prefix_length;
	/* RT_SCOPE_*. */
	uint8_t scope;
	/* The running dump has not reported it yet. */
	bool stale;
};

/* A sorted array: by address, then interface, prefix length and peer. */
struct reach_own_addresses {
	struct reach_own_address *items;
	size_t count;
	size_t capacity;
};

/* Applies RTM_NEWADDR, or RTM_DELADDR with @gone. @return 1 if anything but a
 * lifetime changed, 0 if not, or -ENOMEM. */
int reach_own_addresses_apply(struct reach_own_addresses *table,
			      const struct reach_address_message *message,
			      bool gone);
/* Interface @index went down. With keep_addr_on_down its IPv6 addresses stay,
 * but become tentative without an event: duplicate address detection runs again
 * when the interface comes up (addrconf_ifdown(), net/ipv6/addrconf.c). */
void reach_own_addresses_down(struct reach_own_addresses *table,
			      uint32_t index);

/* Enclose the messages of a dump. The end removes entries that the dump did not
 * report.
 * @return 1 if there were any, else 0. */
void reach_own_addresses_dump_begin(struct reach_own_addresses *table);
int reach_own_addresses_dump_end(struct reach_own_addresses *table);

/* Frees the entries and empties the table. */
void reach_own_addresses_free(struct reach_own_addresses *table);

/* The usable entry of @address, or NULL. An address is usable if the kernel
 * accepts it as source: not tentative, unless optimistic, and not found
 * duplicate. Prefers the entry of interface @index. Without one it takes any
 * interface, except for a link-local address with an @index that is not 0.
 * Valid until the table changes. */
const struct reach_own_address *
reach_own_addresses_find(const struct reach_own_addresses *table,
			 const struct reach_address *address, uint32_t index);

/* The first entry of @address, usable or not, or NULL. */
const struct reach_own_address *
reach_own_addresses_find_any(const struct reach_own_addresses *table,
			     const struct reach_address *address);

/* Whether the kernel accepts @entry as source; see reach_own_addresses_find().
 */
bool reach_own_address_usable(const struct reach_own_address *entry);

/* A usable address of interface @index, of more than host scope, or NULL; IPv4
 * first. */
const struct reach_own_address *
reach_own_addresses_of(const struct reach_own_addresses *table, uint32_t index);

#pragma GCC visibility pop

#endif
