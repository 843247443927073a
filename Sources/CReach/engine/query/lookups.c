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
#include <string.h>
#include <sys/socket.h>

#include "engine/invalidate/invalidate.h"
#include "engine/verdict/verdict.h"

/* ---- second lookups ------------------------------------------------------ */

/* Whether the policy tells if IPv4's second lookup is sent; after a change-over,
 * that comes next. */
static bool wants_policy(const struct reach_engine *engine,
			 const struct reach_second_lookup *second)
{
	const struct reach_destination *destination =
		reach_destination_of(engine, second->first.subject);

	return reach_request_is_current(&second->first) &&
	       destination->family == AF_INET && !second->whatever_the_policy &&
	       (second->state == REACH_SECOND_HAS_SOURCE ||
		second->state == REACH_SECOND_OTHER_LINKS);
}

/* Whether IPv4's policy must be dumped first, since it may make second lookups
 * unnecessary. */
static bool any_wants_policy(const struct reach_engine *engine)
{
	const struct reach_second_lookups *lookups = &engine->second_lookups;
	size_t i;

	if (engine->known[REACH_REQUEST_POLICY] >= REACH_RUNNING)
		return false;
	for (i = 0; i < lookups->count; i++)
		if (wants_policy(engine, &lookups->items[i]))
			return true;
	return false;
}

/* Whether to send the second lookup: not if the policy, which was unknown at
 * the first answer, turns out not to select by source. */
static bool is_due(const struct reach_engine *engine,
		   const struct reach_second_lookup *second)
{
	const uint8_t family = (uint8_t)second->source.family;

	if (second->state != REACH_SECOND_HAS_SOURCE)
		return false;
	if (!family)
		return second->strict_link != 0;
	return second->whatever_the_policy || second->by_legs ||
	       (family == AF_INET6 && !second->has_route) ||
	       !reach_policy_ignore_source(engine, family);
}

/* Writes what @second, at @position, needs next. @return the bytes written; 0
 * also if the first answer stands. */
static size_t write_next(struct reach_engine *engine, uint8_t *buffer,
			 uint32_t position)
{
	struct reach_second_lookup *second =
		&engine->second_lookups.items[position];
	size_t used;

	if (second->state == REACH_SECOND_OTHER_LINKS) {
		used = reach_change_over_write(engine, buffer, position);
		if (used)
			return used;
		if (reach_answers_end_change_over(engine, second))
			return 0;
	}
	if (!is_due(engine, second)) {
		reach_answers_stand(engine, second);
		second->state = REACH_SECOND_SENT;
		return 0;
	}
	second->state = REACH_SECOND_SENT;
	used = reach_lookup_write(
		engine, buffer, REACH_REQUEST_SECOND, second->first.subject,
		second->strict_link ? NULL : &second->source,
		second->strict_link ? second->strict_link : second->vrf);
	engine->batch.requests[engine->batch.count - 1].position = position;
	return used;
}

/* Writes the due second lookups as a batch of their own. If one can't be made,
 * the destination keeps the first answer. @return the bytes written, 0 for
 * none. */
static size_t write_second_lookups(struct reach_engine *engine, uint8_t *buffer)
{
	struct reach_second_lookups *lookups = &engine->second_lookups;
	size_t used = 0;
	uint32_t i;

	for (i = 0; i < lookups->count; i++) {
		const struct reach_second_lookup *second = &lookups->items[i];

		if (second->state != REACH_SECOND_SENT &&
		    engine->batch.outstanding + 2 <= REACH_BATCH &&
		    reach_request_is_current(&second->first))
			used += write_next(engine, buffer + used, i);
	}
	if (!used)
		lookups->count = lookups->handed = 0;
	return used;
}

/* ---- batches ------------------------------------------------------------- */

/* The next due dump, in the order of enum reach_request_kind; REACH_REQUEST_NONE
 * for none. */
static uint8_t next_dump(const struct reach_engine *engine)
{
	const uint8_t *first =
		memchr(&engine->known[REACH_REQUEST_LINKS], REACH_WANTED,
		       sizeof(engine->known) - REACH_REQUEST_LINKS);

	return first ? (uint8_t)(first - engine->known) : REACH_REQUEST_NONE;
}

static size_t write_dump(struct reach_engine *engine, void *buffer,
			 uint8_t kind)
{
	reach_dump_begin(engine, kind);
	return reach_request_dump(buffer, kind,
				  reach_batch_add(engine, kind, 0));
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

/* A batch has at most REACH_BATCH answers, which must fit the receive
 * buffer. */
static size_t write_batch(struct reach_engine *engine, uint8_t *buffer)
{
	uint32_t number = reach_list_first(&engine->destinations.table);
	size_t used = 0;

	reach_confirmation_prepare(engine, number);
	if (number && engine->dirty.barrier) {
		engine->dirty.barrier = false;
		engine->stats.barriers++;
		used = reach_request_barrier(
			buffer,
			reach_batch_add(engine, REACH_REQUEST_BARRIER, 0));
	}
	for (; number && engine->batch.outstanding + 2 <= REACH_BATCH;
	     number = reach_list_first(&engine->destinations.table)) {
		reach_list_remove(&engine->destinations.table, number);
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
	} while (!used && engine->dirty.marked.next);
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
		if (any_wants_policy(engine))
			return write_dump(engine, buffer, REACH_REQUEST_POLICY);
		used = write_second_lookups(engine, buffer);
		if (used)
			return used;
	}
	dump = next_dump(engine);
	if (dump)
		return write_dump(engine, buffer, dump);
	if (engine->oneshot) {
		used = reach_oneshot_write(engine, buffer);
		if (engine->oneshot->next < engine->oneshot->count)
			return used;
	}
	used += write_marked(engine, (uint8_t *)buffer + used);
	if (!used)
		reach_policy_idle(engine);
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
