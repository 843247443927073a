/* SPDX-License-Identifier: MIT */
#include "engine/store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct reach_entry) == 40, "as documented");

uint32_t reach_entry_create(struct reach_entries *entries,
			    enum reach_entry_kind kind)
{
	struct reach_entry *entry;
	uint32_t number;

	if (!reach_table_take(&entries->table, &number))
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
		reach_table_return(&entries->table, number);
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
	entries->users = NULL;
	entries->user_capacity = 0;
}
