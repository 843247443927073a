/* SPDX-License-Identifier: MIT */
/*
 * Rechecks of answers that the kernel changes without an event that the monitor
 * receives: those over a link without carrier, or instead of one
 * (query/change_over.c).
 *
 * The prediction names one successor, but the kernel may take another one, and
 * it keeps that when the cable is plugged in again until a probe of the old
 * gateway succeeds (rt6_probe(), net/ipv6/route.c, every 60 seconds). So these
 * answers are looked up again, after 1 second, then after 2, and so on up to 16.
 * RTNLGRP_NEIGH would announce the changes, among all others of the neighbors.
 *
 * A host with two uplinks and one cable, pulled for a day, wakes up 5,400 times
 * for it; without the rechecks it may report the wrong interface all day.
 */
#include "engine/invalidate/invalidate.h"

#include "base/base.h"
#include "engine/state/state.h"
#include "engine/verdict/verdict.h"

/* Rechecks after the return of the carrier: 111 seconds. */
#define RETURNS 11

void reach_recheck_returned(struct reach_engine *engine)
{
	engine->recheck.at = 0;
	engine->recheck.interval = 0;
	engine->recheck.returns = RETURNS;
}

/* Marks the paths that may change. @return whether there are any. */
static bool mark_uncertain(struct reach_engine *engine)
{
	bool any = false;
	uint32_t i;

	for (i = 0; (i = reach_pool_next(&engine->paths, i));) {
		if (!reach_path_is_uncertain(engine,
					     &reach_path_at(engine, i)->key))
			continue;
		reach_mark_path(engine, i);
		any = true;
	}
	return any;
}

void reach_recheck_due(struct reach_engine *engine)
{
	struct reach_recheck *recheck = &engine->recheck;
	bool any = true;

	reach_confirmation_disregard(engine);
	if (recheck->returns) {
		recheck->returns--;
		reach_mark_all(engine);
	} else {
		any = mark_uncertain(engine);
	}
	recheck->interval *= 2;
	if (recheck->interval < REACH_RECHECK_FIRST)
		recheck->interval = REACH_RECHECK_FIRST;
	if (recheck->interval > REACH_RECHECK_LAST)
		recheck->interval = REACH_RECHECK_LAST;
	recheck->at = any ? reach_after(engine->clock.now, recheck->interval)
			  : INT64_MAX;
}
