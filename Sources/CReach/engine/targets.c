/* SPDX-License-Identifier: MIT */
/*
 * Targets, and the destinations that they use. An address target uses one. Any
 * other target, and an address restricted to some interface classes, is an
 * aggregate with one part per address, each the use of a destination.
 */
#include "engine/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "engine/verdict/verdict.h"

/* ---- destinations -------------------------------------------------------------- */

/*
 * Destinations and their users. A destination is looked up: it holds selectors
 * and gets a path, and events find it through the index. Its first user creates
 * it, its last user's removal destroys it.
 */

static struct reach_index *index_of(struct reach_engine *engine,
				    uint16_t family)
{
	return &engine->indices[family == AF_INET6];
}

/* Creates a destination with a reference to @selectors. A one-shot engine
 * receives no events and needs no index. */
static uint32_t create(struct reach_engine *engine,
		       const struct reach_address *address, uint32_t selectors)
{
	const uint32_t number = reach_destination_create(&engine->destinations,
							 address, selectors);

	if (!number)
		return 0;
	if (!engine->oneshot &&
	    reach_index_insert(&engine->destinations,
			       index_of(engine, address->family), number)) {
		reach_destination_destroy(&engine->destinations, number);
		return 0;
	}
	engine->destinations_added++;
	return number;
}

/* The destination of @target with @address, created if there is none. It needs a
 * user, or else release_destination(). @return its number, or 0 if memory is
 * out. */
static uint32_t hold_destination(struct reach_engine *engine,
				 const struct reach_target *target,
				 const struct reach_address *address)
{
	const uint32_t selectors =
		reach_selectors_hold(engine, target, address);
	uint32_t number;

	if (!selectors)
		return 0;
	number = reach_index_find(&engine->destinations,
				  index_of(engine, address->family), address,
				  selectors);
	/* It has a reference already. */
	if (!number) {
		number = create(engine, address, selectors);
		if (number)
			return number;
	}
	reach_pool_release(&engine->selectors, selectors);
	return number;
}

/* Makes @use (REACH_USE()) a user of destination @number, which is looked up if
 * its answer isn't known. */
static void begin_use(struct reach_engine *engine, uint32_t use,
		      uint32_t number)
{
	struct reach_destination *destination =
		reach_destination_of(engine, number);
	struct reach_use *own = reach_use_at(&engine->entries, use);

	*own = (struct reach_use){ .destination = number,
				   .next = destination->users };
	if (own->next)
		reach_use_at(&engine->entries, own->next)->previous = use;
	destination->users = use;
	/* Its other users may not need it looked up. */
	if (destination->bits & REACH_DESTINATION_STALE)
		reach_mark_for(engine, number, use);
	else if (!destination->path &&
		 !(destination->bits & REACH_DESTINATION_ASKED))
		reach_mark(engine, number);
}

/* @return the number of its destination, for release_destination(). */
static uint32_t end_use(struct reach_engine *engine, uint32_t use)
{
	const struct reach_use own = *reach_use_at(&engine->entries, use);

	if (own.next)
		reach_use_at(&engine->entries, own.next)->previous =
			own.previous;
	if (own.previous)
		reach_use_at(&engine->entries, own.previous)->next = own.next;
	else
		reach_destination_of(engine, own.destination)->users = own.next;
	return own.destination;
}

/* Frees destination @number if it has no user. */
static void release_destination(struct reach_engine *engine, uint32_t number)
{
	struct reach_destination *destination =
		reach_destination_of(engine, number);

	/* An aggregate may have used it twice. */
	if (destination->users || !destination->family)
		return;
	if (engine->batch.outstanding || engine->second_lookups.count)
		reach_requests_cancel(engine, number);
	reach_path_detach(engine, number);
	if (!engine->oneshot)
		reach_index_remove(&engine->destinations,
				   index_of(engine, destination->family),
				   number);
	reach_pool_release(&engine->selectors, destination->selectors);
	reach_destination_destroy(&engine->destinations, number);
}

/* ---- targets ------------------------------------------------------------------- */

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

	if (number >= engine->entries.table.used)
		return REACH_NO_ENTRY;
	entry = reach_entry_at(&engine->entries, number);
	if (entry->kind != REACH_ENTRY_ADDRESS &&
	    entry->kind != REACH_ENTRY_AGGREGATE)
		return REACH_NO_ENTRY;
	return entry->generation == id >> 32 ? number : REACH_NO_ENTRY;
}

int reach_targets_set_parts(struct reach_engine *engine, uint32_t number,
			    const struct reach_address *addresses, size_t count)
{
	struct reach_aggregate *aggregate =
		reach_entry_at(&engine->entries, number)->aggregate;
	uint32_t parts[REACH_ADDRESSES_MAX], old[REACH_ADDRESSES_MAX];
	const size_t old_count = aggregate->part_count;
	size_t i;

	/* Hold the new ones first: on failure the old ones stay, and those that
	 * are in both keep their answers. */
	for (i = 0; i < count; i++) {
		parts[i] = hold_destination(engine, &aggregate->target,
					    &addresses[i]);
		if (!parts[i])
			break;
	}
	if (i < count) {
		while (i-- > 0)
			release_destination(engine, parts[i]);
		return -ENOMEM;
	}
	for (i = 0; i < old_count; i++)
		old[i] = end_use(engine, REACH_USE(number, i));
	aggregate->part_count = (uint8_t)count;
	for (i = 0; i < count; i++)
		begin_use(engine, REACH_USE(number, i), parts[i]);
	for (i = 0; i < old_count; i++)
		release_destination(engine, old[i]);
	reach_mark_aggregate(engine, aggregate);
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
	struct reach_aggregate *aggregate =
		reach_entry_at(&engine->entries, number)->aggregate;
	uint32_t i;

	for (i = 0; i < aggregate->part_count; i++)
		release_destination(engine,
				    end_use(engine, REACH_USE(number, i)));
	reach_unmark_aggregate(aggregate);
	if (aggregate->selectors)
		reach_pool_release(&engine->selectors, aggregate->selectors);
	destroy_aggregate(aggregate);
	reach_entry_destroy(&engine->entries, number);
}

/* The selectors of an aggregate have no destination. Only `bound` is
 * used. */
static uint32_t insert_aggregate(struct reach_engine *engine,
				 const struct reach_target *target)
{
	const struct reach_address nowhere = { 0 };
	struct reach_aggregate *aggregate = create_aggregate(target);
	uint32_t number;

	if (!aggregate)
		return REACH_NO_ENTRY;
	number = reach_entry_create(&engine->entries, REACH_ENTRY_AGGREGATE);
	if (number == REACH_NO_ENTRY) {
		destroy_aggregate(aggregate);
		return REACH_NO_ENTRY;
	}
	reach_entry_at(&engine->entries, number)->aggregate = aggregate;
	aggregate->number = number;
	aggregate->selectors = reach_selectors_hold(engine, target, &nowhere);
	if (!aggregate->selectors ||
	    reach_targets_set_initial_parts(engine, number)) {
		remove_aggregate(engine, number);
		return REACH_NO_ENTRY;
	}
	return number;
}

/* A target that is one address. */
static uint32_t insert_address(struct reach_engine *engine,
			       const struct reach_target *target)
{
	const uint32_t number =
		reach_entry_create(&engine->entries, REACH_ENTRY_ADDRESS);
	uint32_t destination;

	if (number == REACH_NO_ENTRY)
		return number;
	destination = hold_destination(engine, target, &target->remote);
	if (!destination) {
		reach_entry_destroy(&engine->entries, number);
		return REACH_NO_ENTRY;
	}
	begin_use(engine, REACH_USE(number, 0), destination);
	return number;
}

int reach_targets_insert(struct reach_engine *engine,
			 const struct reach_target *target, uint32_t *ret)
{
	uint32_t number;

	/* Users of one destination share its verdict. A target that allows only
	 * some interface classes has a verdict of its own. */
	if (target->kind != REACH_TARGET_ADDRESS || target->interface_classes)
		number = insert_aggregate(engine, target);
	else
		number = insert_address(engine, target);
	if (number == REACH_NO_ENTRY)
		return -ENOMEM;
	if (reach_entry_set_user(&engine->entries, number, target->user)) {
		reach_targets_remove(engine, number);
		return -ENOMEM;
	}
	if (target->report == REACH_REPORT_PATH)
		reach_entry_at(&engine->entries, number)->bits |=
			REACH_BIT_PATH;
	/* Another user's lookup may have found the answer already. */
	reach_evaluate(engine, number);
	*ret = number;
	return 0;
}

void reach_targets_remove(struct reach_engine *engine, uint32_t number)
{
	if (reach_entry_at(&engine->entries, number)->kind ==
	    REACH_ENTRY_AGGREGATE) {
		remove_aggregate(engine, number);
		return;
	}
	release_destination(engine, end_use(engine, REACH_USE(number, 0)));
	reach_entry_destroy(&engine->entries, number);
}

void reach_targets_free(struct reach_engine *engine)
{
	uint32_t i;

	for (i = 0; (i = reach_aggregate_next(&engine->entries, i));)
		destroy_aggregate(
			reach_entry_at(&engine->entries, i)->aggregate);
	reach_entries_free(&engine->entries);
	reach_table_free(&engine->destinations.table);
	reach_index_free(&engine->indices[0]);
	reach_index_free(&engine->indices[1]);
	reach_pool_free(&engine->selectors);
	reach_pool_free(&engine->paths);
}
