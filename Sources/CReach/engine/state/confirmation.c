/* SPDX-License-Identifier: MIT */
/*
 * When the confirming lookup is due, and its corrections.
 *
 * The kernel announces the removal of a route, and a change of a link or an
 * address, before it carries it out. A lookup sent after the event was received
 * may therefore still return the old route. A barrier, a request that waits for
 * RTNL (query/requests.c), makes the lookups wait as well. But each kernel
 * release answers more requests without RTNL (RTNL_FLAG_DOIT_UNLOCKED,
 * net/core/rtnetlink.c), so today's barrier may not be one in a later kernel.
 *
 * Answers to lookups sent within DELAY of such an event are therefore
 * unconfirmed, and all destinations with their paths are looked up once more when
 * DELAY is over (invalidate/confirm.c).
 * If the barrier works, nothing changes. A change without another cause is
 * counted in reach_stats.corrections.
 */
#include "engine/state/state.h"

#include <string.h>

#include "base/base.h"

/* Nanoseconds from an announcement to its confirming lookup. Bounds how long
 * the kernel may hold RTNL for one change. A link with 30,000 routes that goes
 * down holds it for up to 64 ms. 1,200,000 routes take 1.2 s, but lookups
 * return the new answer early in that time (fib_sync_down_dev precedes
 * fib_flush, net/ipv4/fib_frontend.c). */
#define DELAY INT64_C(500000000)

/* Nanoseconds from the first announcement to the confirming lookup while events
 * never pause for DELAY. */
#define DELAY_MAX INT64_C(2000000000)

void reach_confirmation_announce(struct reach_engine *engine)
{
	reach_barrier_later(engine);
	engine->confirmation.announced = true;
}

void reach_confirmation_prepare(struct reach_engine *engine, bool asks)
{
	struct reach_confirmation *confirmation = &engine->confirmation;

	/* The clock was set after the events were received, so `now` is no
	 * earlier than any of them. */
	if (confirmation->announced)
		confirmation->until = reach_after(engine->clock.now, DELAY);
	confirmation->announced = false;
	/* Nothing left to look up: the confirming lookup is complete. */
	if (!asks) {
		confirmation->looking = false;
		return;
	}
	if (engine->clock.now >= confirmation->until)
		return;
	if (confirmation->look == INT64_MAX)
		confirmation->latest =
			reach_after(engine->clock.now, DELAY_MAX);
	confirmation->look = confirmation->until < confirmation->latest
				     ? confirmation->until
				     : confirmation->latest;
}

void reach_confirmation_disregard(struct reach_engine *engine)
{
	engine->confirmation.looking = false;
	engine->confirmation.corrections = 0;
}

/* Whether the two answers are different routes. One route may have two keys: a
 * match answer (REACH_PATH_GROUP) and a plain one have different gateways and
 * sources, and the deadline moves with each answer. */
static bool is_other_route(const struct reach_path_key *a,
			   const struct reach_path_key *b)
{
	if (a->error != b->error || a->type != b->type ||
	    a->output != b->output)
		return true;
	if (a->bits != b->bits)
		return false;
	return a->gateway.family != b->gateway.family ||
	       memcmp(&a->source, &b->source, sizeof(a->source)) != 0;
}

void reach_confirmation_answered(struct reach_engine *engine,
				 const struct reach_path_key *before,
				 const struct reach_path_key *after,
				 uint32_t count)
{
	/* A route expires and revives without an event. */
	if (engine->confirmation.looking &&
	    !(before->bits & (REACH_PATH_EXPIRING | REACH_PATH_EXPIRED)) &&
	    is_other_route(before, after))
		engine->confirmation.corrections += count;
}

void reach_confirmation_count(struct reach_engine *engine)
{
	engine->stats.corrections += engine->confirmation.corrections;
	engine->confirmation.corrections = 0;
}
