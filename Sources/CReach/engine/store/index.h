/* SPDX-License-Identifier: MIT */
/* The addresses that are asked for, in order. */
#ifndef REACH_ENGINE_STORE_INDEX_H
#define REACH_ENGINE_STORE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include <reach/address.h>

#include "engine/store/entries.h"

#pragma GCC visibility push(hidden)

/* An address as a number whose prefixes are ranges; IPv4 is on the left. */
struct reach_key {
	uint64_t high;
	uint64_t low;
	/* IPv6: `low` is not 0 for all. */
	bool is_wide;
};

struct reach_block;

struct reach_directory {
	uint64_t first;
	struct reach_block *block;
};

struct reach_index {
	struct reach_directory *blocks;
	uint32_t block_count;
	uint32_t block_capacity;
	size_t count;
};

/* A place in an index, valid until it is changed. */
struct reach_cursor {
	uint32_t block;
	uint32_t at;
	struct reach_key last;
};

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

int reach_index_insert(const struct reach_entries *entries,
		       struct reach_index *index, uint32_t number);
void reach_index_remove(const struct reach_entries *entries,
			struct reach_index *index, uint32_t number);
void reach_index_free(struct reach_index *index);

/* Whether somebody is inside the prefix, and the place of the first. */
bool reach_index_seek(const struct reach_entries *entries,
		      const struct reach_index *index,
		      const struct reach_address *prefix, uint8_t length,
		      struct reach_cursor *ret);

/* The place of the first entry with the address and selectors of @number;
 * behind them come those with another selectors. */
void reach_index_seek_equal(const struct reach_entries *entries,
			    const struct reach_index *index, uint32_t number,
			    struct reach_cursor *ret);

/* The entry at the cursor, which moves on; REACH_NO_ENTRY at the end. */
uint32_t reach_index_next(const struct reach_entries *entries,
			  const struct reach_index *index,
			  struct reach_cursor *cursor);

/* Moves the cursor behind the prefix. */
void reach_index_skip(const struct reach_entries *entries,
		      const struct reach_index *index,
		      const struct reach_address *prefix, uint8_t length,
		      struct reach_cursor *cursor);

/* How many are inside about, the block of the first and last as a whole. */
size_t reach_index_estimate(const struct reach_index *index,
			    const struct reach_cursor *cursor);

#pragma GCC visibility pop

#endif
