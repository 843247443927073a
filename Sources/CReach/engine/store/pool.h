/* SPDX-License-Identifier: MIT */
/* Records that are kept once however many hold them. */
#ifndef REACH_ENGINE_STORE_POOL_H
#define REACH_ENGINE_STORE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* What every record begins with; its key follows. Record 0 is none. */
struct reach_record {
	/* Of the same hash; the next free one. */
	uint32_t next;
	uint32_t references;
	/* Counts uses of the number. */
	uint32_t serial;
	uint32_t hash;
};

struct reach_pool {
	uint8_t *records;
	uint32_t *buckets;
	uint32_t used;
	uint32_t capacity;
	uint32_t bucket_count;
	uint32_t free;
	uint32_t count;
	/* Both multiples of 8. */
	uint32_t record_size;
	uint32_t key_size;
};

/* Of a multiple of 8 bytes. */
uint64_t reach_hash(const void *key, size_t size);

/* The record with this key and one reference more; @created tells whether it
 * is new, and all behind its key zero. Moves records. 0 if memory is out. */
uint32_t reach_pool_hold(struct reach_pool *pool, const void *key,
			 bool *created);

/* One reference less; whether that was the last and the record is gone. */
bool reach_pool_release(struct reach_pool *pool, uint32_t number);
void reach_pool_free(struct reach_pool *pool);

static inline void *reach_pool_at(const struct reach_pool *pool,
				  uint32_t number)
{
	return pool->records + (size_t)number * pool->record_size;
}

#pragma GCC visibility pop

#endif
