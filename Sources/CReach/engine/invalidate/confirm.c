/* SPDX-License-Identifier: MIT */
/* The confirming lookup of unconfirmed answers. state/confirmation.c explains
 * when an answer is unconfirmed, and why. */
#include "engine/invalidate/invalidate.h"

#include "engine/state/state.h"
#include "engine/verdict/verdict.h"

/* Whether no lookup is outstanding or due. */
static bool is_quiet(const struct reach_engine *engine)
{
	return !engine->batch.outstanding && !engine->dirty.families[0] &&
	       !engine->dirty.families[1] && !engine->dirty.recompute &&
	       !engine->dirty.groups && !engine->dirty.aggregates &&
	       !reach_list_first(&engine->destinations.table);
}

void reach_confirm_due(struct reach_engine *engine)
{
	struct reach_confirmation *confirmation = &engine->confirmation;
	uint32_t i;

	confirmation->look = INT64_MAX;
	/* A different answer counts as a correction only if no other lookup was
	 * due that may explain it. */
	confirmation->looking = is_quiet(engine);
	for (i = 0; (i = reach_pool_next(&engine->paths, i));) {
		struct reach_path *path = reach_path_at(engine, i);

		if (path->unconfirmed)
			reach_mark_path(engine, i);
		path->unconfirmed = false;
	}
}
