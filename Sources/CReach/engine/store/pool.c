/* SPDX-License-Identifier: MIT */
#include "engine/store/store.h"

#include <stdlib.h>
#include <string.h>

/* One multiplication per word (constants of MurmurHash3's finalizer). Not keyed
 * against crafted collisions: only the addresses in a key come from outside. */
uint64_t reach_hash(const void *key, size_t size)
{
	uint64_t hash = UINT64_C(0x9e3779b97f4a7c15), word;
	size_t i;

	for (i = 0; i < size; i += sizeof(word)) {
		memcpy(&word, (const uint8_t *)key + i, sizeof(word));
		hash = (hash ^ word) * UINT64_C(0xff51afd7ed558ccd);
		hash ^= hash >> 32;
	}
	return hash;
}

/* Doubles the buckets and rehashes the records in use. */
static bool grow_buckets(struct reach_pool *pool)
{
	const uint32_t count = pool->bucket_count ? pool->bucket_count * 2 : 16;
	uint32_t *buckets = calloc(count, sizeof(*buckets));
	uint32_t i;

	if (!buckets)
		return false;
	for (i = 1; i < pool->used; i++) {
		struct reach_record *record = reach_record_at(pool, i);
		uint32_t *bucket = &buckets[record->hash & (count - 1)];

		if (!record->references)
			continue;
		record->next = *bucket;
		*bucket = i;
	}
	free(pool->buckets);
	pool->buckets = buckets;
	pool->bucket_count = count;
	return true;
}

/* Takes a free number, or a new one, and zeroes its record. @return 0 if memory
 * is out. */
static uint32_t take_number(struct reach_pool *pool)
{
	const uint32_t unused = pool->used ? pool->used : 1;
	const uint32_t number = pool->free ? pool->free : unused;

	if (pool->free)
		pool->free = reach_record_at(pool, number)->next;
	else if (number < pool->capacity ||
		 reach_array_grow(&pool->records, &pool->capacity,
				  pool->record_size))
		pool->used = number + 1;
	else
		return 0;
	memset(reach_record_at(pool, number), 0, pool->record_size);
	return number;
}

uint32_t reach_pool_hold(struct reach_pool *pool, const void *key,
			 bool *created)
{
	const uint32_t hash = (uint32_t)reach_hash(key, pool->key_size);
	struct reach_record *record;
	uint32_t *bucket;
	uint32_t number;

	*created = false;
	/* If there's no memory for more buckets, the chains get longer. */
	if (pool->count >= pool->bucket_count && !grow_buckets(pool) &&
	    !pool->bucket_count)
		return 0;
	bucket = &pool->buckets[hash & (pool->bucket_count - 1)];
	for (number = *bucket; number; number = record->next) {
		record = reach_record_at(pool, number);
		if (record->hash != hash ||
		    memcmp(record + 1, key, pool->key_size) != 0)
			continue;
		record->references++;
		return number;
	}
	/* May move the records, but not the buckets. */
	number = take_number(pool);
	if (!number)
		return 0;
	record = reach_record_at(pool, number);
	record->hash = hash;
	record->references = 1;
	record->next = *bucket;
	*bucket = number;
	memcpy(record + 1, key, pool->key_size);
	pool->count++;
	*created = true;
	return number;
}

bool reach_pool_release(struct reach_pool *pool, uint32_t number)
{
	struct reach_record *record = reach_record_at(pool, number);
	uint32_t *link;

	if (--record->references)
		return false;
	link = &pool->buckets[record->hash & (pool->bucket_count - 1)];
	while (*link != number)
		link = &reach_record_at(pool, *link)->next;
	*link = record->next;
	record->next = pool->free;
	pool->free = number;
	pool->count--;
	return true;
}

void reach_pool_free(struct reach_pool *pool)
{
	free(pool->records);
	free(pool->buckets);
}
