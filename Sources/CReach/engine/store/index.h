/* SPDX-License-Identifier: MIT */
/*
 * Index of the addresses and parts of a family, sorted by address, then by
 * selectors, then by number. The destinations inside a prefix are a range in
 * it, and entries that send the same lookup are neighbors.
 */
#ifndef REACH_ENGINE_STORE_INDEX_H
#define REACH_ENGINE_STORE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include <reach/address.h>

#include "engine/store/entries.h"

#pragma GCC visibility push(hidden)

/* An address as a 128-bit number in host order, so that a prefix is a range.
 * IPv4 is in the upper 32 bits. */
struct reach_key {
	uint64_t high;
	uint64_t low;
	/* IPv6; for IPv4 `low` is 0 and is not compared. */
	bool is_wide;
};

struct reach_block;

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

#pragma GCC visibility pop

#endif
