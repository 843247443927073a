/* SPDX-License-Identifier: MIT */
/*
 * Changes, states, and interfaces for the engine's caller. A change is a
 * difference from the state that the caller received last: in flags, interface,
 * and addresses or, for REACH_REPORT_PATH, in any member (verdict/verdict.h). A
 * state that changes back before the caller takes it is not a change.
 */
#include <errno.h>
#include <string.h>

#include <sys/socket.h>

#include "engine/engine.h"
#include "engine/verdict/verdict.h"

#define INTERFACE_SIZE_1_0 REACH_SIZE_TO(struct reach_interface, reserved)
#define ADDRESS_SIZE_1_0   REACH_SIZE_TO(struct reach_interface_address, usable)

int reach_engine_publish(struct reach_engine *engine)
{
	/* All events until now have been received, and none explains them. */
	engine->stats.corrections += engine->confirmation.corrections;
	engine->confirmation.corrections = 0;
	engine->is_published = true;
	return reach_list_first(&engine->entries.table) != 0;
}

/* Writes `resolution`, `address_count`, and `addresses`. */
static void describe_addresses(const struct reach_engine *engine,
			       const struct reach_aggregate *aggregate,
			       struct reach_state *state)
{
	const bool done = aggregate &&
			  aggregate->resolution >= REACH_RESOLUTION_DONE;
	const uint32_t count = done ? aggregate->part_count : 0;
	uint32_t i;

	state->resolution = aggregate ? aggregate->resolution : 0;
	state->address_count = count;
	for (i = 0; i < count; i++)
		state->addresses[i] = reach_destination_full(
			engine, reach_part_destination(engine, aggregate, i));
	memset(&state->addresses[count], 0,
	       (REACH_ADDRESSES_MAX - count) * sizeof(state->addresses[0]));
}

/* Writes every byte of @state but its size. */
static void describe(const struct reach_engine *engine,
		     const struct reach_entry *entry, struct reach_state *state)
{
	const struct reach_verdict *verdict =
		reach_entry_verdict(engine, entry);

	state->flags = verdict->flags;
	state->status = reach_status_from_flags(verdict->flags);
	state->reason = verdict->reason;
	state->error = (int32_t)verdict->error;
	state->interface_index = verdict->interface_index;
	state->source = verdict->source;
	state->gateway = verdict->gateway;
	state->interface_class = verdict->interface_class;
	memcpy(state->interface_name, verdict->interface_name,
	       sizeof(state->interface_name));
	state->metered = reach_facts_metered(engine, state->interface_name,
					     state->interface_class);
	state->reserved = 0;
	describe_addresses(
		engine,
		entry->kind == REACH_ENTRY_AGGREGATE ? entry->aggregate : NULL,
		state);
	state->next_hops = verdict->legs;
	state->usable_next_hops = verdict->usable_legs;
}

int reach_engine_next(struct reach_engine *engine, struct reach_change *change)
{
	struct reach_entries *entries = &engine->entries;
	struct reach_change ours, *next = &ours;
	uint32_t number;

	if (!reach_sized_is_valid(change, REACH_CHANGE_SIZE_1_0))
		return -EINVAL;
	if (!engine->is_published)
		return 0;
	while ((number = reach_list_first(&entries->table))) {
		struct reach_entry *entry = reach_entry_at(entries, number);

		reach_list_remove(&entries->table, number);
		/* It is being looked up again, and has its reported verdict
		 * until then. */
		if (!reach_entry_report(engine, entry))
			continue;
		/* Half a kilobyte: filled in place, without a copy, for a
		 * caller with the same headers. */
		if (change->size == sizeof(*change))
			next = change;
		next->id = reach_targets_id(engine, number);
		next->user = reach_entry_user(entries, number);
		describe(engine, entry, &next->state);
		next->state.size =
			change->size - offsetof(struct reach_change, state);
		if (next != change)
			reach_sized_write(change, next, sizeof(*next));
		return 1;
	}
	return 0;
}

int reach_entry_find(const struct reach_engine *engine, uint64_t id,
		     const struct reach_entry **ret)
{
	const uint32_t number = reach_targets_find(engine, id);

	if (number == REACH_NO_ENTRY)
		return -ENOENT;
	*ret = reach_entry_at(&engine->entries, number);
	return (*ret)->bits & REACH_BIT_EVALUATED ? 0 : -EAGAIN;
}

int reach_engine_state(const struct reach_engine *engine, uint64_t id,
		       struct reach_state *state)
{
	const struct reach_entry *entry;
	struct reach_state latest;
	int err;

	if (!reach_sized_is_valid(state, REACH_STATE_SIZE_1_0))
		return -EINVAL;
	err = reach_entry_find(engine, id, &entry);
	if (err)
		return err;
	describe(engine, entry, &latest);
	reach_sized_write(state, &latest, sizeof(latest));
	return 0;
}

int reach_engine_interface(const struct reach_engine *engine, uint32_t after,
			   struct reach_interface *ret)
{
	const struct reach_links *links = &engine->links;
	struct reach_interface interface = { 0 };
	const struct reach_link *link;
	size_t at;

	if (!reach_sized_is_valid(ret, INTERFACE_SIZE_1_0))
		return -EINVAL;
	if (after == UINT32_MAX)
		return 0;
	at = reach_links_position(links, after + 1);
	if (at == links->count)
		return 0;
	link = &links->items[at];
	interface.index = link->index;
	interface.state = reach_link_state(link);
	interface.interface_class = reach_classify(links, link);
	interface.master = link->master;
	interface.lower = link->lower;
	interface.lower_elsewhere = link->lower_elsewhere;
	interface.mark = link->tunnel.mark;
	interface.local = link->tunnel.local;
	interface.remote = link->tunnel.remote;
	memcpy(interface.name, link->name, sizeof(interface.name));
	memcpy(interface.kind, link->kind, sizeof(interface.kind));
	reach_sized_write(ret, &interface, sizeof(interface));
	return 1;
}

int reach_engine_interface_address(const struct reach_engine *engine,
				   uint32_t index, size_t position,
				   struct reach_interface_address *ret)
{
	const struct reach_own_addresses *table = &engine->addresses;
	struct reach_interface_address result = { 0 };
	size_t i;

	if (!reach_sized_is_valid(ret, ADDRESS_SIZE_1_0))
		return -EINVAL;
	for (i = 0; i < table->count; i++) {
		const struct reach_own_address *own = &table->items[i];

		if (own->interface_index != index || position--)
			continue;
		result.address = own->address;
		if (reach_address_scope(&own->address) == REACH_SCOPE_LINK &&
		    own->address.family == AF_INET6)
			result.address.scope_id = index;
		result.prefix_length = own->prefix_length;
		result.usable = reach_own_address_usable(own);
		reach_sized_write(ret, &result, sizeof(result));
		return 1;
	}
	return 0;
}
