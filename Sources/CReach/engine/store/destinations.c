/* SPDX-License-Identifier: MIT */
#include "engine/store/store.h"

#include <errno.h>

_Static_assert(sizeof(struct reach_destination) == 48, "as documented");

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
	reach_list_remove(&destinations->table, number);
	reach_destination_at(destinations, number)->family = 0;
	reach_table_return(&destinations->table, number);
	destinations->count--;
}

int reach_destinations_init(struct reach_destinations *destinations)
{
	const struct reach_address none = { 0 };

	destinations->table.record_size = sizeof(struct reach_destination);
	destinations->table.hook = offsetof(struct reach_destination, dirty);
	reach_destination_create(destinations, &none, 0);
	destinations->count = 0;
	return destinations->table.used ? 0 : -ENOMEM;
}
