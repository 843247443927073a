/* SPDX-License-Identifier: MIT */
// For every prefix, the index finds exactly the addresses inside it, after any
// sequence of insertions and removals.
#include <string.h>
#include <sys/socket.h>

#include "base/base.h"
#include "check.h"
#include "engine/state/state.h"

#define LIVE_MAX   6000
#define OPERATIONS 20000

/* The distribution of the addresses. */
enum spread {
	SPREAD_ANYWHERE,
	/* All but a few are the same. */
	SPREAD_EQUAL,
	SPREAD_ONE_SUBNET,
	SPREADS
};

struct world {
	struct reach_destinations destinations;
	struct reach_index index;
	uint32_t live[LIVE_MAX];
	size_t count;
	uint64_t random;
	uint32_t selectors;
	uint8_t family;
	enum spread spread;
};

static size_t address_size(const struct world *world)
{
	return world->family == AF_INET ? 4 : 16;
}

static void add(struct world *world)
{
	struct reach_address address = { .family = world->family };
	const size_t size = address_size(world);
	uint32_t number;
	size_t i;

	for (i = 0; i < size; i++) {
		address.bytes[i] = 7;
		if (world->spread == SPREAD_ANYWHERE ||
		    (world->spread == SPREAD_ONE_SUBNET && i >= size - 2))
			address.bytes[i] =
				(uint8_t)check_random(&world->random, 256);
	}
	if (world->spread == SPREAD_EQUAL)
		address.bytes[size - 1] =
			(uint8_t)check_random(&world->random, 3);
	/* Selectors tell equal addresses apart. */
	CHECK(reach_index_find(&world->destinations, &world->index, &address,
			       ++world->selectors) == 0);
	number = reach_destination_create(&world->destinations, &address,
					  world->selectors);
	CHECK(number && reach_index_insert(&world->destinations, &world->index,
					   number) == 0);
	CHECK(reach_index_find(&world->destinations, &world->index, &address,
			       world->selectors) == number);
	world->live[world->count++] = number;
}

static void take_out(struct world *world)
{
	const uint32_t at =
		check_random(&world->random, (uint32_t)world->count);

	reach_index_remove(&world->destinations, &world->index,
			   world->live[at]);
	reach_destination_destroy(&world->destinations, world->live[at]);
	world->live[at] = world->live[--world->count];
}

static struct reach_address address_of(const struct world *world,
				       uint32_t number)
{
	return reach_destination_address(
		reach_destination_at(&world->destinations, number));
}

/* Looks up a prefix of a random live address, or of one that differs from it
 * in one bit. */
static void look(struct world *world)
{
	const size_t size = address_size(world);
	const uint8_t length =
		(uint8_t)check_random(&world->random, (uint32_t)size * 8 + 1);
	struct reach_address prefix = address_of(
		world, world->live[check_random(&world->random,
						(uint32_t)world->count)]);
	size_t wanted = 0, found = 0, inside = 0, i;
	struct reach_cursor cursor;
	uint32_t number;

	if (check_random(&world->random, 3) == 0)
		prefix.bytes[check_random(&world->random, (uint32_t)size)] ^= 1;
	for (i = 0; i < world->count; i++) {
		const struct reach_address address =
			address_of(world, world->live[i]);

		wanted += reach_address_in_prefix(&address, &prefix, length);
	}
	if (!reach_index_seek(&world->destinations, &world->index, &prefix,
			      length, &cursor)) {
		CHECK(wanted == 0);
		return;
	}
	while ((number = reach_index_next(&world->destinations, &world->index,
					  &cursor))) {
		const struct reach_address address = address_of(world, number);

		inside += reach_address_in_prefix(&address, &prefix, length);
		found++;
	}
	CHECK(found == wanted);
	CHECK(inside == wanted);
}

static void run(uint8_t family, enum spread spread)
{
	static struct world world;
	int i;

	memset(&world, 0, sizeof(world));
	world.family = family;
	world.spread = spread;
	world.random = UINT64_C(88172645463325252);
	if (!CHECK(reach_destinations_init(&world.destinations) == 0))
		return;
	for (i = 0; i < OPERATIONS; i++) {
		if (!world.count || (check_random(&world.random, 5) < 3 &&
				     world.count < LIVE_MAX))
			add(&world);
		else
			take_out(&world);
		if (i % 64 == 0 && world.count)
			look(&world);
	}
	while (world.count)
		take_out(&world);
	CHECK(world.index.block_count == 0);
	reach_index_free(&world.index);
	reach_table_free(&world.destinations.table);
}

void test_index(void)
{
	int spread;

	for (spread = 0; spread < SPREADS; spread++) {
		run(AF_INET, (enum spread)spread);
		run(AF_INET6, (enum spread)spread);
	}
}
