/* SPDX-License-Identifier: MIT */
/*
 * The confirming look.
 *
 * The kernel announces a removal, or what becomes of a link or an address,
 * before it has carried it out, so that an answer may be older than an event
 * that was taken before the question. A barrier (requests.c) makes questions
 * wait for that. But which requests wait for RTNL changes with the kernel:
 * requests lose it release by release (RTNL_FLAG_DOIT_UNLOCKED,
 * net/core/rtnetlink.c). So an answer to a question that was put within DELAY
 * of such an event is doubted, and at the end of that time who has one is asked
 * once more. Where the barrier works that changes nothing; what it changes
 * though nothing else happened is counted.
 *
 * The doubted are known without a list: while the look is to come, whoever gets
 * an answer is put in front of the others on its path, with
 * REACH_BIT_UNCONFIRMED set. No entry has it at other times. Where it is more
 * than a few of those who had the path before they stay where they are, since a
 * list in the order of memory is walked several times as fast, and the whole
 * list is looked at.
 */
#include "engine/state/confirmation.h"

#include <string.h>

#include "base/clock.h"
#include "engine/state/state.h"

/* In nanoseconds. To take a link down that has 30,000 routes holds RTNL for up
 * to 64 ms, and one with 1,200,000 for 1.2 s, where the lookup knows of it
 * early on (fib_sync_down_dev comes before fib_flush,
 * net/ipv4/fib_frontend.c). */
#define DELAY INT64_C(500000000)

/* After the first of events that never pause. */
#define DELAY_MAX INT64_C(2000000000)

void reach_confirmation_announce(struct reach_engine *engine)
{
	reach_barrier_later(engine);
	engine->confirmation.announced = true;
}

void reach_confirmation_prepare(struct reach_engine *engine, bool asks)
{
	struct reach_confirmation *confirmation = &engine->confirmation;

	/* The clock was told after the events. */
	if (confirmation->announced)
		confirmation->until = reach_after(engine->clock.now, DELAY);
	confirmation->announced = false;
	if (!asks) {
		confirmation->looking = confirmation->looking &&
					engine->batch.winding_up;
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

void reach_confirmation_explain(struct reach_engine *engine)
{
	engine->confirmation.looking = false;
	engine->confirmation.corrections = 0;
}

/* Whether the two tell of different routes. What is the same route may be told
 * in another form (REACH_PATH_SHARED), and for another time. */
static bool is_other_route(const struct reach_path_key *a,
			   const struct reach_path_key *b)
{
	if (a->error != b->error || a->type != b->type ||
	    a->output != b->output)
		return true;
	if (a->bits != b->bits)
		return false;
	return a->gateway_family != b->gateway_family ||
	       a->source_family != b->source_family ||
	       memcmp(a->source, b->source, sizeof(a->source)) != 0;
}

void reach_confirmation_answered(struct reach_engine *engine,
				 const struct reach_path_key *before,
				 const struct reach_path_key *after,
				 uint32_t count)
{
	/* Nobody tells of the end of a route, nor of its return. */
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
