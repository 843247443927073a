/* SPDX-License-Identifier: MIT */
/*
 * Pool of interned records (hash-consing): equal keys share one record, which
 * counts its references and is addressed by number. Paths and selectors are
 * such records.
 */
#ifndef REACH_ENGINE_STORE_POOL_H
#define REACH_ENGINE_STORE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

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
