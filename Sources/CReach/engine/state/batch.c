/* SPDX-License-Identifier: MIT */
#include "engine/state/state.h"

uint32_t reach_batch_sequence(const struct reach_engine *engine,
			      enum reach_reply_use use)
{
	return engine->batch.sequence + 2 * (uint32_t)engine->batch.count +
	       (uint32_t)use;
}

struct reach_request *reach_batch_ask(struct reach_engine *engine, uint8_t kind)
{
	struct reach_request *request =
		&engine->batch.requests[engine->batch.count++];

	request->kind = kind;
	request->missing = 0;
	engine->batch.outstanding++;
	return request;
}

uint32_t reach_lookups_add(struct reach_engine *engine, uint8_t kind,
			   uint32_t subject)
{
	const uint32_t sequence =
		reach_batch_sequence(engine, REACH_REPLY_MATCH);

	reach_batch_ask(engine, kind)->subject = subject;
	return sequence;
}

void reach_requests_cancel(struct reach_engine *engine, uint32_t number)
{
	size_t i;

	for (i = 0; i < engine->batch.count; i++) {
		struct reach_request *request = &engine->batch.requests[i];

		if (request->subject == number &&
		    request->kind >= REACH_REQUEST_LOOKUP &&
		    request->kind <= REACH_REQUEST_OTHER_LINK)
			request->subject = 0;
	}
	for (i = 0; i < engine->second_lookups.count; i++)
		if (engine->second_lookups.items[i].first.subject == number)
			engine->second_lookups.items[i].first.subject = 0;
}

void reach_batch_begin(struct reach_engine *engine)
{
	/* Late answers to the old batch are outside of the new range. */
	engine->batch.sequence += 2 * (uint32_t)engine->batch.count;
	engine->batch.count = 0;
	engine->batch.outstanding = 0;
}
