/* SPDX-License-Identifier: MIT */
/* The lists of entries. Inline, since an event may move a hundred thousand
 * entries from one to the next. */
#ifndef REACH_ENGINE_STORE_LISTS_H
#define REACH_ENGINE_STORE_LISTS_H

#include "engine/store/entries.h"

#pragma GCC visibility push(hidden)

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

/* Whether entry @number is on a list. */
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

/* The one after @number; at the end that is the list itself. */
static inline uint32_t reach_list_next(const struct reach_entries *entries,
				       uint32_t number, enum reach_hook_use use)
{
	return reach_hook_at(entries, number, use)->next;
}

/* Appends @number unless it is on a list. */
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

static inline void reach_list_remove(struct reach_entries *entries,
				     uint32_t number, enum reach_hook_use use)
{
	struct reach_hook *own = reach_hook_at(entries, number, use);

	reach_hook_at(entries, own->next, use)->previous = own->previous;
	reach_hook_at(entries, own->previous, use)->next = own->next;
	own->next = number;
	own->previous = number;
}

/* Appends all of list @from to list @to. */
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
