/* SPDX-License-Identifier: MIT */
/*
 * Intrusive lists of entries: circular, doubly linked, with an entry of kind
 * REACH_ENTRY_LIST or REACH_ENTRY_GROUP as head. Inline, since one event may
 * move a hundred thousand entries from one list to another.
 */
#ifndef REACH_ENGINE_STORE_LISTS_H
#define REACH_ENGINE_STORE_LISTS_H

#include "engine/store/entries.h"

#pragma GCC visibility push(hidden)

/* The hook of @entry for @use. An entry's 64 bytes have no room for
 * REACH_HOOK_SENSITIVE: an aggregate has that hook in struct reach_aggregate,
 * the list head uses an ordinary one. */
static inline struct reach_hook *reach_hook_of(struct reach_entry *entry,
					       enum reach_hook_use use)
{
	if (use != REACH_HOOK_SENSITIVE)
		return &entry->hooks[use];
	return entry->kind == REACH_ENTRY_LIST ? &entry->hooks[0]
					       : &entry->aggregate->sensitive;
}

static inline struct reach_hook *
reach_hook_at(const struct reach_entries *entries, uint32_t number,
	      enum reach_hook_use use)
{
	return reach_hook_of(reach_entry_at(entries, number), use);
}

/* Whether entry @number is on a list of @use. For a list head: whether its list
 * has entries. */
static inline bool reach_list_has(const struct reach_entries *entries,
				  uint32_t number, enum reach_hook_use use)
{
	return reach_hook_at(entries, number, use)->next != number;
}

static inline bool reach_list_empty(const struct reach_entries *entries,
				    uint32_t list, enum reach_hook_use use)
{
	return !reach_list_has(entries, list, use);
}

/* The entry after @number, or the list head after the last one. */
static inline uint32_t reach_list_next(const struct reach_entries *entries,
				       uint32_t number, enum reach_hook_use use)
{
	return reach_hook_at(entries, number, use)->next;
}

/* Appends @number to @list unless it is on a list of @use already. */
static inline void reach_list_put(struct reach_entries *entries, uint32_t list,
				  uint32_t number, enum reach_hook_use use)
{
	struct reach_hook *own = reach_hook_at(entries, number, use);
	struct reach_hook *head = reach_hook_at(entries, list, use);

	if (own->next != number)
		return;
	own->next = list;
	own->previous = head->previous;
	reach_hook_at(entries, head->previous, use)->next = number;
	head->previous = number;
}

/* Unlinks @number; no effect if it is on no list of @use. */
static inline void reach_list_remove(struct reach_entries *entries,
				     uint32_t number, enum reach_hook_use use)
{
	struct reach_hook *own = reach_hook_at(entries, number, use);

	reach_hook_at(entries, own->next, use)->previous = own->previous;
	reach_hook_at(entries, own->previous, use)->next = own->next;
	own->next = number;
	own->previous = number;
}

/* Appends all entries of @from to @to in O(1); @from is empty afterwards. */
static inline void reach_list_splice(struct reach_entries *entries, uint32_t to,
				     uint32_t from, enum reach_hook_use use)
{
	struct reach_hook *source = reach_hook_at(entries, from, use);
	struct reach_hook *target = reach_hook_at(entries, to, use);

	if (source->next == from)
		return;
	reach_hook_at(entries, source->next, use)->previous = target->previous;
	reach_hook_at(entries, target->previous, use)->next = source->next;
	reach_hook_at(entries, source->previous, use)->next = to;
	target->previous = source->previous;
	source->next = from;
	source->previous = from;
}

#pragma GCC visibility pop

#endif
