/* SPDX-License-Identifier: MIT */
/*
 * Destinations and their users. A destination is looked up: it holds selectors
 * and gets a path, and events find it through the index. Its first user creates
 * it, its last user's removal destroys it.
 */
#include "engine/targets/targets.h"

#include "engine/state/state.h"
#include "engine/verdict/verdict.h"

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

uint32_t reach_destination_hold(struct reach_engine *engine,
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

void reach_destination_use(struct reach_engine *engine, uint32_t use,
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
	/* It is new, or its other users don't need it looked up. */
	if (destination->bits & REACH_DESTINATION_STALE ||
	    !(destination->path ||
	      destination->bits & REACH_DESTINATION_ASKED)) {
		destination->bits &= (uint8_t)~REACH_DESTINATION_STALE;
		reach_mark(engine, number);
	}
}

uint32_t reach_destination_unuse(struct reach_engine *engine, uint32_t use)
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

void reach_destination_release(struct reach_engine *engine, uint32_t number)
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
