/* SPDX-License-Identifier: MIT */
/* What the engine wants from its caller: sources of second lookups
 * (state/state.h), and the events that can change an answer. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "engine/engine.h"
#include "engine/verdict/verdict.h"

static bool has_dead_leg(const struct reach_second_lookup *second)
{
	const struct reach_reply *match =
		&second->first.replies[REACH_REPLY_MATCH];

	return second->by_legs && match->usable_legs < match->legs;
}

bool reach_engine_wants_settings(const struct reach_engine *engine)
{
	const struct reach_second_lookups *lookups = &engine->second_lookups;
	size_t i;

	for (i = 0; i < lookups->count; i++)
		if (lookups->items[i].state == REACH_SECOND_OTHER_LINKS ||
		    has_dead_leg(&lookups->items[i]))
			return true;
	return false;
}

/* The next second lookup whose source the caller must supply, or NULL. Returns
 * each once. */
static struct reach_second_lookup *hand(struct reach_engine *engine)
{
	struct reach_second_lookups *lookups = &engine->second_lookups;

	while (lookups->handed < lookups->count) {
		struct reach_second_lookup *second =
			&lookups->items[lookups->handed++];

		if (second->state == REACH_SECOND_WANTS_SOURCE &&
		    (second->has_route ||
		     !reach_policy_ignore_source(engine, AF_INET6)) &&
		    reach_request_is_current(&second->first))
			return second;
	}
	return NULL;
}

int reach_engine_wants_source(struct reach_engine *engine,
			      struct reach_source_request *ret)
{
	const struct reach_second_lookup *second = hand(engine);
	const struct reach_selectors *selectors;
	const struct reach_destination *destination;

	if (!second)
		return 0;
	destination = reach_destination_of(engine, second->first.subject);
	selectors = reach_selectors_at(engine, destination->selectors);
	*ret = (struct reach_source_request){
		.destination = reach_destination_full(engine, destination),
		.interface_index = selectors->bound,
		.mark = selectors->key.mark,
		.uid = selectors->key.uid,
	};
	return 1;
}

void reach_engine_set_source(struct reach_engine *engine,
			     const struct reach_address *source, int error)
{
	struct reach_second_lookup *second =
		&engine->second_lookups
			 .items[engine->second_lookups.handed - 1];

	/* IPv4 connects without a source, too. */
	if (source && reach_address_is_any(source)) {
		source = NULL;
		error = -EADDRNOTAVAIL;
	}
	/* A route without a source is an answer, too. */
	if (source || (second->has_route && error == -EADDRNOTAVAIL))
		second->state = REACH_SECOND_HAS_SOURCE;
	else
		second->state = REACH_SECOND_FAILED;
	if (source)
		second->source = *source;
	/* Any other error is the socket's, and says nothing about routes. */
	else if (-error <= UINT16_MAX &&
		 reach_error_is_of_route((uint16_t)-error))
		second->error = (uint16_t)-error;
}

/* ---- interest ---------------------------------------------------------- */

struct reach_interest reach_engine_interest(const struct reach_engine *engine)
{
	struct reach_interest interest = {
		.added = engine->destinations_added,
		.count = engine->destinations.count,
	};

	if (reach_policy_are_stock(engine, AF_INET))
		interest.stock |= REACH_FILTER_STOCK;
	if (reach_policy_are_stock(engine, AF_INET6))
		interest.stock |= REACH_FILTER_STOCK6;
	return interest;
}

/* Prefixes per family at most: more than a program has room for. */
#define PREFIXES 1024

/* Estimated instructions of a prefix of @length bits: a branch of the tree, and
 * four for each 32-bit word that is compared. */
static size_t cost_of(uint8_t length)
{
	return 1 + 4 * ((length + (size_t)31) / 32);
}

/* Writes the prefixes of @length bits that cover the destinations of @family.
 * @return their number, or -ENOSPC if there are more than @most. @ret is partly
 * written then. */
static ssize_t cover(const struct reach_engine *engine, uint16_t family,
		     uint8_t length, size_t most, struct reach_prefix *ret)
{
	const struct reach_index *index = reach_index_of(engine, family);
	struct reach_prefix next = { .address.family = family,
				     .length = length };
	struct reach_cursor cursor;
	size_t count = 0;
	uint32_t number;

	if (!reach_index_seek(&engine->destinations, index, &next.address, 0,
			      &cursor))
		return 0;
	while ((number = reach_index_next(&engine->destinations, index,
					  &cursor)) != 0) {
		if (count == most)
			return -ENOSPC;
		reach_prefix_cut(next.address.bytes,
				 reach_destination_of(engine, number)->bytes,
				 length);
		ret[count++] = next;
		/* One search per prefix, not a visit of each destination inside. */
		reach_index_skip(&engine->destinations, index, &next.address,
				 length, &cursor);
	}
	return (ssize_t)count;
}

/* Writes prefixes that cover all destinations, IPv4 first: per family, the
 * longest whose instructions are about @limit at most. @return their number. */
static size_t cover_all(const struct reach_engine *engine, size_t limit,
			struct reach_prefix *ret)
{
	/* Hosts of one IPv6 network usually have one route. */
	static const uint8_t lengths[2][16] = {
		{ 32, 28, 24, 22, 20, 18, 16, 15, 14, 13, 12, 11, 10, 8, 4, 0 },
		{ 128, 64, 56, 48, 44, 40, 36, 32, 28, 24, 20, 16, 12, 8, 4,
		  0 },
	};
	size_t count = 0, i, k;

	for (i = 0; i < 2; i++) {
		ssize_t more = -1;

		for (k = 0; k < sizeof(lengths[i]) && more < 0; k++)
			more = cover(
				engine, i ? AF_INET6 : AF_INET, lengths[i][k],
				limit / cost_of(lengths[i][k]), ret + count);
		count += (size_t)more;
	}
	return count;
}

int reach_interest_filter(const struct reach_engine *engine,
			  struct sock_filter *program, size_t capacity,
			  size_t *length)
{
	struct reach_prefix *prefixes =
		malloc(2 * PREFIXES * sizeof(*prefixes));
	size_t limit = PREFIXES * cost_of(32);
	int err = -ENOSPC;

	if (!prefixes)
		return -ENOMEM;
	for (; err == -ENOSPC && limit; limit = limit * 3 / 4)
		err = reach_filter_build(prefixes,
					 cover_all(engine, limit, prefixes),
					 reach_engine_interest(engine).stock,
					 program, capacity, length);
	free(prefixes);
	return err;
}
