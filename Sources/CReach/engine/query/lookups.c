/* SPDX-License-Identifier: MIT */
/*
 * Turns the dirty list into a batch of requests. First come second lookups for
 * the answers of the last batch, then dumps, one per batch. A batch after these
 * has the barrier (if an event needs one), and lookups of destinations, those
 * of witnesses first. The kernel answers a batch in this order, so it answers
 * the barrier before the first lookup.
 */
#include "engine/query/query.h"

#include <errno.h>
#include <sys/socket.h>

#include "engine/invalidate/invalidate.h"
#include "engine/state/state.h"
#include "engine/store/store.h"
#include "engine/verdict/verdict.h"

/* With up to SHORT dirty destinations, or FEW in all, a batch is sent after the
 * first event: a further receive costs as much as a lookup and rarely finds
 * anything. With more, it can save more lookups than it costs. */
#define SHORT 4
#define FEW   16

static size_t write_dump(struct reach_engine *engine, void *buffer,
			 uint8_t kind)
{
	reach_dump_begin(engine, kind);
	return reach_request_dump(buffer, kind,
				  reach_batch_add(engine, kind, 0));
}

/* Whether at most SHORT destinations are dirty, or will be. */
static bool is_short(const struct reach_engine *engine)
{
	uint32_t number = reach_dirty_first(&engine->destinations);
	size_t count = engine->dirty.groups;

	for (; number && count <= SHORT; count++)
		number = reach_destination_of(engine, number)->dirty.next;
	return count <= SHORT;
}

bool reach_engine_asks_little(const struct reach_engine *engine)
{
	if (engine->destinations.count <= FEW)
		return true;
	return !engine->dirty.all && !engine->dirty.inet &&
	       !engine->dirty.inet6 && !engine->dirty.recompute &&
	       reach_list_empty(&engine->entries, REACH_LIST_AGGREGATES,
				REACH_HOOK_AGGREGATES) &&
	       is_short(engine);
}

/* Without the interface of the selectors, no lookup is needed. */
static void attach_no_interface(struct reach_engine *engine, uint32_t number)
{
	const struct reach_destination *destination =
		reach_destination_of(engine, number);
	const struct reach_path_key key = {
		.deadline = INT64_MAX,
		.selectors = destination->selectors,
		.family = destination->family,
		.length = REACH_LENGTH_UNKNOWN,
		.bits = REACH_PATH_NO_INTERFACE,
	};

	if (reach_path_attach(engine, number, &key)) {
		reach_path_detach(engine, number);
		reach_retry_later(engine);
	}
	reach_evaluate_users(engine, number);
}

static size_t write_lookup(struct reach_engine *engine, uint8_t *buffer,
			   uint32_t number)
{
	struct reach_destination *destination =
		reach_destination_of(engine, number);

	destination->bits &= (uint8_t)~REACH_DESTINATION_STALE;
	if (reach_selectors_at(engine, destination->selectors)->missing) {
		attach_no_interface(engine, number);
		return 0;
	}
	destination->bits |= REACH_DESTINATION_ASKED;
	return reach_lookup_write(engine, buffer, REACH_REQUEST_LOOKUP, number,
				  NULL, 0);
}

static size_t write_barrier(struct reach_engine *engine, uint8_t *buffer)
{
	engine->dirty.barrier = false;
	engine->stats.barriers++;
	return reach_request_barrier(
		buffer, reach_batch_add(engine, REACH_REQUEST_BARRIER, 0));
}

/* A batch has at most REACH_BATCH answers, which must fit the receive
 * buffer. */
static size_t write_batch(struct reach_engine *engine, uint8_t *buffer)
{
	uint32_t number = reach_dirty_first(&engine->destinations);
	size_t used = 0;

	reach_confirmation_prepare(engine, number);
	if (number && engine->dirty.barrier)
		used = write_barrier(engine, buffer);
	for (; number && engine->batch.outstanding + 2 <= REACH_BATCH;
	     number = reach_dirty_first(&engine->destinations)) {
		reach_dirty_remove(&engine->destinations, number);
		used += write_lookup(engine, buffer + used, number);
	}
	return used;
}

/* Writes what is marked. A destination without its interface is answered at
 * once, which may show that an aggregate needs others. */
static size_t write_marked(struct reach_engine *engine, uint8_t *buffer)
{
	size_t used;

	do {
		reach_mark_flush(engine);
		used = write_batch(engine, buffer);
	} while (!used &&
		 !reach_list_empty(&engine->entries, REACH_LIST_AGGREGATES,
				   REACH_HOOK_AGGREGATES));
	return used;
}

/* @return the bytes written, 0 if nothing is due. */
static size_t write_requests(struct reach_engine *engine, void *buffer)
{
	size_t used = 0;
	uint8_t dump;

	if (engine->batch.outstanding)
		return 0;
	reach_batch_begin(engine);
	if (engine->second_lookups.count) {
		if (reach_second_lookups_want_rules(engine))
			return write_dump(engine, buffer, REACH_REQUEST_RULES);
		used = reach_second_lookups_write(engine, buffer);
		if (used)
			return used;
	}
	dump = reach_dump_next(engine);
	if (dump)
		return write_dump(engine, buffer, dump);
	if (engine->oneshot) {
		used = reach_oneshot_write(engine, buffer);
		if (reach_oneshot_has_more(engine))
			return used;
	}
	used += write_marked(engine, (uint8_t *)buffer + used);
	if (!used)
		reach_rules_idle(engine);
	return used;
}

int reach_engine_requests(struct reach_engine *engine, void *buffer,
			  size_t size, size_t *written)
{
	_Static_assert((size_t)REACH_BATCH * REACH_REQUEST_MAX <=
			       REACH_REQUESTS_SIZE,
		       "a batch fits the buffer");
	if (size < REACH_REQUESTS_SIZE)
		return -EINVAL;
	*written = write_requests(engine, buffer);
	return 0;
}
