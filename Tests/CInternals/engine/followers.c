/* SPDX-License-Identifier: MIT */
/* A default route is removed, and one target, the leader, is looked up for all
 * that used the route. By then a new route may cover the leader, but not all of
 * its followers, and the event of that route is still to come. Then each
 * follower must have a lookup of its own. */
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>

#include "bytes.h"

/* So many that one lookup stands for all. */
#define HALF 60

/* The kernel's routes besides 10.0.0.0/24. */
struct table {
	bool has_default;
	/* 10.1.0.0/16. */
	bool has_more;
};

static bool is_in_more(const struct nlmsghdr *request)
{
	const struct nlattr *attribute;

	mnl_attr_for_each(attribute, request, sizeof(struct rtmsg))
	{
		const uint8_t *bytes = mnl_attr_get_payload(attribute);

		if (mnl_attr_get_type(attribute) == RTA_DST)
			return bytes[0] == 10 && bytes[1] == 1;
	}
	return false;
}

static int look_up(struct bytes *bytes, const struct nlmsghdr *request,
		   struct nlmsghdr *ret)
{
	const struct rtmsg *asked = mnl_nlmsg_get_payload(request);
	const struct table *table = bytes->context;
	const uint8_t source[4] = { 10, 0, 0, 2 };
	const bool more = table->has_more && is_in_more(request);
	struct rtmsg *body = mnl_nlmsg_get_payload(ret);

	if (!more && !table->has_default)
		return ENETUNREACH;
	mnl_attr_put_u32(ret, RTA_OIF, 2);
	if (asked->rtm_flags & RTM_F_FIB_MATCH)
		body->rtm_dst_len = more ? 16 : 0;
	else
		mnl_attr_put(ret, RTA_PREFSRC, sizeof(source), source);
	return 0;
}

static void watch(struct bytes *bytes, const char *network, uint64_t *ids)
{
	char text[32];
	unsigned int i;

	for (i = 0; i < HALF; i++) {
		snprintf(text, sizeof(text), "%s.%u", network, i + 1);
		ids[i] = bytes_watch(bytes, text, 0);
	}
}

static unsigned int reachable(const struct bytes *bytes, const uint64_t *ids)
{
	unsigned int count = 0, i;

	for (i = 0; i < HALF; i++)
		count += !!(bytes_state(bytes, ids[i]).flags &
			    REACH_FLAG_REACHABLE);
	return count;
}

/* @first: the targets inside 10.1.0.0/16 are added first, so that the leader
 * can be on either side. */
static void a_match_that_does_not_cover_all(struct check *check, bool first)
{
	struct table table = { .has_default = true };
	struct bytes bytes = { .look_up = look_up, .context = &table };
	uint64_t inside[HALF], outside[HALF];

	if (!CHECK(check, bytes_open(&bytes, BYTES_SECOND)))
		return;
	if (first)
		watch(&bytes, "10.1.0", inside);
	watch(&bytes, "10.2.0", outside);
	if (!first)
		watch(&bytes, "10.1.0", inside);
	bytes_settle(&bytes);
	bytes_idle(&bytes);
	CHECK(check, reachable(&bytes, inside) == HALF);
	CHECK(check, reachable(&bytes, outside) == HALF);
	table = (struct table){ .has_more = true };
	bytes_tell_route(&bytes, RTM_DELROUTE, AF_INET);
	bytes_settle(&bytes);
	CHECK(check, reachable(&bytes, outside) == 0);
	bytes_tell_more(&bytes, RTM_NEWROUTE);
	bytes_settle(&bytes);
	CHECK(check, reachable(&bytes, inside) == HALF);
	CHECK(check, reachable(&bytes, outside) == 0);
	bytes_close(&bytes);
}

/* One lookup stands for all, unless a rule may send some targets to other
 * tables. */
static void one_answer_for_all(struct check *check, bool ruled)
{
	struct table table = { .has_default = true };
	struct bytes bytes = { .look_up = look_up,
			       .context = &table,
			       .ruled = ruled ? AF_INET : 0 };
	uint64_t inside[HALF], outside[HALF];

	if (!CHECK(check, bytes_open(&bytes, BYTES_SECOND)))
		return;
	watch(&bytes, "10.1.0", inside);
	watch(&bytes, "10.2.0", outside);
	bytes_settle(&bytes);
	bytes_idle(&bytes);
	table.has_default = false;
	bytes.lookups = 0;
	bytes_tell_route(&bytes, RTM_DELROUTE, AF_INET);
	bytes_settle(&bytes);
	CHECK(check, reachable(&bytes, inside) == 0);
	CHECK(check, reachable(&bytes, outside) == 0);
	if (ruled)
		CHECK(check, bytes.lookups >= 2 * HALF);
	else
		CHECK(check, bytes.lookups <= 4);
	bytes_close(&bytes);
}

void test_followers(struct check *check)
{
	a_match_that_does_not_cover_all(check, true);
	a_match_that_does_not_cover_all(check, false);
	one_answer_for_all(check, false);
	one_answer_for_all(check, true);
}
