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

bool reach_request_is_current(const struct reach_engine *engine,
			      const struct reach_request *request)
{
	/* A path is freed with its last entry, an entry with its target. */
	if (request->kind == REACH_REQUEST_SOURCE) {
		const struct reach_path *path =
			reach_path_at(engine, request->subject);

		return path->record.references &&
		       path->record.serial == request->serial;
	}
	return reach_entry_at(&engine->entries, request->subject)->generation ==
	       request->serial;
}

void reach_batch_begin(struct reach_engine *engine)
{
	/* Late answers to the old batch are outside of the new range. */
	engine->batch.sequence += 2 * (uint32_t)engine->batch.count;
	engine->batch.count = 0;
	engine->batch.outstanding = 0;
}
