/* SPDX-License-Identifier: MIT */
/* One lookup for all targets that match one route: their witness is looked up,
 * and its answer holds for all only where it must. What it says may come from a
 * route that covers the witness alone, whose event is still to come. */
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>

#include "bytes.h"

/* So many that the engine knows the rules. */
#define HALF 60

/* The kernel's routes besides 10.0.0.0/24. */
struct table {
	bool has_default;
	/* 10.1.0.0/16. */
	bool has_more;
	/* The next target that is looked up gets a route of its own: of type
	 * unreachable, or with the source 10.0.0.3. */
	bool traps;
	bool with_source;
	/* The routes have nexthop objects. */
	bool legs;
	/* The last byte of that target's address in 10.2.0.0/24, or 0. */
	uint8_t trapped;
};

/* Whether the target has the route of its own. That comes after the first match,
 * if it has a source. */
static bool is_trapped(struct table *table, uint8_t last, bool match)
{
	if (table->traps && match != table->with_source) {
		table->traps = false;
		table->trapped = last;
	}
	return table->trapped && table->trapped == last;
}

static int look_up(struct bytes *bytes, const struct nlmsghdr *request,
		   struct nlmsghdr *ret)
{
	const uint8_t *destination = bytes_attribute(request, RTA_DST);
	struct table *table = bytes->context;
	const bool match = bytes_wants_match(request);
	const bool more = table->has_more && destination[1] == 1;
	const bool trapped = is_trapped(table, destination[3], match);
	struct rtmsg *body = mnl_nlmsg_get_payload(ret);

	if (trapped && !table->with_source)
		return EHOSTUNREACH;
	if (!trapped && !more && !table->has_default)
		return ENETUNREACH;
	mnl_attr_put_u32(ret, RTA_OIF, 2);
	if (match) {
		body->rtm_dst_len = trapped ? 32 : more ? 16 : 0;
		if (table->legs)
			mnl_attr_put_u32(ret, RTA_NH_ID, 7);
		return 0;
	}
	bytes_put_address(ret, RTA_PREFSRC, trapped ? "10.0.0.3" : "10.0.0.2");
	return 0;
}

/* Opens an engine with targets in 10.1.0.0/24 and 10.2.0.0/24, with those in
 * 10.2.0.0/24 first if @outside_first. */
static void begin(struct bytes *bytes, uint64_t *inside, uint64_t *outside,
		  bool outside_first)
{
	bytes_open(bytes, BYTES_SECOND);
	if (outside_first)
		bytes_watch_many(bytes, "10.2.0.", HALF, outside);
	bytes_watch_many(bytes, "10.1.0.", HALF, inside);
	if (!outside_first)
		bytes_watch_many(bytes, "10.2.0.", HALF, outside);
	bytes_idle(bytes);
}

static unsigned int reachable(struct bytes *bytes, const uint64_t *ids)
{
	unsigned int count = 0, i;

	for (i = 0; i < HALF; i++)
		count += ids[i] && bytes_state(bytes, ids[i]).flags &
					   REACH_FLAG_REACHABLE;
	return count;
}

/* The default route goes, and a route comes for half of the targets, whose event
 * is still to come. @first: the targets inside 10.1.0.0/16 are added first, so that the witness
 * can be on either side. */
static void a_match_that_does_not_cover_all(bool first)
{
	struct table table = { .has_default = true };
	SCOPED_BYTES bytes = { .look_up = look_up, .context = &table };
	uint64_t inside[HALF], outside[HALF];

	begin(&bytes, inside, outside, !first);
	CHECK(reachable(&bytes, inside) == HALF);
	CHECK(reachable(&bytes, outside) == HALF);
	table = (struct table){ .has_more = true };
	bytes_tell_route(&bytes, RTM_DELROUTE, AF_INET);
	CHECK(reachable(&bytes, outside) == 0);
	bytes_tell_more(&bytes, RTM_NEWROUTE);
	CHECK(reachable(&bytes, inside) == HALF);
	CHECK(reachable(&bytes, outside) == 0);
}

/* One lookup stands for all, unless a rule may send some targets to other
 * tables, or the route has several legs, which the kernel chooses from. */
static void one_answer_for_all(bool ruled, bool legs)
{
	struct table table = { .has_default = true, .legs = legs };
	SCOPED_BYTES bytes = { .look_up = look_up,
			       .context = &table,
			       .ruled = ruled ? AF_INET : 0 };
	uint64_t inside[HALF], outside[HALF];

	begin(&bytes, inside, outside, false);
	table.has_default = false;
	bytes.lookups = 0;
	bytes_tell_route(&bytes, RTM_DELROUTE, AF_INET);
	CHECK(reachable(&bytes, inside) == 0);
	CHECK(reachable(&bytes, outside) == 0);
	if (ruled || legs)
		CHECK(bytes.lookups >= 2 * HALF);
	else
		CHECK(bytes.lookups <= 4);
}

/* A new route covers half of a group, and one lookup is enough for these. The
 * others aren't looked up. */
static void a_route_for_some(void)
{
	struct table table = { .has_default = true };
	SCOPED_BYTES bytes = { .look_up = look_up, .context = &table };
	uint64_t inside[HALF], outside[HALF];

	begin(&bytes, inside, outside, false);
	table.has_more = true;
	bytes.lookups = 0;
	bytes_tell_more(&bytes, RTM_NEWROUTE);
	bytes_settle(&bytes);
	/* The other half may need another witness. */
	CHECK(bytes.lookups >= 2 && bytes.lookups <= 4);
	/* They are a group of their own now. */
	table.has_default = false;
	bytes.lookups = 0;
	bytes_tell_route(&bytes, RTM_DELROUTE, AF_INET);
	bytes_settle(&bytes);
	CHECK(bytes.lookups == 2);
	CHECK(reachable(&bytes, inside) == HALF);
	CHECK(reachable(&bytes, outside) == 0);
}

/* A target comes for addresses of a group that waits for a lookup, whose answer is
 * the old one. One of them is looked up for the group. */
static void an_aggregate_that_comes_meanwhile(void)
{
	struct table table = { .has_default = true };
	SCOPED_BYTES bytes = { .look_up = look_up, .context = &table };
	struct reach_target target = check_target(REACH_TARGET_INTERNET, NULL);
	uint64_t first, id;

	bytes_open(&bytes, BYTES_SECOND);
	target.remote.family = AF_INET;
	CHECK(reach_engine_add(bytes.engine, &target, &first) == 0);
	bytes_idle(&bytes);
	bytes_tell_route(&bytes, RTM_NEWROUTE, AF_INET);
	CHECK(reach_engine_add(bytes.engine, &target, &id) == 0);
	CHECK(bytes_settle(&bytes) == 1);
}

/* The answer about the one that is looked up for the group is lost. It is the
 * last address of the internet, which was looked up while the link was down, and
 * which nobody needs any more. */
static void a_lost_answer(void)
{
	struct table table = { .has_default = true };
	SCOPED_BYTES bytes = { .look_up = look_up, .context = &table };
	struct reach_target target = check_target(REACH_TARGET_INTERNET, NULL);
	uint64_t id;

	bytes_open(&bytes, BYTES_SECOND);
	target.remote.family = AF_INET;
	CHECK(reach_engine_add(bytes.engine, &target, &id) == 0);
	bytes_idle(&bytes);
	bytes_tell_link(&bytes, 2, false);
	bytes_settle(&bytes);
	bytes_tell_link(&bytes, 2, true);
	bytes_settle(&bytes);
	table.has_default = false;
	bytes_tell_route(&bytes, RTM_DELROUTE, AF_INET);
	CHECK(bytes_ask(&bytes) > 0);
	reach_engine_answers_lost(bytes.engine);
	CHECK(bytes_state(&bytes, id).reason == REACH_REASON_NO_ROUTE);
}

static unsigned int with_source(struct bytes *bytes, const uint64_t *ids,
				uint8_t last)
{
	unsigned int count = 0, i;

	for (i = 0; i < HALF; i++)
		count += ids[i] &&
			 bytes_state(bytes, ids[i]).source.bytes[3] == last;
	return count;
}

/* A route for the witness alone comes before it is looked up, or between its two
 * lookups. Until the event of that route, all have its answer. Another one is
 * the witness after the event, or if the target is removed, since the event
 * filter drops the event then. */
static void a_route_for_the_witness(bool source, bool removed)
{
	struct table table = { .has_default = true };
	SCOPED_BYTES bytes = { .look_up = look_up, .context = &table };
	uint64_t ids[HALF];
	char text[32];

	bytes_open(&bytes, BYTES_SECOND);
	bytes_watch_many(&bytes, "10.2.0.", HALF, ids);
	bytes_idle(&bytes);
	/* A change of the default route's metric, say. */
	table.traps = true;
	table.with_source = source;
	bytes_tell_route(&bytes, RTM_DELROUTE, AF_INET);
	bytes_settle(&bytes);
	CHECK(table.trapped);
	CHECK(source ? with_source(&bytes, ids, 3) == HALF
		     : reachable(&bytes, ids) == 0);
	snprintf(text, sizeof(text), "10.2.0.%u", table.trapped);
	if (removed) {
		CHECK(reach_engine_remove(bytes.engine,
					  ids[table.trapped - 1]) == 0);
		ids[table.trapped - 1] = 0;
	} else {
		bytes_tell_prefix(&bytes, RTM_NEWROUTE, text, 32);
	}
	bytes.lookups = 0;
	bytes_settle(&bytes);
	CHECK(bytes.lookups <= 4);
	CHECK(source ? with_source(&bytes, ids, 2) == HALF - 1
		     : reachable(&bytes, ids) == HALF - 1);
}

void test_groups(void)
{
	a_match_that_does_not_cover_all(true);
	a_match_that_does_not_cover_all(false);
	one_answer_for_all(false, false);
	one_answer_for_all(true, false);
	one_answer_for_all(false, true);
	a_route_for_some();
	a_lost_answer();
	an_aggregate_that_comes_meanwhile();
	a_route_for_the_witness(false, false);
	a_route_for_the_witness(true, false);
	a_route_for_the_witness(false, true);
	a_route_for_the_witness(true, true);
}
