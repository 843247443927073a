/* SPDX-License-Identifier: MIT */
/* Verdicts to changes, and to what a caller sees. */
#include "core.h"

#include <errno.h>

#include <linux/if.h>

/* A digest of the set of resolved addresses, whatever their order: the sum
 * of their 64-bit FNV-1a hashes. */
static uint64_t digest(const struct reach_entry *entry)
{
	uint64_t sum = 0;
	uint32_t i;
	size_t k;

	if (entry->resolution != REACH_RESOLUTION_DONE)
		return 0;
	for (i = 0; i < entry->lookup_count; i++) {
		const struct reach_address *a = &entry->lookups[i].destination;
		uint64_t hash = UINT64_C(0xcbf29ce484222325);

		for (k = 0; k < sizeof(a->bytes); k++)
			hash = (hash ^ a->bytes[k]) * UINT64_C(0x100000001b3);
		sum += (hash ^ a->family ^ a->scope_id) *
		       UINT64_C(0x100000001b3);
	}
	return sum;
}

void reach_evaluate(struct reach_engine *engine, struct reach_entry *entry)
{
	uint32_t i;

	for (i = 0; i < entry->lookup_count; i++)
		if (entry->lookups[i].deadline < engine->deadline)
			engine->deadline = entry->lookups[i].deadline;
	entry->verdict = reach_verdict(engine, entry);
	entry->evaluated = true;
	reach_list_put(&engine->evaluated, &entry->evaluated_node);
}

/* While nothing is reachable, which interface it would be is no change, as
 * SCNetworkReachability has it. */
static uint32_t reported_interface(const struct reach_verdict *verdict)
{
	return verdict->flags ? verdict->interface_index : 0;
}

static bool differs(const struct reach_entry *entry)
{
	const struct reach_reported *reported = &entry->reported;

	return !reported->ever || reported->flags != entry->verdict.flags ||
	       reported->interface_index !=
		       reported_interface(&entry->verdict) ||
	       reported->resolution != entry->resolution ||
	       reported->addresses != digest(entry);
}

int reach_engine_publish(struct reach_engine *engine)
{
	while (!reach_list_empty(&engine->evaluated)) {
		struct reach_entry *entry =
			REACH_CONTAINER(engine->evaluated.next, evaluated_node);

		reach_list_remove(&entry->evaluated_node);
		if (!differs(entry) || reach_list_has(&entry->changed))
			continue;
		reach_list_put(&engine->changed, &entry->changed);
		engine->stats.changes++;
	}
	return !reach_list_empty(&engine->changed);
}

static void describe_interface(const struct reach_engine *engine,
			       struct reach_state *state)
{
	const struct reach_link *link =
		reach_links_find(&engine->links, state->interface_index);

	if (!link)
		return;
	state->interface_class = reach_classify(&engine->links, link);
	memcpy(state->interface_name, link->name, sizeof(link->name));
}

static void describe(const struct reach_engine *engine,
		     const struct reach_entry *entry, struct reach_state *state)
{
	uint32_t i;

	memset(state, 0, sizeof(*state));
	state->size = sizeof(*state);
	state->flags = entry->verdict.flags;
	state->status = reach_status_from_flags(entry->verdict.flags);
	state->reason = entry->verdict.reason;
	state->error = entry->verdict.error;
	state->interface_index = entry->verdict.interface_index;
	state->source = entry->verdict.source;
	state->gateway = entry->verdict.gateway;
	state->resolution = entry->resolution;
	if (state->interface_index)
		describe_interface(engine, state);
	if (entry->resolution != REACH_RESOLUTION_DONE)
		return;
	state->address_count = entry->lookup_count;
	for (i = 0; i < entry->lookup_count; i++)
		state->addresses[i] = entry->lookups[i].destination;
}

int reach_engine_next(struct reach_engine *engine, struct reach_change *change)
{
	if (change->size < sizeof(*change))
		return -EINVAL;
	while (!reach_list_empty(&engine->changed)) {
		struct reach_entry *entry =
			REACH_CONTAINER(engine->changed.next, changed);

		reach_list_remove(&entry->changed);
		/* It changed back before anybody saw it. */
		if (!differs(entry))
			continue;
		entry->reported = (struct reach_reported){
			.flags = entry->verdict.flags,
			.interface_index = reported_interface(&entry->verdict),
			.addresses = digest(entry),
			.resolution = entry->resolution,
			.ever = true,
		};
		change->target = entry->id;
		describe(engine, entry, &change->state);
		return 1;
	}
	return 0;
}

int reach_engine_state(const struct reach_engine *engine, uint64_t id,
		       struct reach_state *state)
{
	const struct reach_entry *entry;

	if (state->size < sizeof(*state))
		return -EINVAL;
	entry = reach_targets_find(engine, id);
	if (!entry)
		return -ENOENT;
	if (!entry->evaluated)
		return -EAGAIN;
	describe(engine, entry, state);
	return 0;
}

static uint32_t interface_state(const struct reach_link *link)
{
	uint32_t state = 0;

	state |= link->flags & IFF_UP ? REACH_INTERFACE_UP : 0U;
	state |= link->flags & IFF_RUNNING ? REACH_INTERFACE_RUNNING : 0U;
	state |= link->flags & IFF_LOWER_UP ? REACH_INTERFACE_LOWER_UP : 0U;
	state |= link->flags & IFF_POINTOPOINT ? REACH_INTERFACE_POINT_TO_POINT
					       : 0U;
	state |= reach_link_dormant(link) ? REACH_INTERFACE_DORMANT : 0U;
	state |= reach_link_usable(link) ? REACH_INTERFACE_USABLE : 0U;
	return state;
}

int reach_engine_interface(const struct reach_engine *engine, uint32_t after,
			   struct reach_interface *ret)
{
	size_t i;

	if (ret->size < sizeof(*ret))
		return -EINVAL;
	for (i = 0; i < engine->links.count; i++) {
		const struct reach_link *link = &engine->links.items[i];

		if (link->index <= after)
			continue;
		ret->index = link->index;
		ret->state = interface_state(link);
		ret->interface_class = reach_classify(&engine->links, link);
		ret->master = link->master;
		memcpy(ret->name, link->name, sizeof(ret->name));
		memcpy(ret->kind, link->kind, sizeof(ret->kind));
		return 1;
	}
	return 0;
}
