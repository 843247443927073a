/* SPDX-License-Identifier: MIT */
/*
 * Door of engine/store/: entries, lists, the index of addresses, interned
 * records.
 */
#ifndef REACH_ENGINE_STORE_STORE_H
#define REACH_ENGINE_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include <reach/address.h>
#include <reach/internal/engine.h>
#include <reach/target.h>

#include "base/base.h"

#pragma GCC visibility push(hidden)

struct reach_aggregate;
struct reach_block;

/*
 * Entry table: the targets of an engine, their addresses and the lists of both,
 * as records of 64 bytes, addressed by number.
 */

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
	REACH_BIT_UNCONFIRMED = 1 << 7
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
		 * last (verdict/verdict.h). */
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
	/* Number of the path (state/state.h), 0 before the first answer. */
	uint32_t path;
	/* Number of the selectors (state/state.h), one reference. */
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
	/* Verdict over all parts (verdict/aggregate.c). */
	struct reach_verdict verdict;
	/* Digest of the addresses reported last, and their enum
	 * reach_resolution. */
	uint64_t reported_addresses;
	uint8_t reported_resolution;
	/* enum reach_resolution. */
	uint8_t resolution;
	/* enum reach_reason of a name that has no address, or outdated ones. */
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

/*
 * Index of the addresses and parts of a family, sorted by address, then by
 * selectors, then by number. The destinations inside a prefix are a range in
 * it, and entries that send the same lookup are neighbors.
 */

/* An address as a 128-bit number in host order, so that a prefix is a range.
 * IPv4 is in the upper 32 bits. */
struct reach_key {
	uint64_t high;
	uint64_t low;
	/* IPv6; for IPv4 `low` is 0 and is not compared. */
	bool is_wide;
};

struct reach_directory {
	/* `high` of the block's first entry. Stored here, since the search
	 * would otherwise miss the cache once per block. */
	uint64_t first;
	/* Owned, never empty. */
	struct reach_block *block;
};

struct reach_index {
	/* Blocks in the order of their addresses. */
	struct reach_directory *blocks;
	uint32_t block_count;
	uint32_t block_capacity;
	/* Entries of all blocks. */
	size_t count;
};

/* Iterator over a range, valid until the index changes. */
struct reach_cursor {
	/* Position of the next entry: block in the directory, place in it. */
	uint32_t block;
	uint32_t at;
	/* Last address of the range. */
	struct reach_key last;
};

/* @size bytes in network order as a number. */
static inline uint64_t reach_load(const uint8_t *bytes, size_t size)
{
	uint64_t value = 0;
	size_t i;

	for (i = 0; i < size; i++)
		value = value << 8 | bytes[i];
	return value;
}

static inline struct reach_key reach_key_of(uint8_t family,
					    const uint8_t *bytes)
{
	if (family == AF_INET)
		return (struct reach_key){ .high = reach_load(bytes, 4) << 32 };
	return (struct reach_key){ .high = reach_load(bytes, 8),
				   .low = reach_load(bytes + 8, 8),
				   .is_wide = true };
}

/* Inserts entry @number, or removes it. Its address, family and selectors must
 * not change while it is in the index. @return 0 or -ENOMEM. */
int reach_index_insert(const struct reach_entries *entries,
		       struct reach_index *index, uint32_t number);
void reach_index_remove(const struct reach_entries *entries,
			struct reach_index *index, uint32_t number);
void reach_index_free(struct reach_index *index);

/* Sets @ret to the first entry inside @prefix of @length bits; host bits are
 * ignored. @return whether there is one. */
bool reach_index_seek(const struct reach_entries *entries,
		      const struct reach_index *index,
		      const struct reach_address *prefix, uint8_t length,
		      struct reach_cursor *ret);

/* Sets @ret to the first entry with the address and selectors of @number. The
 * range ends with the address: entries with other selectors follow. */
void reach_index_seek_equal(const struct reach_entries *entries,
			    const struct reach_index *index, uint32_t number,
			    struct reach_cursor *ret);

/* Returns the entry at the cursor and advances it; REACH_NO_ENTRY at the end.
 */
uint32_t reach_index_next(const struct reach_entries *entries,
			  const struct reach_index *index,
			  struct reach_cursor *cursor);

/* Advances the cursor past all entries inside @prefix. */
void reach_index_skip(const struct reach_entries *entries,
		      const struct reach_index *index,
		      const struct reach_address *prefix, uint8_t length,
		      struct reach_cursor *cursor);

/* Estimates the entries from the cursor to the end of its range without
 * visiting them: half a block per block, 0 if they are in one block. */
size_t reach_index_estimate(const struct reach_index *index,
			    const struct reach_cursor *cursor);

/*
 * Intrusive lists of entries: circular, doubly linked, with an entry of kind
 * REACH_ENTRY_LIST or REACH_ENTRY_GROUP as head. Inline, since one event may
 * move a hundred thousand entries from one list to another.
 */

/* The hook of @entry for @use. An entry's 64 bytes have no room for
 * REACH_HOOK_SENSITIVE: an aggregate has that hook in struct reach_aggregate,
 * the list head uses an ordinary one. */
static inline struct reach_hook *reach_hook_of(struct reach_entry *entry,
					       enum reach_hook_use use)
{
	if (use != REACH_HOOK_SENSITIVE)
		return &entry->hooks[use];
	return entry->kind == REACH_ENTRY_LIST ? &entry->hooks[0]
					       : &entry->aggregate->sensitive;
}

static inline struct reach_hook *
reach_hook_at(const struct reach_entries *entries, uint32_t number,
	      enum reach_hook_use use)
{
	return reach_hook_of(reach_entry_at(entries, number), use);
}

/* Whether entry @number is on a list of @use. For a list head: whether its list
 * has entries. */
static inline bool reach_list_has(const struct reach_entries *entries,
				  uint32_t number, enum reach_hook_use use)
{
	return reach_hook_at(entries, number, use)->next != number;
}

static inline bool reach_list_empty(const struct reach_entries *entries,
				    uint32_t list, enum reach_hook_use use)
{
	return !reach_list_has(entries, list, use);
}

/* The entry after @number, or the list head after the last one. */
static inline uint32_t reach_list_next(const struct reach_entries *entries,
				       uint32_t number, enum reach_hook_use use)
{
	return reach_hook_at(entries, number, use)->next;
}

/* Appends @number to @list unless it is on a list of @use already. */
static inline void reach_list_put(struct reach_entries *entries, uint32_t list,
				  uint32_t number, enum reach_hook_use use)
{
	struct reach_hook *own = reach_hook_at(entries, number, use);
	struct reach_hook *head = reach_hook_at(entries, list, use);

	if (own->next != number)
		return;
	own->next = list;
	own->previous = head->previous;
	reach_hook_at(entries, head->previous, use)->next = number;
	head->previous = number;
}

/* Unlinks @number; no effect if it is on no list of @use. */
static inline void reach_list_remove(struct reach_entries *entries,
				     uint32_t number, enum reach_hook_use use)
{
	struct reach_hook *own = reach_hook_at(entries, number, use);

	reach_hook_at(entries, own->next, use)->previous = own->previous;
	reach_hook_at(entries, own->previous, use)->next = own->next;
	own->next = number;
	own->previous = number;
}

/* Appends all entries of @from to @to in O(1); @from is empty afterwards. */
static inline void reach_list_splice(struct reach_entries *entries, uint32_t to,
				     uint32_t from, enum reach_hook_use use)
{
	struct reach_hook *source = reach_hook_at(entries, from, use);
	struct reach_hook *target = reach_hook_at(entries, to, use);

	if (source->next == from)
		return;
	reach_hook_at(entries, source->next, use)->previous = target->previous;
	reach_hook_at(entries, target->previous, use)->next = source->next;
	reach_hook_at(entries, source->previous, use)->next = to;
	target->previous = source->previous;
	source->next = from;
	source->previous = from;
}

/*
 * Pool of interned records (hash-consing): equal keys share one record, which
 * counts its references and is addressed by number. Paths and selectors are
 * such records.
 */

/* Header of a record. The key follows, then the values that the owner of the
 * pool derives from the key. */
struct reach_record {
	/* Next record in the bucket; in a free record, in the free list. 0 at
	 * the end of both. */
	uint32_t next;
	/* Holders; 0 in a free record. */
	uint32_t references;
	/* Generation of the number: counts how often its record was freed. */
	uint32_t serial;
	/* Lower half of reach_hash() of the key. */
	uint32_t hash;
};

struct reach_pool {
	/* Records by number, owned. Number 0 is never used and means "none". */
	uint8_t *records;
	/* First record of each bucket, by the low bits of the hash; owned. */
	uint32_t *buckets;
	/* Numbers handed out so far, including 0 and the free ones. */
	uint32_t used;
	/* Records that `records` has room for. */
	uint32_t capacity;
	/* A power of two, or 0 before the first record. */
	uint32_t bucket_count;
	/* Head of the free list, or 0. */
	uint32_t free;
	/* Records in use. */
	uint32_t count;
	/* Bytes of a record and of its key, multiples of 8: reach_hash() reads
	 * words. Set by the owner of the pool before the first record. */
	uint32_t record_size;
	uint32_t key_size;
};

/* Hash of @size bytes, a multiple of 8. */
uint64_t reach_hash(const void *key, size_t size);

/* Finds or creates the record with @key, which has no padding, and takes a
 * reference. Sets @created if the record is new: zeroed after its key.
 * Invalidates pointers to records.
 * @return its number, or 0 if memory is out. */
uint32_t reach_pool_hold(struct reach_pool *pool, const void *key,
			 bool *created);

/* Drops a reference. @return whether it was the last one, which frees the
 * record. */
bool reach_pool_release(struct reach_pool *pool, uint32_t number);
/* Frees all memory, even with references left. */
void reach_pool_free(struct reach_pool *pool);

/* Record @number, until the next reach_pool_hold(). */
static inline void *reach_pool_at(const struct reach_pool *pool,
				  uint32_t number)
{
	return pool->records + (size_t)number * pool->record_size;
}

#pragma GCC visibility pop

#endif
