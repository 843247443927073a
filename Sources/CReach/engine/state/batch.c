/* SPDX-License-Identifier: MIT */
#include "engine/state/state.h"

uint32_t reach_batch_add(struct reach_engine *engine, uint8_t kind,
			 uint32_t subject)
{
	struct reach_batch *batch = &engine->batch;
	const bool is_lookup = reach_request_is_lookup(kind);
	struct reach_request *request = &batch->requests[batch->count];

	request->kind = kind;
	request->subject = subject;
	request->missing = is_lookup ? (1 << REACH_REPLIES) - 1 : 0;
	batch->outstanding += is_lookup ? REACH_REPLIES : 1;
	return batch->sequence + REACH_REPLIES * (uint32_t)batch->count++;
}

void reach_requests_cancel(struct reach_engine *engine, uint32_t number)
{
	size_t i;

	for (i = 0; i < engine->batch.count; i++) {
		struct reach_request *request = &engine->batch.requests[i];

		if (request->subject == number &&
		    reach_request_is_lookup(request->kind))
			request->subject = 0;
	}
	for (i = 0; i < engine->second_lookups.count; i++)
		if (engine->second_lookups.items[i].first.subject == number)
			engine->second_lookups.items[i].first.subject = 0;
}

void reach_batch_begin(struct reach_engine *engine)
{
	/* Late answers to the old batch are outside of the new range. */
	engine->batch.sequence += REACH_REPLIES * (uint32_t)engine->batch.count;
	engine->batch.count = 0;
	engine->batch.outstanding = 0;
}
