/* SPDX-License-Identifier: MIT */
#include "engine/store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Numbers fit in 28 bits, beside a position (struct reach_use). */
#define NUMBERS_MAX (UINT32_C(1) << 28)

/* Makes room for REACH_CHUNK more numbers. */
static bool add_chunk(struct reach_table *table)
{
	const uint32_t count = table->capacity / REACH_CHUNK;

	if (table->capacity >= NUMBERS_MAX)
		return false;
	if (count == table->chunk_capacity &&
	    !reach_array_grow(&table->chunks, &table->chunk_capacity,
			      sizeof(*table->chunks)))
		return false;
	table->chunks[count] = calloc(REACH_CHUNK, table->record_size);
	if (!table->chunks[count])
		return false;
	table->capacity += REACH_CHUNK;
	return true;
}

bool reach_table_take(struct reach_table *table, uint32_t *ret)
{
	/* The free list is a stack: the last one is likely in cache. */
	if (table->free) {
		*ret = table->free;
		memcpy(&table->free,
		       reach_table_at(table, *ret, table->record_size),
		       sizeof(table->free));
		return true;
	}
	if (table->used == table->capacity && !add_chunk(table))
		return false;
	*ret = table->used++;
	return true;
}

void reach_table_return(struct reach_table *table, uint32_t number)
{
	memcpy(reach_table_at(table, number, table->record_size), &table->free,
	       sizeof(table->free));
	table->free = number;
}

void reach_table_free(struct reach_table *table)
{
	uint32_t i;

	for (i = 0; i < table->capacity / REACH_CHUNK; i++)
		free(table->chunks[i]);
	free(table->chunks);
	memset(table, 0, sizeof(*table));
}
