/* SPDX-License-Identifier: MIT */
#include "engine/verdict/verdict.h"

#include <errno.h>
#include <string.h>

#include "engine/state/state.h"

uint32_t reach_path_hold(struct reach_engine *engine,
			 const struct reach_path_key *key)
{
	bool created;
	const uint32_t path = reach_pool_hold(&engine->paths, key, &created);

	if (path && created) {
		reach_path_compute(engine, reach_path_at(engine, path));
		engine->uncertain |= reach_path_is_uncertain(engine, key);
		if (key->deadline < engine->clock.deadline)
			engine->clock.deadline = key->deadline;
	}
	return path;
}

void reach_path_detach(struct reach_engine *engine, uint32_t number)
{
	struct reach_destination *destination =
		reach_destination_of(engine, number);
	const uint32_t next = destination->path_next;
	const uint32_t previous = destination->path_previous;
	struct reach_path *path;

	if (!destination->path)
		return;
	path = reach_path_at(engine, destination->path);
	if (path->witness == number) {
		path->waits = false;
		reach_mark_group(engine, destination->path);
	}
	if (next)
		reach_destination_of(engine, next)->path_previous = previous;
	if (previous)
		reach_destination_of(engine, previous)->path_next = next;
	else
		path->first = next;
	reach_pool_release(&engine->paths, destination->path);
	destination->path = 0;
}

void reach_path_link(struct reach_engine *engine, uint32_t number,
		     uint32_t path_number)
{
	struct reach_destination *destination =
		reach_destination_of(engine, number);
	struct reach_path *path = reach_path_at(engine, path_number);

	reach_path_detach(engine, number);
	engine->path_changes++;
	destination->path = path_number;
	destination->path_next = path->first;
	destination->path_previous = 0;
	if (path->first)
		reach_destination_of(engine, path->first)->path_previous =
			number;
	path->first = number;
}

int reach_path_attach(struct reach_engine *engine, uint32_t number,
		      const struct reach_path_key *key)
{
	const struct reach_destination *destination =
		reach_destination_of(engine, number);
	const uint32_t old = destination->path;
	uint32_t path = old;

	if (!old ||
	    memcmp(&reach_path_at(engine, old)->key, key, sizeof(*key)) != 0) {
		/* Held before the old path is released: a failure changes
		 * nothing. */
		path = reach_path_hold(engine, key);
		if (!path)
			return -ENOMEM;
		if (old)
			reach_confirmation_answered(
				engine, &reach_path_at(engine, old)->key, key,
				1);
		reach_path_link(engine, number, path);
	}
	reach_path_at(engine, path)->unconfirmed |= reach_unconfirmed(engine);
	/* It can be the witness now, if no other could. */
	engine->dirty.groups += reach_path_at(engine, path)->waits;
	return 0;
}
