/* SPDX-License-Identifier: MIT */
#include "engine/store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct reach_entry) == 64, "a cache line");

/* Makes room for REACH_CHUNK more numbers. Chunks are aligned to an entry, so
 * that each entry is in one cache line. */
static int add_chunk(struct reach_entries *entries)
{
	const uint32_t count = entries->capacity / REACH_CHUNK;
	struct reach_entry *chunk;

	if (entries->capacity >= REACH_NO_ENTRY - REACH_CHUNK)
		return -ENOMEM;
	if (count == entries->chunk_capacity) {
		const uint32_t capacity = count ? count * 2 : 4;
		struct reach_entry **chunks =
			realloc(entries->chunks, capacity * sizeof(*chunks));

		if (!chunks)
			return -ENOMEM;
		entries->chunks = chunks;
		entries->chunk_capacity = capacity;
	}
	chunk = aligned_alloc(sizeof(*chunk), REACH_CHUNK * sizeof(*chunk));
	if (!chunk)
		return -ENOMEM;
	entries->chunks[count] = chunk;
	entries->capacity += REACH_CHUNK;
	return 0;
}

/* Sets both hooks to "on no list", whatever they were. */
static void init_hooks(struct reach_entries *entries, uint32_t number)
{
	struct reach_entry *entry = reach_entry_at(entries, number);
	int i;

	for (i = 0; i < REACH_HOOKS; i++)
		entry->hooks[i] = (struct reach_hook){ number, number };
}

uint32_t reach_entry_create(struct reach_entries *entries,
			    enum reach_entry_kind kind)
{
	uint32_t number = entries->free, generation = 0;
	struct reach_entry *entry;

	/* The free list is a stack: the entry freed last is likely in cache. */
	if (number != REACH_NO_ENTRY) {
		entry = reach_entry_at(entries, number);
		entries->free = entry->path_next;
		generation = entry->generation;
	} else {
		if (entries->used == entries->capacity && add_chunk(entries))
			return REACH_NO_ENTRY;
		number = entries->used++;
		entry = reach_entry_at(entries, number);
	}
	/* Everything but the generation, which outlives the use of the
	 * number. */
	*entry = (struct reach_entry){ .kind = kind & 7U,
				       .generation = generation };
	init_hooks(entries, number);
	if (kind == REACH_ENTRY_ADDRESS || kind == REACH_ENTRY_PART)
		entries->destinations++;
	return number;
}

void reach_entry_destroy(struct reach_entries *entries, uint32_t number)
{
	struct reach_entry *entry = reach_entry_at(entries, number);

	if (entry->kind == REACH_ENTRY_ADDRESS ||
	    entry->kind == REACH_ENTRY_PART)
		entries->destinations--;
	reach_list_remove(entries, number, REACH_HOOK_DIRTY);
	reach_list_remove(entries, number, REACH_HOOK_CHANGED);
	if (number < entries->user_capacity)
		entries->users[number] = NULL;
	entry->kind = REACH_ENTRY_FREE;
	/* At the 32-bit wrap the number is retired, so that no id is used
	 * twice. */
	if (++entry->generation == 0)
		return;
	entry->path_next = entries->free;
	entries->free = number;
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

void *reach_entry_user(const struct reach_entries *entries, uint32_t number)
{
	return number < entries->user_capacity ? entries->users[number] : NULL;
}

int reach_entries_init(struct reach_entries *entries)
{
	int i;

	entries->free = REACH_NO_ENTRY;
	/* The first numbers are those of enum REACH_LIST_*. */
	for (i = 0; i < REACH_LISTS; i++)
		if (reach_entry_create(entries, REACH_ENTRY_LIST) ==
		    REACH_NO_ENTRY)
			return -ENOMEM;
	return 0;
}

void reach_entries_free(struct reach_entries *entries)
{
	uint32_t i;

	for (i = 0; i < entries->capacity / REACH_CHUNK; i++)
		free(entries->chunks[i]);
	free(entries->chunks);
	free(entries->users);
	memset(entries, 0, sizeof(*entries));
}
