/* SPDX-License-Identifier: MIT */
/* The table of targets, and the lists they stand on. */
#include "core.h"

#include <errno.h>
#include <stdlib.h>

#define NO_SLOT UINT32_MAX

void reach_list_init(struct reach_node *list)
{
	list->next = list;
	list->previous = list;
}

bool reach_list_empty(const struct reach_node *list)
{
	return list->next == list;
}

bool reach_list_has(const struct reach_node *node)
{
	return node->next != NULL;
}

void reach_list_put(struct reach_node *list, struct reach_node *node)
{
	if (reach_list_has(node))
		return;
	node->next = list;
	node->previous = list->previous;
	list->previous->next = node;
	list->previous = node;
}

void reach_list_remove(struct reach_node *node)
{
	if (!reach_list_has(node))
		return;
	node->next->previous = node->previous;
	node->previous->next = node->next;
	node->next = NULL;
	node->previous = NULL;
}

/* An id is its slot plus one, under how often the slot was used before. */
static uint64_t make_id(uint32_t slot, uint32_t generation)
{
	return (uint64_t)generation << 32 | (slot + 1);
}

static int add_slots(struct reach_engine *engine)
{
	const size_t count = engine->slot_count ? engine->slot_count * 2 : 16;
	struct reach_slot *slots;
	size_t i;

	if (count >= NO_SLOT)
		return -ENOMEM;
	slots = realloc(engine->slots, count * sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	for (i = engine->slot_count; i < count; i++)
		slots[i] = (struct reach_slot){
			.next_free = i + 1 < count ? (uint32_t)(i + 1) : NO_SLOT
		};
	engine->free_slot = (uint32_t)engine->slot_count;
	engine->slots = slots;
	engine->slot_count = count;
	return 0;
}

static struct reach_entry *create(const struct reach_target *target)
{
	struct reach_entry *entry = calloc(1, sizeof(*entry));

	if (!entry)
		return NULL;
	entry->target = *target;
	entry->target.name = NULL;
	if (target->kind == REACH_TARGET_NAME) {
		entry->target.name = strdup(target->name);
		entry->resolution = REACH_RESOLUTION_PENDING;
		if (!entry->target.name) {
			free(entry);
			return NULL;
		}
	}
	return entry;
}

static void destroy(struct reach_entry *entry)
{
	free((char *)(uintptr_t)entry->target.name);
	free(entry->lookups);
	free(entry);
}

int reach_targets_insert(struct reach_engine *engine,
			 const struct reach_target *target,
			 struct reach_entry **ret)
{
	struct reach_entry *entry;
	struct reach_slot *slot;
	uint32_t at;

	/* No slots are free at first either, where free_slot is 0. */
	if ((!engine->slots || engine->free_slot == NO_SLOT) &&
	    add_slots(engine))
		return -ENOMEM;
	entry = create(target);
	if (!entry)
		return -ENOMEM;
	at = engine->free_slot;
	slot = &engine->slots[at];
	engine->free_slot = slot->next_free;
	slot->entry = entry;
	entry->id = make_id(at, slot->generation);
	*ret = entry;
	return 0;
}

struct reach_entry *reach_targets_find(const struct reach_engine *engine,
				       uint64_t id)
{
	const uint32_t low = (uint32_t)id;

	if (low == 0 || low > engine->slot_count)
		return NULL;
	if (engine->slots[low - 1].generation != (uint32_t)(id >> 32))
		return NULL;
	return engine->slots[low - 1].entry;
}

void reach_targets_remove(struct reach_engine *engine,
			  struct reach_entry *entry)
{
	const uint32_t at = (uint32_t)entry->id - 1;
	struct reach_slot *slot = &engine->slots[at];

	reach_list_remove(&entry->dirty);
	reach_list_remove(&entry->evaluated_node);
	reach_list_remove(&entry->changed);
	destroy(entry);
	slot->entry = NULL;
	/* A slot whose generations are used up stays empty: ids never come
	 * back. */
	if (++slot->generation == 0)
		return;
	slot->next_free = engine->free_slot;
	engine->free_slot = at;
}

void reach_targets_free(struct reach_engine *engine)
{
	size_t i;

	for (i = 0; i < engine->slot_count; i++)
		if (engine->slots[i].entry)
			destroy(engine->slots[i].entry);
	free(engine->slots);
	engine->slots = NULL;
	engine->slot_count = 0;
}

int reach_entry_look_up(struct reach_entry *entry,
			const struct reach_address *addresses, size_t count)
{
	struct reach_lookup *lookups = NULL;
	size_t i;

	if (count) {
		lookups = calloc(count, sizeof(*lookups));
		if (!lookups)
			return -ENOMEM;
	}
	for (i = 0; i < count; i++) {
		lookups[i].destination = addresses[i];
		lookups[i].deadline = INT64_MAX;
	}
	free(entry->lookups);
	entry->lookups = lookups;
	entry->lookup_count = (uint32_t)count;
	entry->outstanding = 0;
	entry->epoch++;
	return 0;
}

int reach_entry_prepare(const struct reach_engine *engine,
			struct reach_entry *entry)
{
	const struct reach_target *target = &entry->target;

	switch (target->kind) {
	case REACH_TARGET_ADDRESS:
		return reach_entry_look_up(entry, &target->remote, 1);
	case REACH_TARGET_ADDRESS_PAIR:
		return reach_entry_look_up(entry,
					   target->remote.family
						   ? &target->remote
						   : &target->local,
					   1);
	case REACH_TARGET_INTERNET:
		return reach_entry_look_up(entry, engine->probes,
					   engine->probe_count);
	case REACH_TARGET_NAME:
		if (entry->resolution != REACH_RESOLUTION_PENDING)
			return 0;
		if (target->policy == REACH_NAME_STRICT)
			return reach_entry_look_up(entry, NULL, 0);
		return reach_entry_look_up(entry, engine->probes,
					   engine->probe_count);
	default:
		return reach_entry_look_up(entry, NULL, 0);
	}
}
