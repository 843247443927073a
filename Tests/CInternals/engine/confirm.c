/* SPDX-License-Identifier: MIT */
/* The kernel announces changes before it makes them, and the barrier doesn't
 * help: a lookup after the event still gets the old answer. */
#include <errno.h>
#include <sys/socket.h>

#include <linux/rtnetlink.h>

#include "bytes.h"

#define START (10 * BYTES_SECOND)

/* The second look at the answers comes at most this long after an event. */
#define LOOK_MAX (2 * BYTES_SECOND)
#define SOON	 (BYTES_SECOND / 2)

/* The routes that the kernel has at the moment. */
static struct bytes_way ways[3];

static void open_kernel(struct bytes *bytes)
{
	*bytes = (struct bytes){ .look_up = bytes_way, .context = ways };
	ways[0] = (struct bytes_way){ .gateway = "10.0.0.1" };
	ways[1] = (struct bytes_way){ 0 };
	ways[2] = (struct bytes_way){ .length = 16 };
	bytes_open(bytes, START);
}

/* The same with the target 192.0.2.1, and at rest. */
static uint64_t begin(struct bytes *bytes)
{
	uint64_t id;

	open_kernel(bytes);
	id = bytes_watch(bytes, "192.0.2.1", 0);
	CHECK(bytes_settle(bytes) == 1);
	bytes_idle(bytes);
	return id;
}

static void tell_clock(struct bytes *bytes, int64_t since_start)
{
	reach_engine_clock(bytes->engine, START + since_start);
}

static int64_t deadline(const struct bytes *bytes)
{
	return reach_engine_deadline(bytes->engine);
}

static uint64_t corrections(const struct bytes *bytes)
{
	return bytes_stats(bytes).corrections;
}

/* Advances the clock to the engine's deadline. */
static size_t look(struct bytes *bytes)
{
	reach_engine_clock(bytes->engine, deadline(bytes));
	return bytes_settle(bytes);
}

static void a_stale_answer_is_corrected(void)
{
	SCOPED_BYTES bytes;
	uint64_t id = begin(&bytes);

	/* No event, so no second look; nor if the link was up already. */
	CHECK(deadline(&bytes) == INT64_MAX);
	bytes_tell_link(&bytes, 2, true);
	CHECK(bytes_settle(&bytes) == 0);
	CHECK(deadline(&bytes) == INT64_MAX);
	/* A second address: when it is deleted, the first is still a source. */
	bytes_tell_address(&bytes, RTM_NEWADDR, "10.0.0.3");
	bytes_settle(&bytes);
	CHECK(look(&bytes) == 0);
	CHECK(deadline(&bytes) == INT64_MAX);
	bytes_tell_address(&bytes, RTM_DELADDR, "10.0.0.3");
	/* Two barriers for the events, and one for the first dumps. */
	CHECK(bytes_settle(&bytes) == 0 && bytes.barriers == 3);
	CHECK(deadline(&bytes) > START);
	CHECK(deadline(&bytes) <= START + LOOK_MAX);
	/* The kernel removes the route without an event. */
	ways[0].error = ENETUNREACH;
	CHECK(look(&bytes) == 1);
	CHECK(bytes_state(&bytes, id).reason == REACH_REASON_NO_ROUTE);
	CHECK(corrections(&bytes) == 1);
	CHECK(deadline(&bytes) == INT64_MAX);
}

/* Continuous events postpone the second look, but only up to LOOK_MAX. A burst
 * of events causes one second look, SOON after the last of them at most. */
static void a_storm_puts_it_off_for_a_while(void)
{
	const int64_t step = BYTES_SECOND / 10;
	SCOPED_BYTES bytes;
	int i;

	begin(&bytes);
	for (i = 0; i < 40; i++) {
		tell_clock(&bytes, i * step);
		bytes_tell_link(&bytes, 2, i % 2);
		bytes_settle(&bytes);
		CHECK(deadline(&bytes) > START + i * step);
		CHECK(deadline(&bytes) <=
		      START + (i / 20 + 1) * LOOK_MAX + step);
		CHECK(deadline(&bytes) <= START + i * step + SOON);
	}
	/* The looks after the first events and after the last. */
	CHECK(look(&bytes) == 0 && look(&bytes) == 0);
	CHECK(deadline(&bytes) == INT64_MAX);
	CHECK(corrections(&bytes) == 0);
}

#define MANY 1000

/* 10.0.x.y or 10.1.x.y. */
static void watch_many(struct bytes *bytes)
{
	static const char *const networks[] = { "10.0.0.", "10.1.0.", "10.0.1.",
						"10.1.1." };

	for (size_t i = 0; i < 4; i++)
		bytes_watch_many(bytes, networks[i], MANY / 4, NULL);
}

/* The second look repeats only the lookups that the event caused. Targets that
 * must share a route share one lookup. */
static void the_look_costs_what_the_event_did(void)
{
	SCOPED_BYTES bytes;
	uint64_t id;

	open_kernel(&bytes);
	watch_many(&bytes);
	id = bytes_watch(&bytes, "10.200.0.1", 0);
	CHECK(bytes_settle(&bytes) == MANY + 1);
	bytes_idle(&bytes);
	bytes.more = true;
	bytes_tell_more(&bytes, RTM_NEWROUTE);
	CHECK(bytes_settle(&bytes) == MANY / 2);
	CHECK(deadline(&bytes) == INT64_MAX);
	bytes_tell_more(&bytes, RTM_DELROUTE);
	bytes.lookups = 0;
	CHECK(bytes_settle(&bytes) == 0);
	CHECK(bytes.lookups <= 4);
	bytes.more = false;
	bytes.lookups = 0;
	CHECK(look(&bytes) == MANY / 2 && bytes.lookups <= 4);
	CHECK(corrections(&bytes) == MANY / 2);
	/* One lookup of the match and one of the source stand for all. */
	bytes_tell_route(&bytes, RTM_DELROUTE, AF_INET);
	bytes.lookups = 0;
	CHECK(bytes_settle(&bytes) == 0 && bytes.lookups <= 4);
	ways[0].error = ENETUNREACH;
	bytes.lookups = 0;
	CHECK(look(&bytes) == MANY + 1 && bytes.lookups <= 2);
	CHECK(corrections(&bytes) == MANY / 2 + MANY + 1);
	CHECK(bytes_state(&bytes, id).flags == 0);
	CHECK(deadline(&bytes) == INT64_MAX);
}

void test_confirmation(void)
{
	a_stale_answer_is_corrected();
	a_storm_puts_it_off_for_a_while();
	the_look_costs_what_the_event_did();
}
