/* SPDX-License-Identifier: MIT */
/*
 * Entry table: the targets of an engine, their addresses and the lists of both,
 * as records of 64 bytes, addressed by number.
 */
#ifndef REACH_ENGINE_STORE_ENTRIES_H
#define REACH_ENGINE_STORE_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <reach/engine.h>
#include <reach/target.h>

#include "base/verdict.h"

#pragma GCC visibility push(hidden)

enum reach_entry_kind {
	/* On the free list, or retired because its generations ran out. */
	REACH_ENTRY_FREE,
	/* Head of a list: the numbers below REACH_LISTS. */
	REACH_ENTRY_LIST,
	/* Target that is one address. */
	REACH_ENTRY_ADDRESS,
	/* Target with several addresses or none: name, internet, address pair,
	 * local Wi-Fi. Its addresses are parts. */
	REACH_ENTRY_AGGREGATE,
	/* One address of an aggregate. */
	REACH_ENTRY_PART,
	/* Equivalence group: head of the list of its followers
	 * (invalidate/equivalence.c). */
	REACH_ENTRY_GROUP
};

/* Numbers of the list heads. */
enum {
	/* Targets whose lookups are to be sent. */
	REACH_LIST_DIRTY,
	/* Targets whose state differs from the reported one, not published. */
	REACH_LIST_EVALUATED,
	/* Published changes that the caller has not fetched. */
	REACH_LIST_CHANGED,
	/* Aggregates whose verdict depends on links or addresses directly, not
	 * only through the paths of their parts. */
	REACH_LIST_SENSITIVE,
	/* Equivalence groups whose leader's answer is outstanding. */
	REACH_LIST_GROUPS,
	REACH_LISTS
};

enum reach_entry_bits {
	/* The target has a first verdict. */
	REACH_BIT_EVALUATED = 1 << 0,
	/* `reported` is valid. */
	REACH_BIT_REPORTED = 1 << 1,
	/* Part: its lookup is sent when its aggregate leaves the dirty list. */
	REACH_BIT_DIRTY = 1 << 2,
	/* IPv4: the last match answer could not be a shared path (RTN_LOCAL,
	 * several legs), so that the plain lookup is sent as well. */
	REACH_BIT_PLAIN = 1 << 3,
	/* Leader of an equivalence group. */
	REACH_BIT_LEADS = 1 << 4,
	/* Reported as a path (REACH_REPORT_PATH), not as a verdict. */
	REACH_BIT_PATH = 1 << 5,
	/* Another entry with this address and these selectors exists, or did
	 * (invalidate/duplicates.c). */
	REACH_BIT_DUPLICATE = 1 << 6,
	/* The answer may be older than an event, so a confirming lookup follows
	 * (state/confirmation.c). */
	REACH_BIT_UNCONFIRMED = 1 << 7,
	/* IPv4: match lookups are sent from now on, even with few entries: only
	 * their answers have all legs of the route. */
	REACH_BIT_MATCH = 1 << 8
};

/* Links of an intrusive circular list, as entry numbers. An entry on no list
 * links to itself. */
struct reach_hook {
	uint32_t next;
	uint32_t previous;
};

/* Lists that a hook serves; an entry is on one of them at a time. */
enum reach_hook_use {
	/* REACH_LIST_DIRTY, or the followers of a group. */
	REACH_HOOK_DIRTY,
	/* Targets: REACH_LIST_EVALUATED or REACH_LIST_CHANGED. Groups:
	 * REACH_LIST_GROUPS. */
	REACH_HOOK_CHANGED,
	REACH_HOOKS,
	/* REACH_LIST_SENSITIVE. The hook is in struct reach_aggregate. */
	REACH_HOOK_SENSITIVE = REACH_HOOKS
};

struct reach_aggregate;

/* 64 bytes, one cache line: there may be a million. The comment of each member
 * of a union names the kinds that use it. */
struct reach_entry {
	union {
		/* Address and part: destination in network order, IPv4 in the
		 * first four bytes. */
		uint8_t bytes[16];
		/* Aggregate: its other part, owned (targets/targets.c). */
		struct reach_aggregate *aggregate;
	};
	struct reach_hook hooks[REACH_HOOKS];
	union {
		/* Address and aggregate: digest of the state that was reported
		 * last (state/evaluate.h). */
		uint64_t reported;
		/* Part: number of its aggregate. */
		uint32_t owner;
		/* Group: number of the leader, which is looked up for it. */
		uint32_t leader;
	};
	/* Links of the list of entries that share `path`, REACH_NO_ENTRY at
	 * both ends; in a free entry `path_next` links the free list. */
	uint32_t path_next;
	uint32_t path_previous;
	/* Number of the path (state/paths.h), 0 before the first answer. */
	uint32_t path;
	/* Number of the selectors (state/selectors.h), one reference. */
	uint32_t selectors;
	/* Uses of this number so far. It is the upper half of a target's id, so
	 * the id of a removed target is not found again. */
	uint32_t generation;
	/* enum reach_entry_kind. */
	uint8_t kind : 3;
	/* 1 while the answer to a lookup is outstanding. Aggregate: the number
	 * of parts that wait for an answer. */
	uint8_t outstanding : 5;
	union {
		/* Address and part: AF_INET or AF_INET6. */
		uint8_t family;
		/* Group: length of the prefix that contains the followers. The
		 * answer of the leader holds for them if its own prefix is not
		 * longer. */
		uint8_t prefix_length;
	};
	/* enum reach_entry_bits. */
	uint16_t bits;
};

/* The members of an aggregate that its entry has no room for. */
struct reach_aggregate {
	/* Target as added, normalized; its name is owned here. */
	struct reach_target target;
	/* Verdict over all parts (state/aggregate.c). */
	struct reach_verdict verdict;
	/* Digest of the addresses reported last, and their enum
	 * reach_resolution. */
	uint64_t reported_addresses;
	uint8_t reported_resolution;
	/* enum reach_resolution. */
	uint8_t resolution;
	/* enum reach_reason of a name that resolved to no address. */
	uint8_t failure;
	uint8_t part_count;
	/* Hook of REACH_LIST_SENSITIVE. */
	struct reach_hook sensitive;
	/* Numbers of the parts, in the resolver's or the probe set's order;
	 * REACH_PROBES_MAX equals REACH_ADDRESSES_MAX. */
	uint32_t parts[REACH_ADDRESSES_MAX];
};

/* Entries per chunk, 64 KiB. The table grows by chunks and not by realloc(), so
 * that entries never move and pointers to them stay valid. A power of two: a
 * shift and a mask split the number. */
#define REACH_CHUNK 1024

struct reach_entries {
	/* Chunks, owned. */
	struct reach_entry **chunks;
	/* Numbers handed out so far, including the free ones. */
	uint32_t used;
	/* Numbers that `chunks` has room for. */
	uint32_t capacity;
	/* Length of the array `chunks`. */
	uint32_t chunk_capacity;
	/* Head of the free list, or REACH_NO_ENTRY. */
	uint32_t free;
	/* Addresses and parts in the table, which are the entries to look
	 * up. */
	uint32_t destinations;
	/* User pointers by entry number, not owned. Outside the table, since
	 * they exist only once a target has one. */
	void **users;
	uint32_t user_capacity;
};

/* No entry: end of a path's list, and failure of a search or allocation. */
#define REACH_NO_ENTRY UINT32_MAX

static inline struct reach_entry *
reach_entry_at(const struct reach_entries *entries, uint32_t number)
{
	return &entries->chunks[number / REACH_CHUNK][number % REACH_CHUNK];
}

/* Destination of an address or part, without the scope, which is in its
 * selectors (reach_entry_address()). */
static inline struct reach_address
reach_entry_destination(const struct reach_entry *entry)
{
	struct reach_address address = { .family = entry->family };

	memcpy(address.bytes, entry->bytes, sizeof(entry->bytes));
	return address;
}

/* Creates the list heads in a zeroed table. @return 0 or -ENOMEM, after which
 * only reach_entries_free() may use the table. */
int reach_entries_init(struct reach_entries *entries);
void reach_entries_free(struct reach_entries *entries);

/* Allocates an entry of @kind, on no list and cleared except for its
 * generation.
 * @return its number, or REACH_NO_ENTRY if memory is out. */
uint32_t reach_entry_create(struct reach_entries *entries,
			    enum reach_entry_kind kind);

/* Frees entry @number and unlinks both its hooks. The caller has released its
 * path, selectors, aggregate, and place in the index. */
void reach_entry_destroy(struct reach_entries *entries, uint32_t number);

/* Sets the user pointer of a target. @return 0 or -ENOMEM. */
int reach_entry_set_user(struct reach_entries *entries, uint32_t number,
			 void *user);
/* User pointer of a target, NULL if none was set. */
void *reach_entry_user(const struct reach_entries *entries, uint32_t number);

#pragma GCC visibility pop

#endif
