/* SPDX-License-Identifier: MIT */
/* A check without a monitor takes no events. It repeats its readings until the
 * route and the link of its verdict were there at one moment. Also in gVisor,
 * which answers few kinds of requests. */
#include <stdio.h>

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>

#include "bytes.h"
#include "engine/engine.h"

#define PASSES_MAX 8

/* What a pass reads: first the links, of which @up is up and the others aren't,
 * then the route. */
struct pass {
	uint32_t up;
	uint32_t output;
	uint8_t gateway;
};

struct row {
	const char *what;
	/* The last one is also that of all later passes. */
	struct pass passes[PASSES_MAX];
	/* The passes until the verdict belongs to one moment. */
	unsigned int count;
};

struct world {
	struct bytes bytes;
	const struct row *row;
	/* Plain lookups answered, one per pass. */
	unsigned int lookups;
};

static const struct row rows[] = {
	/* The first pass finds the link to read, the second reads it. */
	{ "nothing changes", { { 2, 2, 1 }, { 2, 2, 1 } }, 2 },
	/* The first reading of the new route is after that of the link. */
	{ "the gateway changes", { { 2, 2, 1 }, { 2, 2, 9 }, { 2, 2, 9 } }, 3 },
	/* Both links have been read twice and are the same when the route moves
	 * from one to the other, and with it the connection. */
	{ "the route moves to a link that was down",
	  { { 3, 3, 1 },
	    { 2, 2, 1 },
	    { 2, 2, 1 },
	    { 2, 3, 1 },
	    { 3, 3, 1 },
	    { 3, 3, 1 } },
	  6 },
};

static const struct pass *now(const struct world *world)
{
	const unsigned int last = world->row->count - 1;

	return &world->row
			->passes[world->lookups < last ? world->lookups : last];
}

static int look_up(struct bytes *bytes, const struct nlmsghdr *request,
		   struct nlmsghdr *ret)
{
	struct world *world = bytes->context;
	const struct pass *pass = now(world);
	struct rtmsg *body = mnl_nlmsg_get_payload(ret);
	char gateway[16];

	body->rtm_dst_len = 32;
	mnl_attr_put_u32(ret, RTA_OIF, pass->output);
	/* gVisor names no source. A socket has one. */
	if (!bytes->gvisor)
		bytes_put_source(ret);
	snprintf(gateway, sizeof(gateway), "10.0.0.%u", pass->gateway);
	bytes_put_address(ret, RTA_GATEWAY, gateway);
	world->lookups += !bytes_wants_match(request);
	bytes->up = now(world)->up;
	return 0;
}

static void name_source(struct bytes *bytes,
			const struct reach_source_request *request)
{
	const struct reach_address source = check_address("10.0.0.2");

	(void)request;
	reach_engine_set_source(bytes->engine, &source, 0);
}

/* Answers requests until the engine has none, as monitor/check.c does. Returns the
 * state. */
static struct reach_state run(struct world *world,
			      const struct reach_target *target)
{
	struct bytes *bytes = &world->bytes;
	struct reach_state state;
	uint64_t id;

	bytes->look_up = look_up;
	bytes->name_source = name_source;
	bytes->context = world;
	bytes->up = now(world)->up;
	CHECK(!reach_engine_create_oneshot(&bytes->engine));
	id = bytes_add(bytes, target);
	bytes_answer(bytes);
	CHECK(reach_oneshot_is_complete(bytes->engine));
	state = bytes_state(bytes, id);
	bytes_close(bytes);
	return state;
}

static void the_verdict_is_of_one_moment(const struct row *row, bool gvisor)
{
	const struct pass *last = &row->passes[row->count - 1];
	struct world world = { .row = row, .bytes.gvisor = gvisor };
	const struct reach_target target =
		check_target(REACH_TARGET_ADDRESS, "192.0.2.1");
	const struct reach_state state = run(&world, &target);

	/* Unknown rules may select by source, so gVisor has two per pass. */
	if (!CHECK(world.lookups == row->count || gvisor))
		fprintf(stderr, "%s: %u passes\n", row->what, world.lookups);
	CHECK(state.flags == REACH_FLAG_REACHABLE);
	CHECK(state.interface_index == last->output);
	CHECK(state.source.bytes[3] == 2);
	CHECK(!world.bytes.refusals == !gvisor);
	CHECK(state.gateway.bytes[3] == last->gateway);
}

/* The first pass, before the link is read, asks for no further probes. */
static void three_probes_suffice(void)
{
	struct world world = { .row = &rows[0] };
	const struct reach_target target =
		check_target(REACH_TARGET_INTERNET, NULL);

	CHECK(run(&world, &target).flags == REACH_FLAG_REACHABLE);
	CHECK(world.lookups == 2 * 3);
}

void test_oneshot(void)
{
	three_probes_suffice();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (int gvisor = 0; gvisor < 2; gvisor++)
			the_verdict_is_of_one_moment(&rows[i], gvisor);
}
