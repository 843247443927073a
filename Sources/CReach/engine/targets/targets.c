/* SPDX-License-Identifier: MIT */
/* Targets to entries. */
#include "engine/targets/targets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "engine/invalidate/equivalence.h"
#include "engine/invalidate/twins.h"
#include "engine/state/aggregate.h"
#include "engine/state/selectors.h"
#include "engine/state/state.h"
#include "engine/store/lists.h"

uint64_t reach_targets_id(const struct reach_engine *engine, uint32_t number)
{
	const struct reach_entry *entry =
		reach_entry_at(&engine->entries, number);

	return (uint64_t)entry->generation << 32 | number;
}

uint32_t reach_targets_find(const struct reach_engine *engine, uint64_t id)
{
	const uint32_t number = (uint32_t)id;
	const struct reach_entry *entry;

	if (number >= engine->entries.used)
		return REACH_NO_ENTRY;
	entry = reach_entry_at(&engine->entries, number);
	if (entry->kind != REACH_ENTRY_ADDRESS &&
	    entry->kind != REACH_ENTRY_COMPOUND)
		return REACH_NO_ENTRY;
	return entry->generation == id >> 32 ? number : REACH_NO_ENTRY;
}

static struct reach_index *index_of(struct reach_engine *engine, uint8_t family)
{
	return &engine->indices[family == AF_INET6];
}

/* Whether somebody asks for the entry's address who is in the index. */
static bool is_asked(struct reach_engine *engine,
		     const struct reach_entry *entry)
{
	struct reach_address address = { .family = entry->family };
	struct reach_cursor cursor;

	memcpy(address.bytes, entry->u.bytes, sizeof(address.bytes));
	return reach_index_seek(&engine->entries,
				index_of(engine, entry->family), &address,
				entry->family == AF_INET ? 32 : 128, &cursor);
}

/* Events look it up in the index; a sparse engine takes none. */
static int enter(struct reach_engine *engine, uint32_t number)
{
	const struct reach_entry *entry =
		reach_entry_at(&engine->entries, number);
	bool asked;
	int err;

	if (engine->oneshot)
		return 0;
	asked = is_asked(engine, entry);
	err = reach_index_insert(&engine->entries,
				 index_of(engine, entry->family), number);
	if (!err && !asked)
		engine->turnover.added++;
	else if (!err)
		reach_twins_enter(engine, number);
	return err;
}

static void leave(struct reach_engine *engine, uint32_t number)
{
	const struct reach_entry *entry =
		reach_entry_at(&engine->entries, number);

	if (engine->oneshot)
		return;
	reach_index_remove(&engine->entries, index_of(engine, entry->family),
			   number);
	if (!is_asked(engine, entry))
		engine->turnover.removed++;
}

/* What can be asked: an address target, or a part. */
static uint32_t create_asked(struct reach_engine *engine,
			     enum reach_entry_kind kind,
			     const struct reach_target *target,
			     const struct reach_address *destination)
{
	const uint32_t number = reach_entry_create(&engine->entries, kind);
	struct reach_entry *entry;

	if (number == REACH_NO_ENTRY)
		return number;
	entry = reach_entry_at(&engine->entries, number);
	memcpy(entry->u.bytes, destination->bytes, sizeof(entry->u.bytes));
	entry->family = (uint8_t)destination->family;
	entry->profile = reach_profile_hold(engine, target, destination);
	if (entry->profile && enter(engine, number) == 0)
		return number;
	if (entry->profile)
		reach_pool_release(&engine->profiles, entry->profile);
	reach_entry_destroy(&engine->entries, number);
	return REACH_NO_ENTRY;
}

static void destroy_asked(struct reach_engine *engine, uint32_t number)
{
	struct reach_entry *entry = reach_entry_at(&engine->entries, number);

	reach_class_dissolve(engine, number);
	if (entry->outstanding)
		reach_twins_ask(engine, number);
	reach_path_detach(engine, number);
	leave(engine, number);
	reach_pool_release(&engine->profiles, entry->profile);
	reach_entry_destroy(&engine->entries, number);
}

static void destroy_parts(struct reach_engine *engine, const uint32_t *parts,
			  size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		destroy_asked(engine, parts[i]);
}

int reach_targets_look_up(struct reach_engine *engine, uint32_t number,
			  const struct reach_address *addresses, size_t count)
{
	struct reach_entry *entry = reach_entry_at(&engine->entries, number);
	struct reach_compound *compound = entry->u.compound;
	uint32_t parts[REACH_ADDRESSES_MAX];
	size_t i;

	for (i = 0; i < count; i++) {
		parts[i] = create_asked(engine, REACH_ENTRY_PART,
					&compound->target, &addresses[i]);
		if (parts[i] == REACH_NO_ENTRY) {
			destroy_parts(engine, parts, i);
			return -ENOMEM;
		}
		reach_entry_at(&engine->entries, parts[i])->v.owner = number;
	}
	destroy_parts(engine, compound->parts, compound->part_count);
	memcpy(compound->parts, parts, count * sizeof(*parts));
	compound->part_count = (uint8_t)count;
	entry->outstanding = 0;
	reach_mark(engine, number);
	return 0;
}

int reach_targets_prepare(struct reach_engine *engine, uint32_t number)
{
	const struct reach_compound *compound =
		reach_entry_at(&engine->entries, number)->u.compound;
	const struct reach_target *target = &compound->target;
	const struct reach_address *address =
		target->remote.family ? &target->remote : &target->local;
	struct reach_address probes[REACH_PROBES_MAX];
	size_t count = 0;

	switch (target->kind) {
	case REACH_TARGET_ADDRESS_PAIR:
		return reach_targets_look_up(engine, number, address, 1);
	case REACH_TARGET_LOCAL_WIFI:
		return reach_targets_look_up(engine, number, NULL, 0);
	case REACH_TARGET_NAME:
		if (compound->resolution != REACH_RESOLUTION_PENDING)
			return 0;
		if (target->policy == REACH_NAME_STRICT)
			return reach_targets_look_up(engine, number, NULL, 0);
		break;
	default:
		break;
	}
	if (engine->probes.majority)
		count = reach_compound_majority(engine, probes);
	if (count)
		return reach_targets_look_up(engine, number, probes, count);
	return reach_targets_look_up(engine, number, engine->probes.addresses,
				     engine->probes.count);
}

static struct reach_compound *create_compound(const struct reach_target *target)
{
	struct reach_compound *compound = calloc(1, sizeof(*compound));

	if (!compound)
		return NULL;
	compound->target = *target;
	compound->target.name = NULL;
	if (target->kind != REACH_TARGET_NAME)
		return compound;
	compound->target.name = strdup(target->name);
	compound->resolution = REACH_RESOLUTION_PENDING;
	if (compound->target.name)
		return compound;
	free(compound);
	return NULL;
}

static void destroy_compound(struct reach_compound *compound)
{
	free((char *)(uintptr_t)compound->target.name);
	free(compound);
}

static void remove_compound(struct reach_engine *engine, uint32_t number)
{
	struct reach_entry *entry = reach_entry_at(&engine->entries, number);

	destroy_parts(engine, entry->u.compound->parts,
		      entry->u.compound->part_count);
	reach_list_remove(&engine->entries, number, REACH_HOOK_SENSITIVE);
	if (entry->profile)
		reach_pool_release(&engine->profiles, entry->profile);
	destroy_compound(entry->u.compound);
	reach_entry_destroy(&engine->entries, number);
}

static uint32_t insert_compound(struct reach_engine *engine,
				const struct reach_target *target)
{
	const struct reach_address nowhere = { 0 };
	struct reach_compound *compound = create_compound(target);
	struct reach_entry *entry;
	uint32_t number;

	if (!compound)
		return REACH_NO_ENTRY;
	number = reach_entry_create(&engine->entries, REACH_ENTRY_COMPOUND);
	if (number == REACH_NO_ENTRY) {
		destroy_compound(compound);
		return REACH_NO_ENTRY;
	}
	entry = reach_entry_at(&engine->entries, number);
	entry->u.compound = compound;
	compound->sensitive = (struct reach_hook){ number, number };
	entry->profile = reach_profile_hold(engine, target, &nowhere);
	/* They depend on addresses and links that no path of theirs has. */
	if (target->kind == REACH_TARGET_LOCAL_WIFI ||
	    target->kind == REACH_TARGET_ADDRESS_PAIR ||
	    (entry->profile &&
	     reach_profile_is_scoped(reach_profile_at(engine, entry->profile))))
		reach_list_put(&engine->entries, REACH_LIST_SENSITIVE, number,
			       REACH_HOOK_SENSITIVE);
	if (!entry->profile || reach_targets_prepare(engine, number)) {
		remove_compound(engine, number);
		return REACH_NO_ENTRY;
	}
	return number;
}

int reach_targets_insert(struct reach_engine *engine,
			 const struct reach_target *target, uint32_t *ret)
{
	uint32_t number;

	if (target->kind != REACH_TARGET_ADDRESS)
		number = insert_compound(engine, target);
	else
		number = create_asked(engine, REACH_ENTRY_ADDRESS, target,
				      &target->remote);
	if (number == REACH_NO_ENTRY)
		return -ENOMEM;
	if (reach_entry_set_user(&engine->entries, number, target->user)) {
		reach_targets_remove(engine, number);
		return -ENOMEM;
	}
	if (target->report == REACH_REPORT_PATH)
		reach_entry_at(&engine->entries, number)->bits |=
			REACH_BIT_PATH;
	*ret = number;
	return 0;
}

void reach_targets_remove(struct reach_engine *engine, uint32_t number)
{
	if (reach_entry_at(&engine->entries, number)->kind ==
	    REACH_ENTRY_COMPOUND)
		remove_compound(engine, number);
	else
		destroy_asked(engine, number);
}

void reach_targets_free(struct reach_engine *engine)
{
	uint32_t i;

	for (i = 0; i < engine->entries.used; i++) {
		const struct reach_entry *entry =
			reach_entry_at(&engine->entries, i);

		if (entry->kind == REACH_ENTRY_COMPOUND)
			destroy_compound(entry->u.compound);
	}
	reach_entries_free(&engine->entries);
	reach_index_free(&engine->indices[0]);
	reach_index_free(&engine->indices[1]);
	reach_pool_free(&engine->profiles);
	reach_pool_free(&engine->paths);
}
