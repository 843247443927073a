/* SPDX-License-Identifier: MIT */
/* A host has few addresses, so the table is one sorted array with binary
 * search. Its key has the members that distinguish addresses in the kernel. */
#include "host/host.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <string.h>

/* Without the scope id, which the interface index implies. */
static int compare_address(const struct reach_address *a,
			   const struct reach_address *b)
{
	if (a->family != b->family)
		return a->family < b->family ? -1 : 1;
	return memcmp(a->bytes, b->bytes, sizeof(a->bytes));
}

static int compare(const struct reach_own_address *a,
		   const struct reach_own_address *b)
{
	const int order = compare_address(&a->address, &b->address);

	if (order)
		return order;
	if (a->interface_index != b->interface_index)
		return a->interface_index < b->interface_index ? -1 : 1;
	/* An IPv6 address is on an interface only once. Its prefix length and
	 * peer can change (ipv6_chk_same_addr(), inet6_addr_modify(),
	 * net/ipv6/addrconf.c). IPv4 allows it several times. */
	if (a->address.family == AF_INET6)
		return 0;
	if (a->prefix_length != b->prefix_length)
		return a->prefix_length < b->prefix_length ? -1 : 1;
	return compare_address(&a->peer, &b->peer);
}

/* Index of the first entry that is not below @key. */
static size_t position(const struct reach_own_addresses *table,
		       const struct reach_own_address *key)
{
	size_t low = 0, high = table->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (compare(&table->items[middle], key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Inserts @entry at index @at. @return 1 or -ENOMEM. */
static int insert(struct reach_own_addresses *table, size_t at,
		  const struct reach_own_address *entry)
{
	if (table->count == table->capacity &&
	    !reach_array_grow(&table->items, &table->capacity,
			      sizeof(*table->items)))
		return -ENOMEM;
	memmove(&table->items[at + 1], &table->items[at],
		(table->count - at) * sizeof(*table->items));
	table->items[at] = *entry;
	table->count++;
	return 1;
}

int reach_own_addresses_apply(struct reach_own_addresses *table,
			      const struct reach_address_message *message,
			      bool gone)
{
	const struct reach_own_address entry = {
		.address = message->address,
		.peer = message->peer,
		.interface_index = message->interface_index,
		.flags = message->flags,
		.prefix_length = message->prefix_length,
		.scope = message->scope,
	};
	const size_t at = position(table, &entry);
	struct reach_own_address *known;
	bool changed;

	if (at == table->count || compare(&table->items[at], &entry) != 0)
		return gone ? 0 : insert(table, at, &entry);
	known = &table->items[at];
	if (gone) {
		table->count--;
		memmove(known, known + 1, (table->count - at) * sizeof(*known));
		return 1;
	}
	changed = known->flags != entry.flags || known->scope != entry.scope ||
		  known->prefix_length != entry.prefix_length;
	*known = entry;
	return changed;
}

/* Without keep_addr_on_down an RTM_DELADDR follows for each address, and
 * removes those marked here. IFA_F_NODAD addresses skip duplicate address
 * detection. The RTM_NEWADDR that clears the flag then counts as a change. */
void reach_own_addresses_down(struct reach_own_addresses *table, uint32_t index)
{
	size_t i;

	for (i = 0; i < table->count; i++) {
		struct reach_own_address *entry = &table->items[i];

		if (entry->interface_index == index &&
		    entry->address.family == AF_INET6 &&
		    !(entry->flags & IFA_F_NODAD))
			entry->flags |= IFA_F_TENTATIVE;
	}
}

void reach_own_addresses_dump_begin(struct reach_own_addresses *table)
{
	size_t i;

	for (i = 0; i < table->count; i++)
		table->items[i].stale = true;
}

int reach_own_addresses_dump_end(struct reach_own_addresses *table)
{
	size_t i, kept = 0;
	bool changed = false;

	for (i = 0; i < table->count; i++) {
		if (table->items[i].stale)
			changed = true;
		else
			table->items[kept++] = table->items[i];
	}
	table->count = kept;
	return changed;
}

/* An optimistic address (RFC 4429) is usable while it is tentative. */
bool reach_own_address_usable(const struct reach_own_address *entry)
{
	if (entry->flags & IFA_F_DADFAILED)
		return false;
	return !(entry->flags & IFA_F_TENTATIVE) ||
	       entry->flags & IFA_F_OPTIMISTIC;
}

const struct reach_own_address *
reach_own_addresses_find(const struct reach_own_addresses *table,
			 const struct reach_address *address, uint32_t index)
{
	const bool local = address->family == AF_INET6 &&
			   reach_address_scope(address) == REACH_SCOPE_LINK;
	const struct reach_own_address key = { .address = *address };
	const struct reach_own_address *first = NULL;
	size_t i;

	for (i = position(table, &key); i < table->count; i++) {
		const struct reach_own_address *entry = &table->items[i];

		if (compare_address(&entry->address, address) != 0)
			break;
		if (!reach_own_address_usable(entry))
			continue;
		if (entry->interface_index == index)
			return entry;
		if (!first && !(local && index))
			first = entry;
	}
	return first;
}

const struct reach_own_address *
reach_own_addresses_find_any(const struct reach_own_addresses *table,
			     const struct reach_address *address)
{
	const struct reach_own_address key = { .address = *address };
	const size_t i = position(table, &key);

	if (i == table->count ||
	    compare_address(&table->items[i].address, address) != 0)
		return NULL;
	return &table->items[i];
}

bool reach_own_addresses_link_local(const struct reach_own_addresses *table,
				    uint32_t index)
{
	size_t i;

	for (i = 0; i < table->count; i++) {
		const struct reach_own_address *entry = &table->items[i];

		if (entry->interface_index == index &&
		    entry->address.family == AF_INET6 &&
		    entry->scope == RT_SCOPE_LINK &&
		    reach_own_address_usable(entry))
			return true;
	}
	return false;
}

const struct reach_own_address *
reach_own_addresses_of(const struct reach_own_addresses *table, uint32_t index)
{
	size_t i;

	/* AF_INET sorts before AF_INET6. */
	for (i = 0; i < table->count; i++) {
		const struct reach_own_address *entry = &table->items[i];

		if (entry->interface_index == index &&
		    reach_own_address_usable(entry) &&
		    entry->scope != RT_SCOPE_HOST)
			return entry;
	}
	return NULL;
}
