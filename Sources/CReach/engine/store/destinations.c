/* SPDX-License-Identifier: MIT */
#include "engine/store/store.h"

#include <errno.h>

_Static_assert(sizeof(struct reach_destination) == 48, "as documented");

static struct reach_hook *hook_at(const struct reach_destinations *destinations,
				  uint32_t number)
{
	return &reach_destination_at(destinations, number)->dirty;
}

uint32_t reach_destination_create(struct reach_destinations *destinations,
				  const struct reach_address *address,
				  uint32_t selectors)
{
	struct reach_destination *destination;
	uint32_t number;

	if (!reach_table_take(&destinations->table, &number))
		return 0;
	destination = reach_destination_at(destinations, number);
	*destination = (struct reach_destination){
		.selectors = selectors,
		.dirty = { number, number },
		.family = (uint8_t)address->family,
	};
	memcpy(destination->bytes, address->bytes, sizeof(destination->bytes));
	destinations->count++;
	return number;
}

void reach_destination_destroy(struct reach_destinations *destinations,
			       uint32_t number)
{
	reach_dirty_remove(destinations, number);
	reach_destination_at(destinations, number)->family = 0;
	reach_table_return(&destinations->table, number);
	destinations->count--;
}

int reach_destinations_init(struct reach_destinations *destinations)
{
	const struct reach_address none = { 0 };

	destinations->table.record_size = sizeof(struct reach_destination);
	reach_destination_create(destinations, &none, 0);
	destinations->count = 0;
	return destinations->table.used ? 0 : -ENOMEM;
}

/* Puts @number between @previous and the one after it. */
static void insert(struct reach_destinations *destinations, uint32_t number,
		   uint32_t previous)
{
	struct reach_hook *own = hook_at(destinations, number);
	struct reach_hook *before = hook_at(destinations, previous);

	if (own->next != number)
		return;
	*own = (struct reach_hook){ before->next, previous };
	hook_at(destinations, before->next)->previous = number;
	before->next = number;
}

void reach_dirty_put(struct reach_destinations *destinations, uint32_t number)
{
	insert(destinations, number, hook_at(destinations, 0)->previous);
}

void reach_dirty_put_first(struct reach_destinations *destinations,
			   uint32_t number)
{
	reach_dirty_remove(destinations, number);
	insert(destinations, number, 0);
}

void reach_dirty_remove(struct reach_destinations *destinations,
			uint32_t number)
{
	struct reach_hook *own = hook_at(destinations, number);

	hook_at(destinations, own->next)->previous = own->previous;
	hook_at(destinations, own->previous)->next = own->next;
	*own = (struct reach_hook){ number, number };
}
