/* SPDX-License-Identifier: MIT */
/*
 * Targets, and the entries they consist of. An address target is one entry. Any
 * other target, and an address restricted to some interface classes, is an
 * aggregate with one part per address. Address targets and parts are looked up:
 * they hold selectors and get paths, and events find them through the index.
 */
#include "engine/targets/targets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "engine/invalidate/invalidate.h"
#include "engine/state/state.h"
#include "engine/store/store.h"
#include "engine/verdict/verdict.h"

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
	    entry->kind != REACH_ENTRY_AGGREGATE)
		return REACH_NO_ENTRY;
	return entry->generation == id >> 32 ? number : REACH_NO_ENTRY;
}

/* Whether the index has an entry with the address of @entry, with any
 * selectors: the event filter compares only addresses. */
static bool has_indexed(struct reach_engine *engine,
			const struct reach_entry *entry)
{
	const struct reach_address address = reach_entry_destination(entry);
	struct reach_cursor cursor;

	return reach_index_seek(&engine->entries,
				reach_index_of(engine, entry->family), &address,
				entry->family == AF_INET ? 32 : 128, &cursor);
}

/* Puts an entry into the index. A one-shot engine receives no events and needs
 * no index. */
static int enter_index(struct reach_engine *engine, uint32_t number)
{
	const struct reach_entry *entry =
		reach_entry_at(&engine->entries, number);
	bool known;
	int err;

	if (engine->oneshot)
		return 0;
	known = has_indexed(engine, entry);
	err = reach_index_insert(&engine->entries,
				 &engine->indices[entry->family == AF_INET6],
				 number);
	if (!err && !known)
		engine->destination_counts.added++;
	else if (!err)
		reach_duplicates_detect(engine, number);
	return err;
}

static void leave_index(struct reach_engine *engine, uint32_t number)
{
	const struct reach_entry *entry =
		reach_entry_at(&engine->entries, number);

	if (engine->oneshot)
		return;
	reach_index_remove(&engine->entries,
			   &engine->indices[entry->family == AF_INET6], number);
	if (!has_indexed(engine, entry))
		engine->destination_counts.removed++;
}

/* Creates an address target or a part with the address @destination. @return
 * its number, or REACH_NO_ENTRY if memory is out. */
static uint32_t create_address(struct reach_engine *engine,
			       enum reach_entry_kind kind,
			       const struct reach_target *target,
			       const struct reach_address *destination)
{
	const uint32_t number = reach_entry_create(&engine->entries, kind);
	struct reach_entry *entry;

	if (number == REACH_NO_ENTRY)
		return number;
	entry = reach_entry_at(&engine->entries, number);
	memcpy(entry->bytes, destination->bytes, sizeof(entry->bytes));
	entry->family = (uint8_t)destination->family;
	entry->selectors = reach_selectors_hold(engine, target, destination);
	if (entry->selectors && enter_index(engine, number) == 0)
		return number;
	if (entry->selectors)
		reach_pool_release(&engine->selectors, entry->selectors);
	reach_entry_destroy(&engine->entries, number);
	return REACH_NO_ENTRY;
}

/* Removes an address target or a part. Marks the followers and duplicates that
 * wait for its answer. */
static void destroy_address(struct reach_engine *engine, uint32_t number)
{
	struct reach_entry *entry = reach_entry_at(&engine->entries, number);

	/* This comes first: path and index still lead to followers and
	 * duplicates. */
	reach_equivalence_dissolve(engine, number);
	if (entry->outstanding)
		reach_duplicates_mark(engine, number);
	reach_path_detach(engine, number);
	leave_index(engine, number);
	reach_pool_release(&engine->selectors, entry->selectors);
	reach_entry_destroy(&engine->entries, number);
}

static void destroy_parts(struct reach_engine *engine, const uint32_t *parts,
			  size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		destroy_address(engine, parts[i]);
}

int reach_targets_set_parts(struct reach_engine *engine, uint32_t number,
			    const struct reach_address *addresses, size_t count)
{
	struct reach_entry *entry = reach_entry_at(&engine->entries, number);
	struct reach_aggregate *aggregate = entry->aggregate;
	uint32_t parts[REACH_ADDRESSES_MAX];
	size_t i;

	/* Create the new ones first: on failure the old ones stay. */
	for (i = 0; i < count; i++) {
		parts[i] = create_address(engine, REACH_ENTRY_PART,
					  &aggregate->target, &addresses[i]);
		if (parts[i] == REACH_NO_ENTRY) {
			destroy_parts(engine, parts, i);
			return -ENOMEM;
		}
		reach_entry_at(&engine->entries, parts[i])->owner = number;
	}
	destroy_parts(engine, aggregate->parts, aggregate->part_count);
	memcpy(aggregate->parts, parts, count * sizeof(*parts));
	aggregate->part_count = (uint8_t)count;
	entry->outstanding = 0;
	reach_mark(engine, number);
	return 0;
}

/* Writes the probes of @family, AF_UNSPEC for all. @return their number. */
static size_t copy_probes(const struct reach_engine *engine, uint16_t family,
			  struct reach_address *ret)
{
	size_t count = 0, i;

	for (i = 0; i < engine->probes.count; i++)
		if (!family || engine->probes.addresses[i].family == family)
			ret[count++] = engine->probes.addresses[i];
	return count;
}

int reach_targets_set_initial_parts(struct reach_engine *engine,
				    uint32_t number)
{
	const struct reach_aggregate *aggregate =
		reach_entry_at(&engine->entries, number)->aggregate;
	const struct reach_target *target = &aggregate->target;
	const struct reach_address *address =
		target->remote.family ? &target->remote : &target->local;
	struct reach_address probes[REACH_PROBES_MAX];

	switch (target->kind) {
	case REACH_TARGET_ADDRESS:
	case REACH_TARGET_ADDRESS_PAIR:
		return reach_targets_set_parts(engine, number, address, 1);
	case REACH_TARGET_LOCAL_WIFI:
		return reach_targets_set_parts(engine, number, NULL, 0);
	case REACH_TARGET_NAME:
		/* A resolved name keeps its addresses. */
		if (aggregate->resolution != REACH_RESOLUTION_PENDING)
			return 0;
		if (target->policy == REACH_NAME_STRICT)
			return reach_targets_set_parts(engine, number, NULL, 0);
		break;
	default:
		break;
	}
	return reach_targets_set_parts(
		engine, number, probes,
		copy_probes(engine, target->remote.family, probes));
}

static struct reach_aggregate *
create_aggregate(const struct reach_target *target)
{
	struct reach_aggregate *aggregate = calloc(1, sizeof(*aggregate));

	if (!aggregate)
		return NULL;
	aggregate->target = *target;
	aggregate->target.name = NULL;
	if (target->kind != REACH_TARGET_NAME)
		return aggregate;
	aggregate->target.name = strdup(target->name);
	aggregate->resolution = REACH_RESOLUTION_PENDING;
	if (aggregate->target.name)
		return aggregate;
	free(aggregate);
	return NULL;
}

/* `name` is const for readers, but allocated here by strdup(). */
static void destroy_aggregate(struct reach_aggregate *aggregate)
{
	free((char *)(uintptr_t)aggregate->target.name);
	free(aggregate);
}

static void remove_aggregate(struct reach_engine *engine, uint32_t number)
{
	struct reach_entry *entry = reach_entry_at(&engine->entries, number);

	destroy_parts(engine, entry->aggregate->parts,
		      entry->aggregate->part_count);
	reach_list_remove(&engine->entries, number, REACH_HOOK_SENSITIVE);
	if (entry->selectors)
		reach_pool_release(&engine->selectors, entry->selectors);
	destroy_aggregate(entry->aggregate);
	reach_entry_destroy(&engine->entries, number);
}

/* The selectors of an aggregate have no destination. Only their scope is
 * used. */
static uint32_t insert_aggregate(struct reach_engine *engine,
				 const struct reach_target *target)
{
	const struct reach_address nowhere = { 0 };
	struct reach_aggregate *aggregate = create_aggregate(target);
	struct reach_entry *entry;
	uint32_t number;

	if (!aggregate)
		return REACH_NO_ENTRY;
	number = reach_entry_create(&engine->entries, REACH_ENTRY_AGGREGATE);
	if (number == REACH_NO_ENTRY) {
		destroy_aggregate(aggregate);
		return REACH_NO_ENTRY;
	}
	entry = reach_entry_at(&engine->entries, number);
	entry->aggregate = aggregate;
	aggregate->sensitive = (struct reach_hook){ number, number };
	entry->selectors = reach_selectors_hold(engine, target, &nowhere);
	/* Their verdicts depend on links and addresses that are in no path. */
	if (target->kind == REACH_TARGET_LOCAL_WIFI ||
	    target->kind == REACH_TARGET_ADDRESS_PAIR ||
	    (entry->selectors && reach_selectors_are_scoped(reach_selectors_at(
					 engine, entry->selectors))))
		reach_list_put(&engine->entries, REACH_LIST_SENSITIVE, number,
			       REACH_HOOK_SENSITIVE);
	if (!entry->selectors ||
	    reach_targets_set_initial_parts(engine, number)) {
		remove_aggregate(engine, number);
		return REACH_NO_ENTRY;
	}
	return number;
}

int reach_targets_insert(struct reach_engine *engine,
			 const struct reach_target *target, uint32_t *ret)
{
	uint32_t number;

	/* Entries on one path share its verdict. A target that allows only some
	 * interface classes has a verdict of its own. */
	if (target->kind != REACH_TARGET_ADDRESS || target->interface_classes)
		number = insert_aggregate(engine, target);
	else
		number = create_address(engine, REACH_ENTRY_ADDRESS, target,
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
	    REACH_ENTRY_AGGREGATE)
		remove_aggregate(engine, number);
	else
		destroy_address(engine, number);
}

void reach_targets_free(struct reach_engine *engine)
{
	uint32_t i;

	for (i = 0; i < engine->entries.used; i++) {
		const struct reach_entry *entry =
			reach_entry_at(&engine->entries, i);

		if (entry->kind == REACH_ENTRY_AGGREGATE)
			destroy_aggregate(entry->aggregate);
	}
	reach_entries_free(&engine->entries);
	reach_index_free(&engine->indices[0]);
	reach_index_free(&engine->indices[1]);
	reach_pool_free(&engine->selectors);
	reach_pool_free(&engine->paths);
}
