/* SPDX-License-Identifier: MIT */
/* Routes that expire, with a simulated kernel. */
#include <errno.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>

#include "bytes.h"

/* So many that one lookup stands for all. */
#define MANY 100

/* 200 years: a clock of 63 bits, in nanoseconds, ends after 292. */
#define LATE (INT64_C(200) * 366 * 24 * 3600 * BYTES_SECOND)

/* Answers with a default route that expires in 136 years. */
static int look_up_for_ages(struct bytes *bytes, const struct nlmsghdr *request,
			    struct nlmsghdr *ret)
{
	struct rtmsg *body = mnl_nlmsg_get_payload(ret);

	body->rtm_dst_len = 0;
	mnl_attr_put_u32(ret, RTA_EXPIRES, UINT32_MAX);
	return bytes_route(bytes, request, ret);
}

static void what_ends_when_no_clock_goes_any_more_does_not(void)
{
	SCOPED_BYTES bytes = { .look_up = look_up_for_ages };
	uint64_t id;

	bytes_open(&bytes, LATE);
	id = bytes_watch(&bytes, "2001:db8::1", 0);
	bytes_idle(&bytes);
	CHECK(bytes_state(&bytes, id).flags & REACH_FLAG_REACHABLE);
	CHECK(reach_engine_deadline(bytes.engine) == INT64_MAX);
}

/* An expired default route, which a router advertisement revives before the
 * kernel's garbage collector removes it. */
struct route {
	/* Time to expiry in ticks of 10 ms; negative once it has expired. */
	int left;
};

static int look_up_expiring(struct bytes *bytes, const struct nlmsghdr *request,
			    struct nlmsghdr *ret)
{
	const struct route *route = bytes->context;
	const struct rta_cacheinfo info = { .rta_expires = route->left };

	if (route->left < 0)
		return ENETUNREACH;
	if (!bytes_wants_match(request))
		return bytes_route(bytes, request, ret);
	mnl_attr_put_u32(ret, RTA_OIF, 2);
	mnl_attr_put(ret, RTA_CACHEINFO, sizeof(info), &info);
	return 0;
}

static bool come_to_deadline(struct bytes *bytes)
{
	const int64_t deadline = reach_engine_deadline(bytes->engine);

	if (deadline == INT64_MAX)
		return false;
	reach_engine_clock(bytes->engine, deadline);
	bytes_settle(bytes);
	return true;
}

/* Watches @count targets over the route that expires. Returns one's id. */
static uint64_t begin(struct bytes *bytes, unsigned int count)
{
	uint64_t ids[MANY];

	bytes_open(bytes, BYTES_SECOND);
	bytes_watch_many(bytes, "2001:db8::", count, ids);
	bytes_idle(bytes);
	return ids[0];
}

/* With one target, and with so many that one lookup stands for all. */
static void an_expired_route_may_come_back(unsigned int count)
{
	struct route route = { .left = 500 };
	SCOPED_BYTES bytes = { .look_up = look_up_expiring, .context = &route };
	int64_t end;
	int i;
	uint64_t id = begin(&bytes, count);

	route.left = -1;
	CHECK(come_to_deadline(&bytes));
	CHECK(bytes_state(&bytes, id).reason == REACH_REASON_NO_ROUTE);
	for (i = 0; i < 20; i++) {
		bytes.lookups = 0;
		CHECK(come_to_deadline(&bytes));
		CHECK(bytes.lookups > 0 && bytes.lookups <= 2);
		CHECK(bytes_state(&bytes, id).flags == 0);
	}
	route.left = 1000;
	end = reach_engine_deadline(bytes.engine) + 10 * BYTES_SECOND;
	CHECK(come_to_deadline(&bytes));
	CHECK(bytes_state(&bytes, id).flags & REACH_FLAG_REACHABLE);
	CHECK(reach_engine_deadline(bytes.engine) >= end);
}

/* The looks at an expired route end after 60 to 66 of them. */
static void no_route_is_waited_for_in_vain(void)
{
	struct route route = { .left = 500 };
	SCOPED_BYTES bytes = { .look_up = look_up_expiring, .context = &route };
	int looks;

	begin(&bytes, 1);
	route.left = -1;
	for (looks = 0; looks < 100 && come_to_deadline(&bytes); looks++) {
		/* An event of the link, which doesn't end the looks. */
		if (looks == 5) {
			bytes_tell_link(&bytes, 2, false);
			bytes_tell_link(&bytes, 2, true);
		}
	}
	CHECK(looks >= 60 && looks <= 66);
	CHECK(reach_engine_deadline(bytes.engine) == INT64_MAX);
	CHECK(bytes_stats(&bytes).corrections == 0);
}

/* In a route's last tick the kernel reports no expiry (0). The lookup comes
 * @left nanoseconds before the deadline, or at the deadline if @left is 0. */
static void a_last_tick_is_no_eternity(int64_t left)
{
	struct route route = { .left = 500 };
	SCOPED_BYTES bytes = { .look_up = look_up_expiring, .context = &route };
	uint64_t id = begin(&bytes, 1);
	int64_t deadline = reach_engine_deadline(bytes.engine);

	if (!CHECK(deadline < INT64_MAX))
		return;
	route.left = 0;
	reach_engine_clock(bytes.engine, deadline - left);
	/* A new route causes new lookups. */
	bytes_tell_route(&bytes, RTM_NEWROUTE, AF_INET6);
	bytes.lookups = 0;
	bytes_settle(&bytes);
	CHECK(bytes.lookups > 0);
	CHECK(bytes_state(&bytes, id).flags & REACH_FLAG_REACHABLE);
	if (left)
		CHECK(reach_engine_deadline(bytes.engine) == deadline);
	else /* When the last tick is over. */
		CHECK(reach_engine_deadline(bytes.engine) ==
		      deadline + BYTES_SECOND / 50);
	route.left = -1;
	CHECK(come_to_deadline(&bytes));
	CHECK(bytes_state(&bytes, id).reason == REACH_REASON_NO_ROUTE);
}

void test_expiry(void)
{
	a_last_tick_is_no_eternity(BYTES_SECOND / 100);
	a_last_tick_is_no_eternity(0);
	an_expired_route_may_come_back(1);
	an_expired_route_may_come_back(MANY);
	no_route_is_waited_for_in_vain();
	what_ends_when_no_clock_goes_any_more_does_not();
}
