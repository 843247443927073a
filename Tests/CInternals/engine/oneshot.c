/* SPDX-License-Identifier: MIT */
/* A check without a monitor takes no events. It repeats its readings until the
 * route and the link of its verdict were there at one moment. Also in gVisor,
 * which answers few kinds of requests. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/if.h>
#include <linux/if_arp.h>
#include <linux/rtnetlink.h>

#include "check.h"
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
	struct reach_engine *engine;
	const struct row *row;
	/* Plain lookups answered, one per pass. */
	unsigned int lookups;
	/* As gVisor from 2019 to 2024 (pkg/sentry/socket/netlink/route): no
	 * flags of a route request, no rules, and no source in an answer. A
	 * socket has one. */
	bool gvisor;
	unsigned int refusals;
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

static void answer(const struct world *world, const struct nlmsghdr *request,
		   struct nlmsghdr *header)
{
	header->nlmsg_seq = request->nlmsg_seq;
	if (request->nlmsg_flags & NLM_F_DUMP)
		header->nlmsg_flags |= NLM_F_MULTI;
	if (reach_engine_answers(world->engine, header, header->nlmsg_len))
		abort();
}

static void answer_link(const struct world *world,
			const struct nlmsghdr *request)
{
	const struct ifinfomsg *asked = mnl_nlmsg_get_payload(request);
	_Alignas(8) uint8_t buffer[256] = { 0 };
	struct nlmsghdr *header = mnl_nlmsg_put_header(buffer);
	struct ifinfomsg *body;
	char name[8];

	header->nlmsg_type = RTM_NEWLINK;
	body = mnl_nlmsg_put_extra_header(header, sizeof(*body));
	body->ifi_index = asked->ifi_index;
	body->ifi_type = ARPHRD_ETHER;
	body->ifi_flags = IFF_UP | IFF_BROADCAST;
	if ((uint32_t)asked->ifi_index == now(world)->up)
		body->ifi_flags |= IFF_RUNNING | IFF_LOWER_UP;
	snprintf(name, sizeof(name), "eth%d", asked->ifi_index & 0xff);
	mnl_attr_put_strz(header, IFLA_IFNAME, name);
	answer(world, request, header);
}

/* Both links have 10.0.0.2. */
static void answer_address(const struct world *world,
			   const struct nlmsghdr *request)
{
	static const uint8_t own[4] = { 10, 0, 0, 2 };
	const struct ifaddrmsg *asked = mnl_nlmsg_get_payload(request);
	_Alignas(8) uint8_t buffer[256] = { 0 };
	struct nlmsghdr *header = mnl_nlmsg_put_header(buffer);
	struct ifaddrmsg *body;

	header->nlmsg_type = RTM_NEWADDR;
	body = mnl_nlmsg_put_extra_header(header, sizeof(*body));
	body->ifa_family = AF_INET;
	body->ifa_prefixlen = 24;
	body->ifa_index = asked->ifa_index;
	mnl_attr_put(header, IFA_ADDRESS, sizeof(own), own);
	mnl_attr_put(header, IFA_LOCAL, sizeof(own), own);
	answer(world, request, header);
}

static void refuse(struct world *world, const struct nlmsghdr *request)
{
	_Alignas(8) uint8_t buffer[64] = { 0 };
	struct nlmsghdr *header = mnl_nlmsg_put_header(buffer);
	struct nlmsgerr *body =
		mnl_nlmsg_put_extra_header(header, sizeof(*body));

	header->nlmsg_type = NLMSG_ERROR;
	header->nlmsg_seq = request->nlmsg_seq;
	body->error = -EOPNOTSUPP;
	body->msg = *request;
	if (reach_engine_answers(world->engine, header, header->nlmsg_len))
		abort();
	world->refusals++;
}

/* A dump of the rules shows none that selects by source. */
static void answer_dump(struct world *world, const struct nlmsghdr *request)
{
	_Alignas(8) uint8_t buffer[32] = { 0 };
	struct nlmsghdr *header;

	if (world->gvisor && request->nlmsg_type == RTM_GETRULE) {
		refuse(world, request);
		return;
	}
	if (request->nlmsg_type == RTM_GETADDR)
		answer_address(world, request);
	header = mnl_nlmsg_put_header(buffer);
	header->nlmsg_type = NLMSG_DONE;
	mnl_nlmsg_put_extra_header(header, sizeof(int32_t));
	answer(world, request, header);
}

static void answer_route(struct world *world, const struct nlmsghdr *request)
{
	const struct pass *pass = now(world);
	const struct rtmsg *asked = mnl_nlmsg_get_payload(request);
	const uint8_t gateway[4] = { 10, 0, 0, pass->gateway };
	static const uint8_t source[4] = { 10, 0, 0, 2 };
	_Alignas(8) uint8_t buffer[256] = { 0 };
	struct nlmsghdr *header = mnl_nlmsg_put_header(buffer);
	struct rtmsg *body;

	if (world->gvisor && asked->rtm_flags) {
		refuse(world, request);
		return;
	}
	header->nlmsg_type = RTM_NEWROUTE;
	body = mnl_nlmsg_put_extra_header(header, sizeof(*body));
	body->rtm_family = AF_INET;
	body->rtm_dst_len = 32;
	body->rtm_table = RT_TABLE_MAIN;
	body->rtm_type = RTN_UNICAST;
	mnl_attr_put_u32(header, RTA_OIF, pass->output);
	if (!world->gvisor)
		mnl_attr_put(header, RTA_PREFSRC, sizeof(source), source);
	mnl_attr_put(header, RTA_GATEWAY, sizeof(gateway), gateway);
	answer(world, request, header);
	world->lookups += !(asked->rtm_flags & RTM_F_FIB_MATCH);
}

static void name_sources(const struct world *world)
{
	static const struct reach_address source = { .family = AF_INET,
						     .bytes = { 10, 0, 0, 2 } };
	struct reach_source_request request = { 0 };

	while (reach_engine_wants_source(world->engine, &request) == 1)
		reach_engine_set_source(world->engine, &source, 0);
}

/* Answers requests until the engine has none, as monitor/check.c does. */
static void run(struct world *world)
{
	static _Thread_local _Alignas(8) uint8_t buffer[REACH_REQUESTS_SIZE];
	size_t size, at;

	do {
		while (reach_engine_wants_evidence(world->engine))
			continue;
		name_sources(world);
		CHECK(!reach_engine_requests(world->engine, buffer,
					     sizeof(buffer), &size));
		for (at = 0; at < size;) {
			const struct nlmsghdr *request =
				(const void *)&buffer[at];

			at += (request->nlmsg_len + 3) & ~(size_t)3;
			if (request->nlmsg_flags & NLM_F_DUMP)
				answer_dump(world, request);
			else if (request->nlmsg_type == RTM_GETLINK)
				answer_link(world, request);
			else
				answer_route(world, request);
		}
	} while (size > 0);
}

static void the_verdict_is_of_one_moment(const struct row *row, bool gvisor)
{
	const struct pass *last = &row->passes[row->count - 1];
	struct world world = { .row = row, .gvisor = gvisor };
	struct reach_state state = { .size = sizeof(state) };
	struct reach_target target =
		check_target(REACH_TARGET_ADDRESS, "192.0.2.1");
	uint64_t id = 0;

	if (!CHECK(!reach_engine_create_oneshot(&world.engine)))
		return;
	CHECK(!reach_engine_add(world.engine, &target, &id));
	run(&world);
	CHECK(reach_oneshot_is_complete(world.engine));
	/* Unknown rules may select by source, so gVisor has two per pass. */
	if (!CHECK(world.lookups == row->count || gvisor))
		fprintf(stderr, "%s: %u passes\n", row->what, world.lookups);
	CHECK(!reach_engine_state(world.engine, id, &state));
	CHECK(state.flags == REACH_FLAG_REACHABLE);
	CHECK(state.interface_index == last->output);
	CHECK(state.source.bytes[3] == 2);
	CHECK(!world.refusals == !gvisor);
	CHECK(state.gateway.bytes[3] == last->gateway);
	reach_engine_destroy(world.engine);
}

/* The first pass, before the link is read, asks for no further probes. */
static void three_probes_suffice(void)
{
	struct world world = { .row = &rows[0] };
	struct reach_state state = { .size = sizeof(state) };
	struct reach_target target = check_target(REACH_TARGET_INTERNET, NULL);
	uint64_t id = 0;

	if (!CHECK(!reach_engine_create_oneshot(&world.engine)))
		return;
	CHECK(!reach_engine_add(world.engine, &target, &id));
	run(&world);
	CHECK(reach_oneshot_is_complete(world.engine));
	CHECK(world.lookups == 2 * 3);
	CHECK(!reach_engine_state(world.engine, id, &state));
	CHECK(state.flags == REACH_FLAG_REACHABLE);
	reach_engine_destroy(world.engine);
}

void test_oneshot(void)
{
	three_probes_suffice();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (int gvisor = 0; gvisor < 2; gvisor++)
			the_verdict_is_of_one_moment(&rows[i], gvisor);
}
