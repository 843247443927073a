/* SPDX-License-Identifier: MIT */
/*
 * A B+ tree of two levels: blocks of sorted keys under one sorted directory. An
 * insertion moves at most one block's keys. If it splits a block, it also moves
 * the rest of the directory. A search is two binary searches over packed words.
 */
#include "engine/store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Destinations per block, 3 KiB. Bounds those that an insertion moves. The
 * directory of 100,000 then has 400 to 800 blocks. */
#define BLOCK_SIZE 256

struct reach_block {
	uint32_t count;
	/* Upper halves of the addresses, sorted. The lower halves are read
	 * from the destinations, only where the upper ones are equal. */
	uint64_t high[BLOCK_SIZE];
	uint32_t number[BLOCK_SIZE];
};

/* Lower half of an IPv6 address. */
static uint64_t low_of(const struct reach_destinations *destinations,
		       uint32_t number)
{
	return reach_load(reach_destination_at(destinations, number)->bytes + 8,
			  8);
}

/* Whether the destination at @at of @block sorts before address @key with selectors
 * @rank. */
static bool is_before(const struct reach_destinations *destinations,
		      const struct reach_block *block, size_t at,
		      const struct reach_key *key, uint64_t rank)
{
	uint64_t low;

	if (block->high[at] != key->high)
		return block->high[at] < key->high;
	low = key->is_wide ? low_of(destinations, block->number[at]) : 0;
	if (low != key->low)
		return low < key->low;
	return reach_destination_at(destinations, block->number[at])
		       ->selectors < rank;
}

/* Number of words below @value among @count sorted ones, @stride bytes apart.
 * It has no branch that could be mispredicted: most route events affect no
 * destination, and this search is their whole cost. */
static uint32_t count_below(const void *words, uint32_t count, size_t stride,
			    uint64_t value)
{
	const uint8_t *base = words;
	uint32_t left = count;
	uint64_t word;

	if (!count)
		return 0;
	while (left > 1) {
		const uint32_t half = left / 2;

		memcpy(&word, base + (half - 1) * stride, sizeof(word));
		base += -(size_t)(word < value) & half * stride;
		left -= half;
	}
	memcpy(&word, base, sizeof(word));
	return (uint32_t)((size_t)(base - (const uint8_t *)words) / stride) +
	       (word < value);
}

/* Position of the last block whose first destination sorts before the key, or 0. */
static uint32_t find_block(const struct reach_destinations *destinations,
			   const struct reach_index *index,
			   const struct reach_key *key, uint64_t rank)
{
	const struct reach_directory *blocks = index->blocks;
	uint32_t low = count_below(blocks, index->block_count, sizeof(*blocks),
				   key->high);
	uint32_t high = index->block_count;

	/* Several blocks may begin with the same upper half: hosts of one IPv6
	 * /64, or destinations with the same address. */
	while (low < high && blocks[low].first == key->high) {
		const uint32_t middle = low + (high - low) / 2;

		if (blocks[middle].first == key->high &&
		    is_before(destinations, blocks[middle].block, 0, key, rank))
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : 0;
}

/* Position of the first destination of @block that does not sort before the key. */
static uint32_t find_place(const struct reach_destinations *destinations,
			   const struct reach_block *block,
			   const struct reach_key *key, uint64_t rank)
{
	uint32_t low = count_below(block->high, block->count,
				   sizeof(*block->high), key->high);
	uint32_t high = block->count;

	while (low < high && block->high[low] == key->high) {
		const uint32_t middle = low + (high - low) / 2;

		if (is_before(destinations, block, middle, key, rank))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Inserts an empty block at @at of the directory. @return NULL if memory is
 * out. */
static struct reach_block *add_block(struct reach_index *index, uint32_t at)
{
	struct reach_block *block;

	if (index->block_count == index->block_capacity &&
	    !reach_array_grow(&index->blocks, &index->block_capacity,
			      sizeof(*index->blocks)))
		return NULL;
	block = malloc(sizeof(*block));
	if (!block)
		return NULL;
	block->count = 0;
	memmove(&index->blocks[at + 1], &index->blocks[at],
		(index->block_count - at) * sizeof(*index->blocks));
	index->block_count++;
	index->blocks[at] = (struct reach_directory){ .block = block };
	return block;
}

/* Moves all but the first @keep destinations of block @at to a new block after it.
 */
static int split(struct reach_index *index, uint32_t at, uint32_t keep)
{
	struct reach_block *to = add_block(index, at + 1);
	struct reach_block *from = index->blocks[at].block;

	if (!to)
		return -ENOMEM;
	to->count = from->count - keep;
	memcpy(to->high, from->high + keep, to->count * sizeof(*to->high));
	memcpy(to->number, from->number + keep,
	       to->count * sizeof(*to->number));
	from->count = keep;
	if (to->count)
		index->blocks[at + 1].first = to->high[0];
	return 0;
}

int reach_index_insert(const struct reach_destinations *destinations,
		       struct reach_index *index, uint32_t number)
{
	const struct reach_destination *destination =
		reach_destination_at(destinations, number);
	const struct reach_key key =
		reach_key_of(destination->family, destination->bytes);
	const uint64_t rank = destination->selectors;
	struct reach_block *block;
	uint32_t in = 0, at = 0;

	/* Empty blocks exist only here: the searches don't expect them. */
	if (index->block_count) {
		in = find_block(destinations, index, &key, rank);
		at = find_place(destinations, index->blocks[in].block, &key,
				rank);
	} else if (!add_block(index, 0)) {
		return -ENOMEM;
	}
	if (index->blocks[in].block->count == BLOCK_SIZE) {
		/* Append: insertions in ascending order leave full blocks. */
		const uint32_t keep = at == BLOCK_SIZE ? at : BLOCK_SIZE / 2;

		if (split(index, in, keep))
			return -ENOMEM;
		/* At the split point it ends the left block, unless that
		 * is full. */
		if (at > keep || keep == BLOCK_SIZE) {
			in++;
			at -= keep;
		}
	}
	block = index->blocks[in].block;
	memmove(&block->high[at + 1], &block->high[at],
		(block->count - at) * sizeof(*block->high));
	memmove(&block->number[at + 1], &block->number[at],
		(block->count - at) * sizeof(*block->number));
	block->high[at] = key.high;
	block->number[at] = number;
	block->count++;
	index->count++;
	index->blocks[in].first = block->high[0];
	return 0;
}

/* Frees block @at, whose destinations are gone. Sparse blocks stay: merging them
 * gains little room under random insertions and removals (Johnson and Shasha,
 * "B-trees with inserts and deletes: why free-at-empty is better than
 * merge-at-half"). */
static void drop_block(struct reach_index *index, uint32_t at)
{
	free(index->blocks[at].block);
	index->block_count--;
	memmove(&index->blocks[at], &index->blocks[at + 1],
		(index->block_count - at) * sizeof(*index->blocks));
}

void reach_index_remove(const struct reach_destinations *destinations,
			struct reach_index *index, uint32_t number)
{
	const struct reach_destination *destination =
		reach_destination_at(destinations, number);
	const struct reach_key key =
		reach_key_of(destination->family, destination->bytes);
	const uint64_t rank = destination->selectors;
	/* The destination itself is before rank + 1, so this is its block. */
	uint32_t in = find_block(destinations, index, &key, rank + 1);
	struct reach_block *block = index->blocks[in].block;
	uint32_t at = find_place(destinations, block, &key, rank);

	block->count--;
	index->count--;
	memmove(&block->high[at], &block->high[at + 1],
		(block->count - at) * sizeof(*block->high));
	memmove(&block->number[at], &block->number[at + 1],
		(block->count - at) * sizeof(*block->number));
	if (!block->count) {
		drop_block(index, in);
		return;
	}
	index->blocks[in].first = block->high[0];
}

void reach_index_free(struct reach_index *index)
{
	while (index->block_count)
		free(index->blocks[--index->block_count].block);
	free(index->blocks);
}

/* Mask of the bits after the first @length of 64. */
static uint64_t tail(unsigned int length)
{
	return length >= 64 ? 0 : UINT64_MAX >> length;
}

/* Whether the cursor is inside its range; moves it on to the next block. */
static bool is_inside(const struct reach_destinations *destinations,
		      const struct reach_index *index,
		      struct reach_cursor *cursor)
{
	const struct reach_block *block;

	if (cursor->block >= index->block_count)
		return false;
	block = index->blocks[cursor->block].block;
	if (cursor->at == block->count) {
		cursor->at = 0;
		if (++cursor->block == index->block_count)
			return false;
		block = index->blocks[cursor->block].block;
	}
	if (block->high[cursor->at] != cursor->last.high)
		return block->high[cursor->at] < cursor->last.high;
	return !cursor->last.is_wide ||
	       low_of(destinations, block->number[cursor->at]) <=
		       cursor->last.low;
}

/* The lowest address inside the prefix. Sets @last to the highest. */
static struct reach_key ends_of(const struct reach_address *prefix,
				uint8_t length, struct reach_key *last)
{
	struct reach_key key =
		reach_key_of((uint8_t)prefix->family, prefix->bytes);
	const uint64_t high = tail(length);
	const uint64_t low = length > 64 ? tail(length - 64U) : UINT64_MAX;

	key.high &= ~high;
	key.low &= ~low;
	*last = (struct reach_key){ key.high | high, key.low | low,
				    key.is_wide };
	return key;
}

/* Moves @cursor, whose last address is set, to the first destination that does
 * not sort before @key with @rank. @return whether it is inside the range. */
static bool seek(const struct reach_destinations *destinations,
		 const struct reach_index *index, const struct reach_key *key,
		 uint64_t rank, struct reach_cursor *cursor)
{
	cursor->block = cursor->at = 0;
	if (!index->block_count)
		return false;
	cursor->block = find_block(destinations, index, key, rank);
	cursor->at = find_place(destinations,
				index->blocks[cursor->block].block, key, rank);
	return is_inside(destinations, index, cursor);
}

bool reach_index_seek(const struct reach_destinations *destinations,
		      const struct reach_index *index,
		      const struct reach_address *prefix, uint8_t length,
		      struct reach_cursor *ret)
{
	const struct reach_key key = ends_of(prefix, length, &ret->last);

	return seek(destinations, index, &key, 0, ret);
}

uint32_t reach_index_find(const struct reach_destinations *destinations,
			  const struct reach_index *index,
			  const struct reach_address *address,
			  uint32_t selectors)
{
	struct reach_cursor cursor = {
		.last = reach_key_of((uint8_t)address->family, address->bytes),
	};
	uint32_t number = 0;

	/* The range ends with the address, and number 0 has no selectors. */
	if (seek(destinations, index, &cursor.last, selectors, &cursor))
		number = index->blocks[cursor.block].block->number[cursor.at];
	return reach_destination_at(destinations, number)->selectors ==
			       selectors
		       ? number
		       : 0;
}

void reach_index_skip(const struct reach_destinations *destinations,
		      const struct reach_index *index,
		      const struct reach_address *prefix, uint8_t length,
		      struct reach_cursor *cursor)
{
	struct reach_key last;

	ends_of(prefix, length, &last);
	seek(destinations, index, &last, UINT64_MAX, cursor);
}

uint32_t reach_index_next(const struct reach_destinations *destinations,
			  const struct reach_index *index,
			  struct reach_cursor *cursor)
{
	if (!is_inside(destinations, index, cursor))
		return 0;
	return index->blocks[cursor->block].block->number[cursor->at++];
}
