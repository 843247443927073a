/* SPDX-License-Identifier: MIT */
#include "engine/state/state.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/rtnetlink.h>

static struct reach_segment *segment_at(const struct reach_engine *engine,
					uint32_t number)
{
	return reach_pool_at(&engine->segments.pool, number);
}

bool reach_segments_any(const struct reach_engine *engine)
{
	return engine->segments.pool.count;
}

uint32_t reach_segments_number(struct reach_engine *engine,
			       const struct reach_address *address,
			       uint32_t mark)
{
	struct reach_pool *pool = &engine->segments.pool;
	struct reach_segment_key key = { .mark = mark };
	bool created;

	pool->record_size = sizeof(struct reach_segment);
	pool->key_size = sizeof(struct reach_segment_key);
	memcpy(key.bytes, address->bytes, sizeof(key.bytes));
	/* The event filter knows only the destinations, so it may have dropped
	 * the deletion of a route to this segment. */
	if (!reach_segments_any(engine)) {
		engine->segments.generation = 1;
		reach_barrier_later(engine);
	}
	return reach_pool_hold(pool, &key, &created);
}

void reach_segments_want(struct reach_engine *engine, uint32_t number)
{
	struct reach_segment *segment = segment_at(engine, number);

	engine->segments.queued += !segment->is_queued;
	segment->is_queued = true;
}

/* The entry's route leads to a segment without a route. */
static void set_error(struct reach_path_key *key, uint16_t error)
{
	*key = (struct reach_path_key){
		.deadline = INT64_MAX,
		.selectors = key->selectors,
		.error = error,
		.family = key->family,
		.destination_scope = key->destination_scope,
		.bits = key->bits & REACH_PATH_MULTICAST,
	};
}

bool reach_segments_apply(struct reach_engine *engine, uint32_t number,
			  struct reach_path_key *key)
{
	const struct reach_segment *segment;

	if (!number || reach_path_error(key))
		return true;
	segment = segment_at(engine, number);
	if (segment->generation != engine->segments.generation) {
		reach_segments_want(engine, number);
		return false;
	}
	if (segment->error) {
		set_error(key, segment->error);
	} else if (segment->type != RTN_LOCAL) {
		key->output = segment->output;
		key->gateway_family = (uint8_t)segment->gateway.family;
		memcpy(key->gateway, segment->gateway.bytes,
		       sizeof(key->gateway));
	}
	if (segment->deadline < key->deadline)
		key->deadline = segment->deadline;
	key->by_segment = true;
	/* Routes other than those to the entry change the answer, too. */
	key->length = REACH_LENGTH_UNKNOWN;
	return true;
}

const struct reach_segment_key *
reach_segments_key(const struct reach_engine *engine, uint32_t number)
{
	return &segment_at(engine, number)->key;
}

const struct reach_address *
reach_segments_source(const struct reach_engine *engine, uint32_t number)
{
	const struct reach_segment *segment = segment_at(engine, number);

	return segment->source_generation == engine->segments.generation &&
			       segment->source.family
		       ? &segment->source
		       : NULL;
}

uint32_t reach_segments_hand(struct reach_engine *engine)
{
	const uint32_t generation = engine->segments.generation;
	uint32_t i;

	for (i = 1; engine->segments.queued && i < engine->segments.pool.used;
	     i++) {
		struct reach_segment *segment = segment_at(engine, i);

		if (!segment->is_queued ||
		    segment->source_generation == generation)
			continue;
		segment->source_generation = generation;
		segment->source.family = 0;
		segment->is_source_pending = true;
		return i;
	}
	return 0;
}

int reach_segments_set_source(struct reach_engine *engine, uint32_t number,
			      const struct reach_address *source,
			      uint16_t error)
{
	struct reach_segments *segments = &engine->segments;
	struct reach_segment *segment;

	if (number >= segments->pool.used)
		return -ENOENT;
	segment = segment_at(engine, number);
	if (!segment->is_queued || !segment->is_source_pending ||
	    segment->source_generation != segments->generation)
		return -ENOENT;
	segment->is_source_pending = false;
	if (source) {
		segment->source = *source;
	} else if (error) {
		segment->is_queued = false;
		segments->queued--;
		segment->generation = segments->generation;
		segment->error = error;
	}
	return 0;
}

uint32_t reach_segments_next_lookup(struct reach_engine *engine)
{
	struct reach_segments *segments = &engine->segments;
	uint32_t i;

	for (i = 1; segments->queued && i < segments->pool.used; i++) {
		struct reach_segment *segment = segment_at(engine, i);

		if (!segment->is_queued)
			continue;
		segment->is_queued = false;
		segments->queued--;
		return i;
	}
	return 0;
}

void reach_segments_take(struct reach_engine *engine,
			 const struct reach_request *request,
			 const struct reach_reply *reply)
{
	struct reach_segment *segment = segment_at(engine, request->subject);
	const struct reach_path_key answer = { .error = reply->error,
					       .type = reply->type };

	segment->generation = request->serial;
	segment->error = (uint16_t)reach_path_error(&answer);
	segment->type = reply->type;
	segment->output = reply->output;
	segment->gateway = reply->gateway;
	segment->deadline = reply->deadline;
}

void reach_segments_forget(struct reach_engine *engine)
{
	engine->segments.generation++;
}

void reach_segments_free(struct reach_engine *engine)
{
	reach_pool_free(&engine->segments.pool);
}
