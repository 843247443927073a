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

/* Takes a number whose record is zeroed, or as it was when it was returned.
 * @return whether there was memory. */
static bool take_number(struct reach_table *table, uint32_t *ret)
{
	/* The free list is a stack: the last one is likely in cache. */
	if (table->free) {
		*ret = table->free;
		table->free = reach_hook_at(table, *ret)->next;
		return true;
	}
	if (table->used == table->capacity && !add_chunk(table))
		return false;
	*ret = table->used++;
	return true;
}

static void return_number(struct reach_table *table, uint32_t number)
{
	reach_hook_at(table, number)->next = table->free;
	table->free = number;
}

void reach_table_free(struct reach_table *table)
{
	uint32_t i;

	for (i = 0; i < table->capacity / REACH_CHUNK; i++)
		free(table->chunks[i]);
	free(table->chunks);
}

/* ---- entries ----------------------------------------------------------- */

_Static_assert(sizeof(struct reach_entry) == 40, "as documented");

uint32_t reach_entry_create(struct reach_entries *entries,
			    enum reach_entry_kind kind)
{
	struct reach_entry *entry;
	uint32_t number;

	if (!take_number(&entries->table, &number))
		return REACH_NO_ENTRY;
	entry = reach_entry_at(entries, number);
	/* Everything but the generation, which outlives the use of the
	 * number. */
	*entry = (struct reach_entry){ .kind = (uint8_t)kind,
				       .changed = { number, number },
				       .generation = entry->generation };
	return number;
}

void reach_entry_destroy(struct reach_entries *entries, uint32_t number)
{
	struct reach_entry *entry = reach_entry_at(entries, number);

	reach_list_remove(&entries->table, number);
	if (number < entries->user_capacity)
		entries->users[number] = NULL;
	entry->kind = REACH_ENTRY_FREE;
	/* At the 32-bit wrap the number is retired, so that no id is used
	 * twice. */
	if (++entry->generation)
		return_number(&entries->table, number);
}

int reach_entry_set_user(struct reach_entries *entries, uint32_t number,
			 void *user)
{
	if (number >= entries->user_capacity) {
		/* Twice what is needed, since each growth copies the array. */
		const size_t capacity =
			(number / REACH_CHUNK + 1) * 2 * (size_t)REACH_CHUNK;
		void **users;

		if (!user)
			return 0;
		users = realloc(entries->users, capacity * sizeof(*users));
		if (!users)
			return -ENOMEM;
		memset(users + entries->user_capacity, 0,
		       (capacity - entries->user_capacity) * sizeof(*users));
		entries->users = users;
		entries->user_capacity = (uint32_t)capacity;
	}
	entries->users[number] = user;
	return 0;
}

int reach_entries_init(struct reach_entries *entries)
{
	entries->table.record_size = sizeof(struct reach_entry);
	entries->table.hook = offsetof(struct reach_entry, changed);
	reach_entry_create(entries, REACH_ENTRY_FREE);
	return entries->table.used ? 0 : -ENOMEM;
}

void reach_entries_free(struct reach_entries *entries)
{
	reach_table_free(&entries->table);
	free(entries->users);
}

/* ---- destinations ------------------------------------------------------ */

_Static_assert(sizeof(struct reach_destination) == 48, "as documented");

uint32_t reach_destination_create(struct reach_destinations *destinations,
				  const struct reach_address *address,
				  uint32_t selectors)
{
	struct reach_destination *destination;
	uint32_t number;

	if (!take_number(&destinations->table, &number))
		return 0;
	destination = reach_destination_at(destinations, number);
	*destination = (struct reach_destination){
		.selectors = selectors,
		.dirty = { number, number },
		.family = (uint8_t)address->family,
	};
	memcpy(destination->bytes, address->bytes, sizeof(destination->bytes));
	destinations->count++;
	return number;
}

void reach_destination_destroy(struct reach_destinations *destinations,
			       uint32_t number)
{
	reach_list_remove(&destinations->table, number);
	reach_destination_at(destinations, number)->family = 0;
	return_number(&destinations->table, number);
	destinations->count--;
}

int reach_destinations_init(struct reach_destinations *destinations)
{
	const struct reach_address none = { 0 };

	destinations->table.record_size = sizeof(struct reach_destination);
	destinations->table.hook = offsetof(struct reach_destination, dirty);
	reach_destination_create(destinations, &none, 0);
	destinations->count = 0;
	return destinations->table.used ? 0 : -ENOMEM;
}
