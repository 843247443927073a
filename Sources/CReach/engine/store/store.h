/* SPDX-License-Identifier: MIT */
/*
 * Door of engine/store/: destinations, targets, lists, the index of addresses,
 * interned records.
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
 * Tables of records that are addressed by number. They grow by chunks and not
 * by realloc(), so that records never move and pointers to them stay valid.
 * Number 0 is the head of a list in each, and means "none" elsewhere.
 */

/* Records per chunk. A power of two: a shift and a mask split the number. */
#define REACH_CHUNK 1024

struct reach_table {
	/* Chunks, owned. */
	void **chunks;
	/* Numbers handed out so far, including the free ones. */
	uint32_t used;
	/* Numbers that `chunks` has room for. */
	uint32_t capacity;
	/* Length of the array `chunks`. */
	uint32_t chunk_capacity;
	/* Head of the free list, or 0. The hook of a free record has the number
	 * of the next one. */
	uint32_t free;
	/* Bytes of a record. */
	uint32_t record_size;
	/* Offset of the hook in a record. */
	uint32_t hook;
};

void reach_table_free(struct reach_table *table);

/* Record @number of @table, whose records are of @type. */
#define REACH_RECORD(table, type, number)                                      \
	((type *)(table)->chunks[(number) / REACH_CHUNK] +                     \
	 (number) % REACH_CHUNK)

/* Links of a table's list, as numbers. The list is circular, and number 0 is its
 * head. A record that isn't on it links to itself. Inline, since one event may
 * list a hundred thousand records. */
struct reach_hook {
	uint32_t next;
	uint32_t previous;
};

static inline struct reach_hook *reach_hook_at(const struct reach_table *table,
					       uint32_t number)
{
	return (void *)((uint8_t *)table->chunks[number / REACH_CHUNK] +
			number % REACH_CHUNK * table->record_size +
			table->hook);
}

/* The first number on the list, or 0. */
static inline uint32_t reach_list_first(const struct reach_table *table)
{
	return reach_hook_at(table, 0)->next;
}

static inline bool reach_list_has(const struct reach_table *table,
				  uint32_t number)
{
	return reach_hook_at(table, number)->next != number;
}

/* Puts @number after @previous, 0 for the start, unless it is on the list. */
static inline void reach_list_insert(const struct reach_table *table,
				     uint32_t number, uint32_t previous)
{
	struct reach_hook *own = reach_hook_at(table, number);
	struct reach_hook *before = reach_hook_at(table, previous);

	if (own->next != number)
		return;
	*own = (struct reach_hook){ before->next, previous };
	reach_hook_at(table, before->next)->previous = number;
	before->next = number;
}

/* Appends @number unless it is on the list. */
static inline void reach_list_put(const struct reach_table *table,
				  uint32_t number)
{
	reach_list_insert(table, number, reach_hook_at(table, 0)->previous);
}

/* No effect if @number isn't on the list. */
static inline void reach_list_remove(const struct reach_table *table,
				     uint32_t number)
{
	struct reach_hook *own = reach_hook_at(table, number);

	reach_hook_at(table, own->next)->previous = own->previous;
	reach_hook_at(table, own->previous)->next = own->next;
	*own = (struct reach_hook){ number, number };
}

/*
 * Destinations: what is looked up, an address with selectors. Each exists once,
 * and has a list of its users: targets that are this address, and parts of
 * other targets.
 */

/* A user's place on the list of its destination. Its number has the number of
 * the target's entry in the upper 28 bits, and the position among the target's
 * addresses in the others. 0 for none. */
struct reach_use {
	/* Number of the destination. */
	uint32_t destination;
	/* Other users, 0 at both ends. */
	uint32_t next;
	uint32_t previous;
};

#define REACH_USE(entry, position) ((entry) << 4 | (uint32_t)(position))

enum reach_destination_bits {
	/* To be looked up. It is on the dirty list if a user needs it
	 * (verdict/verdict.h). */
	REACH_DESTINATION_STALE = 1 << 0,
	/* The answer to a lookup is outstanding. */
	REACH_DESTINATION_ASKED = 1 << 1
};

/* 48 bytes: there may be a million. */
struct reach_destination {
	/* In network order, IPv4 in the first four bytes. */
	uint8_t bytes[16];
	/* Number of the selectors (state/state.h), one reference. */
	uint32_t selectors;
	/* Number of the path (state/state.h), 0 before the first answer. */
	uint32_t path;
	/* Links of the list of destinations that share `path`, 0 at both
	 * ends. */
	uint32_t path_next;
	uint32_t path_previous;
	/* Dirty list. */
	struct reach_hook dirty;
	/* First user. */
	uint32_t users;
	/* AF_INET or AF_INET6; 0 in a free record. */
	uint8_t family;
	/* enum reach_destination_bits. */
	uint8_t bits;
	uint16_t reserved;
};

struct reach_destinations {
	/* Its list is the dirty list. */
	struct reach_table table;
	/* Destinations in the table. */
	uint32_t count;
};

static inline struct reach_destination *
reach_destination_at(const struct reach_destinations *destinations,
		     uint32_t number)
{
	return REACH_RECORD(&destinations->table, struct reach_destination,
			    number);
}

/* The address, without the scope, which is in the selectors
 * (reach_destination_full()). */
static inline struct reach_address
reach_destination_address(const struct reach_destination *destination)
{
	return reach_address_of(destination->family, destination->bytes);
}

/* Creates the head of the dirty list in a zeroed table. @return 0 or -ENOMEM. */
int reach_destinations_init(struct reach_destinations *destinations);

/* Allocates a destination on no list. @return its number, or 0 if memory is
 * out. */
uint32_t reach_destination_create(struct reach_destinations *destinations,
				  const struct reach_address *address,
				  uint32_t selectors);
/* Frees it. The caller has released its path, its selectors, and its place in
 * the index. */
void reach_destination_destroy(struct reach_destinations *destinations,
			       uint32_t number);

/*
 * Entry table: the targets of an engine. Its list has those whose state differs
 * from the reported one.
 */

enum reach_entry_kind {
	/* On the free list, or retired because its generations ran out. Also the
	 * head of the list. */
	REACH_ENTRY_FREE,
	/* Target that is one address. */
	REACH_ENTRY_ADDRESS,
	/* Target with several addresses or none: name, internet, address pair,
	 * local Wi-Fi. Its addresses are parts. */
	REACH_ENTRY_AGGREGATE
};

enum reach_entry_bits {
	/* The target has a first verdict. */
	REACH_BIT_EVALUATED = 1 << 0,
	/* `reported` is valid. */
	REACH_BIT_REPORTED = 1 << 1,
	/* Reported as a path (REACH_REPORT_PATH), not as a verdict. */
	REACH_BIT_PATH = 1 << 2
};

/* 40 bytes: there may be a million. */
struct reach_entry {
	union {
		/* Address: its destination. */
		struct reach_use use;
		/* Aggregate: its other part, owned (targets/targets.c). */
		struct reach_aggregate *aggregate;
	};
	/* Digest of the state that was reported last (verdict/verdict.h). */
	uint64_t reported;
	struct reach_hook changed;
	/* Uses of this number so far. It is the upper half of a target's id, so
	 * the id of a removed target is not found again. */
	uint32_t generation;
	/* enum reach_entry_kind. */
	uint8_t kind;
	/* enum reach_entry_bits. */
	uint8_t bits;
	uint16_t reserved;
};

struct reach_marked {
	struct reach_aggregate *next;
	struct reach_marked *previous;
};

/* The members of an aggregate that its entry has no room for. */
struct reach_aggregate {
	/* Links of the list of marked aggregates (reach_mark_aggregate()), as
	 * insque(3) wants them: first. */
	struct reach_marked list;
	bool is_marked;
	/* Number of the entry. */
	uint32_t number;
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
	/* Positive errno of a resolver that lacked resources, or 0. */
	uint32_t failure_error;
	/* Number of the selectors without a destination; one reference. */
	uint32_t selectors;
	/* Destinations of the parts, in the resolver's or the probe set's
	 * order; REACH_PROBES_MAX equals REACH_ADDRESSES_MAX. */
	struct reach_use parts[REACH_ADDRESSES_MAX];
};

struct reach_entries {
	struct reach_table table;
	/* User pointers by entry number, not owned. Outside the table, since
	 * they exist only once a target has one. */
	void **users;
	uint32_t user_capacity;
};

/* No entry: failure of a search or allocation. */
#define REACH_NO_ENTRY 0

static inline struct reach_entry *
reach_entry_at(const struct reach_entries *entries, uint32_t number)
{
	return REACH_RECORD(&entries->table, struct reach_entry, number);
}

/* The entry of user @number. */
static inline uint32_t reach_use_entry(uint32_t number)
{
	return number >> 4;
}

static inline struct reach_use *
reach_use_at(const struct reach_entries *entries, uint32_t number)
{
	struct reach_entry *entry =
		reach_entry_at(entries, reach_use_entry(number));

	return entry->kind == REACH_ENTRY_AGGREGATE
		       ? &entry->aggregate->parts[number & 15]
		       : &entry->use;
}

/* The next aggregate after entry @number, or 0. Start with 0. */
static inline uint32_t reach_aggregate_next(const struct reach_entries *entries,
					    uint32_t number)
{
	while (++number < entries->table.used)
		if (reach_entry_at(entries, number)->kind ==
		    REACH_ENTRY_AGGREGATE)
			return number;
	return 0;
}

/* Creates the head of the list in a zeroed table. @return 0 or -ENOMEM, after which
 * only reach_entries_free() may use the table. */
int reach_entries_init(struct reach_entries *entries);
void reach_entries_free(struct reach_entries *entries);

/* Allocates an entry of @kind, not listed and cleared except for its
 * generation.
 * @return its number, or REACH_NO_ENTRY if memory is out. */
uint32_t reach_entry_create(struct reach_entries *entries,
			    enum reach_entry_kind kind);

/* Frees entry @number and takes it off the list of changes. The caller has
 * released its destinations and its aggregate. */
void reach_entry_destroy(struct reach_entries *entries, uint32_t number);

/* Sets the user pointer of a target. @return 0 or -ENOMEM. */
int reach_entry_set_user(struct reach_entries *entries, uint32_t number,
			 void *user);
/* User pointer of a target, NULL if none was set. */
static inline void *reach_entry_user(const struct reach_entries *entries,
				     uint32_t number)
{
	return number < entries->user_capacity ? entries->users[number] : NULL;
}

/*
 * Index of the destinations of a family, sorted by address, then by selectors.
 * The destinations inside a prefix are a range in it.
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
	/* `high` of the block's first destination. Stored here, since the search
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
	/* Position of the next destination: block in the directory, place in it. */
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

/* Inserts destination @number, or removes it. @return 0 or -ENOMEM. */
int reach_index_insert(const struct reach_destinations *destinations,
		       struct reach_index *index, uint32_t number);
void reach_index_remove(const struct reach_destinations *destinations,
			struct reach_index *index, uint32_t number);
void reach_index_free(struct reach_index *index);

/* The destination with @address and @selectors, or 0. */
uint32_t reach_index_find(const struct reach_destinations *destinations,
			  const struct reach_index *index,
			  const struct reach_address *address,
			  uint32_t selectors);

/* Sets @ret to the first destination inside @prefix of @length bits; host bits
 * are ignored. @return whether there is one. */
bool reach_index_seek(const struct reach_destinations *destinations,
		      const struct reach_index *index,
		      const struct reach_address *prefix, uint8_t length,
		      struct reach_cursor *ret);

/* Returns the destination at the cursor and advances it; 0 at the end. */
uint32_t reach_index_next(const struct reach_destinations *destinations,
			  const struct reach_index *index,
			  struct reach_cursor *cursor);

/* Advances the cursor past all destinations inside @prefix. */
void reach_index_skip(const struct reach_destinations *destinations,
		      const struct reach_index *index,
		      const struct reach_address *prefix, uint8_t length,
		      struct reach_cursor *cursor);

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
	uint32_t reserved;
	/* Lower half of reach_hash() of the key. */
	uint32_t hash;
};

struct reach_pool {
	/* Records by number, owned. Number 0 is never used and means "none". */
	void *records;
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
static inline struct reach_record *
reach_record_at(const struct reach_pool *pool, uint32_t number)
{
	return (void *)((uint8_t *)pool->records +
			(size_t)number * pool->record_size);
}

/* The next record after @number that is in use, or 0. Start with 0. */
static inline uint32_t reach_pool_next(const struct reach_pool *pool,
				       uint32_t number)
{
	while (++number < pool->used)
		if (reach_record_at(pool, number)->references)
			return number;
	return 0;
}

#pragma GCC visibility pop

#endif
