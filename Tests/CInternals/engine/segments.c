/* SPDX-License-Identifier: MIT */
/* Routes that lead to a segment (SRv6): the route to the segment is looked up
 * too. SegmentTests checks the kernel's part with datagrams. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/lwtunnel.h>
#include <linux/rtnetlink.h>
#include <linux/seg6_iptunnel.h>

#include "bytes.h"

struct way {
	/* LWTUNNEL_ENCAP_* of the routes to the targets. */
	uint16_t type;
	/* The segment's lookup: a positive errno, or RTN_* of its route. */
	int error;
	uint8_t route_type;
	/* Milliseconds until the segment's route expires; 0 for never. */
	int lasts;
	unsigned int lookups;
	/* Lookups of the segment as uid 0. */
	unsigned int as_root;
	/* The segment's route requires a source (fd00::2). */
	bool from;
	/* The source that the caller supplies. If NULL, the caller reports
	 * `source_error`. */
	const char *source;
	int source_error;
	/* Called once, before the segment's lookup is answered. */
	void (*happens)(struct bytes *bytes);
};

static void put_segments(struct nlmsghdr *ret, uint16_t type)
{
	/* The mode, the routing header (segments_left 1, first_segment 1), then
	 * fd99::2 and fd99::1. */
	uint8_t bytes[4 + 8 + 2 * 16] = { [5] = 4, [6] = 4, [7] = 1, [8] = 1 };
	struct nlattr *nest = mnl_attr_nest_start(ret, RTA_ENCAP);

	bytes[12] = bytes[28] = 0xfd;
	bytes[13] = bytes[29] = 0x99;
	bytes[27] = 2;
	bytes[43] = 1;
	mnl_attr_put(ret, SEG6_IPTUNNEL_SRH, sizeof(bytes), bytes);
	mnl_attr_nest_end(ret, nest);
	mnl_attr_put_u16(ret, RTA_ENCAP_TYPE, type);
}

static int look_up_segment(struct bytes *bytes, const struct nlmsghdr *request,
			   struct nlmsghdr *ret)
{
	const struct rtmsg *asked = mnl_nlmsg_get_payload(request);
	const struct nlattr *attr;
	struct way *way = bytes->context;
	struct rtmsg *body = mnl_nlmsg_get_payload(ret);
	const struct way before = *way;
	const struct rta_cacheinfo info = { .rta_expires = before.lasts / 10 };
	const uint8_t gateway[16] = { 0xfe, 0x80, [15] = 9 };

	way->lookups++;
	mnl_attr_for_each(attr, request, sizeof(*asked))
		way->as_root += mnl_attr_get_type(attr) == RTA_UID &&
				mnl_attr_get_u32(attr) == 0;
	way->happens = NULL;
	if (before.happens)
		before.happens(bytes);
	if (before.error)
		return before.error;
	if (before.from && !asked->rtm_src_len)
		return ENETUNREACH;
	body->rtm_type = before.route_type ? before.route_type : RTN_UNICAST;
	mnl_attr_put_u32(ret, RTA_OIF, 2);
	mnl_attr_put(ret, RTA_GATEWAY, sizeof(gateway), gateway);
	if (before.lasts)
		mnl_attr_put(ret, RTA_CACHEINFO, sizeof(info), &info);
	return 0;
}

static int look_up(struct bytes *bytes, const struct nlmsghdr *request,
		   struct nlmsghdr *ret)
{
	const struct way *way = bytes->context;
	const uint8_t segment[16] = { 0xfd, 0x99, [15] = 1 };
	const struct rtmsg *asked = mnl_nlmsg_get_payload(request);
	const struct nlattr *destination =
		mnl_nlmsg_get_payload_offset(request, sizeof(*asked));
	struct reach_address source;

	if (asked->rtm_family == AF_INET6 &&
	    memcmp(mnl_attr_get_payload(destination), segment, 16) == 0)
		return look_up_segment(bytes, request, ret);
	mnl_attr_put_u32(ret, RTA_OIF, 2);
	if (!reach_address_parse(asked->rtm_family == AF_INET ? "10.0.0.2"
							      : "fd00::2",
				 &source))
		mnl_attr_put(ret, RTA_PREFSRC,
			     asked->rtm_family == AF_INET ? 4 : 16,
			     source.bytes);
	put_segments(ret, way->type);
	return 0;
}

static void the_segment_decides(struct check *check, const char *far)
{
	struct way way = { .type = LWTUNNEL_ENCAP_SEG6, .error = ENETUNREACH };
	struct bytes bytes = { .look_up = look_up, .context = &way };
	struct reach_state state;
	uint64_t id;

	if (!CHECK(check, bytes_open(&bytes, BYTES_SECOND)))
		return;
	id = bytes_watch(&bytes, far, 0);
	bytes_settle(&bytes);
	state = bytes_state(&bytes, id);
	CHECK(check, !state.flags && state.reason == REACH_REASON_NO_ROUTE);
	/* One barrier after the dumps, and one before the segment's lookup. */
	CHECK(check, way.lookups == 1 && bytes.barriers == 2);
	way.error = 0;
	bytes_tell_route(&bytes, RTM_NEWROUTE, AF_INET6);
	bytes_settle(&bytes);
	state = bytes_state(&bytes, id);
	CHECK(check, state.flags == REACH_FLAG_REACHABLE);
	CHECK(check, state.gateway.bytes[0] == 0xfe);
	way.route_type = RTN_PROHIBIT;
	bytes_tell_address(&bytes, RTM_DELADDR, "fd00::3");
	bytes_tell_route(&bytes, RTM_DELROUTE, AF_INET6);
	bytes_settle(&bytes);
	CHECK(check, bytes_state(&bytes, id).reason == REACH_REASON_PROHIBITED);
	CHECK(check, way.lookups == 3 && way.as_root == 3);
	bytes_close(&bytes);
}

/* One lookup of the segment serves all. */
static void many(struct check *check)
{
	struct way way = { .type = LWTUNNEL_ENCAP_SEG6 };
	struct bytes bytes = { .look_up = look_up, .context = &way };
	uint64_t ids[300];
	size_t i, reachable = 0;

	if (!CHECK(check, bytes_open(&bytes, BYTES_SECOND)))
		return;
	for (i = 0; i < 300; i++) {
		char text[40];

		snprintf(text, sizeof(text),
			 i % 2 ? "2001:db8::%zu" : "203.0.%zu.7",
			 i % 2 ? i : i % 256);
		ids[i] = bytes_watch(&bytes, text, 0);
	}
	bytes_settle(&bytes);
	CHECK(check, way.lookups == 1);
	way.error = EHOSTUNREACH;
	bytes_tell_route(&bytes, RTM_DELROUTE, AF_INET6);
	bytes_settle(&bytes);
	CHECK(check, way.lookups == 2);
	for (i = 0; i < 300; i++)
		reachable += bytes_state(&bytes, ids[i]).flags != 0;
	CHECK(check, reachable == 0);
	bytes_close(&bytes);
}

static void other_encapsulations_have_none(struct check *check)
{
	struct way way = { .type = LWTUNNEL_ENCAP_MPLS };
	struct bytes bytes = { .look_up = look_up, .context = &way };
	uint64_t id;

	if (!CHECK(check, bytes_open(&bytes, BYTES_SECOND)))
		return;
	id = bytes_watch(&bytes, "2001:db8::1", 0);
	bytes_settle(&bytes);
	CHECK(check, bytes_state(&bytes, id).flags == REACH_FLAG_REACHABLE);
	CHECK(check, way.lookups == 0 && bytes.barriers == 1);
	bytes_close(&bytes);
}

static void a_route_comes(struct bytes *bytes)
{
	struct way *way = bytes->context;

	way->error = 0;
	bytes_tell_route(bytes, RTM_NEWROUTE, AF_INET6);
}

static void answers_are_lost(struct bytes *bytes)
{
	struct way *way = bytes->context;

	way->error = 0;
	reach_engine_answers_lost(bytes->engine);
}

static void the_last_word_counts(struct check *check,
				 void (*happens)(struct bytes *bytes))
{
	struct way way = { .type = LWTUNNEL_ENCAP_SEG6,
			   .error = ENETUNREACH,
			   .happens = happens };
	struct bytes bytes = { .look_up = look_up, .context = &way };
	uint64_t id;

	if (!CHECK(check, bytes_open(&bytes, BYTES_SECOND)))
		return;
	id = bytes_watch(&bytes, "2001:db8::1", 0);
	bytes_settle(&bytes);
	CHECK(check, bytes_state(&bytes, id).flags == REACH_FLAG_REACHABLE);
	CHECK(check, way.lookups == 2);
	bytes_close(&bytes);
}

static void name_source(struct bytes *bytes,
			const struct reach_source_request *request)
{
	const struct way *way = bytes->context;
	const uint64_t id = request->id;
	struct reach_address source;

	if (!way->source || reach_address_parse(way->source, &source))
		(void)reach_engine_set_source(bytes->engine, id, NULL,
					      way->source_error);
	else
		(void)reach_engine_set_source(bytes->engine, id, &source, 0);
}

/* The kernel looks a segment up for a packet that already has a source. */
static struct reach_state state_from(struct check *check, struct way *way)
{
	struct bytes bytes = { .look_up = look_up,
			       .context = way,
			       .source_routes = true,
			       .name_source = name_source };
	struct reach_state state = { .reason = REACH_REASON_REFUSED };
	uint64_t id;

	way->type = LWTUNNEL_ENCAP_SEG6;
	if (!CHECK(check, bytes_open(&bytes, BYTES_SECOND)))
		return state;
	id = bytes_watch(&bytes, "2001:db8::1", 0);
	bytes_settle(&bytes);
	way->lookups = 0;
	bytes_tell_route(&bytes, RTM_NEWROUTE, AF_INET6);
	bytes_settle(&bytes);
	state = bytes_state(&bytes, id);
	bytes_close(&bytes);
	return state;
}

static void the_source_counts(struct check *check)
{
	struct way has = { .from = true, .source = "fd00::2" };
	struct way none = { .from = true, .source_error = -EMFILE };
	struct way prohibited = { .source_error = -EACCES };
	struct reach_state state = state_from(check, &has);

	CHECK(check, state.flags == REACH_FLAG_REACHABLE && has.lookups == 1);
	/* An error of the socket itself isn't an error of routes. */
	state = state_from(check, &none);
	CHECK(check, state.reason == REACH_REASON_NO_ROUTE);
	CHECK(check, none.lookups == 1);
	state = state_from(check, &prohibited);
	CHECK(check, state.reason == REACH_REASON_PROHIBITED);
	CHECK(check, prohibited.lookups == 0);
}

static void late_sources_are_refused(struct check *check)
{
	struct way way = { .type = LWTUNNEL_ENCAP_SEG6 };
	struct bytes bytes = { .look_up = look_up, .context = &way };
	const uint64_t id = (UINT64_C(1) << 32) + 1;

	if (!CHECK(check, bytes_open(&bytes, BYTES_SECOND)))
		return;
	bytes_watch(&bytes, "2001:db8::1", 0);
	bytes_settle(&bytes);
	CHECK(check,
	      reach_engine_set_source(bytes.engine, id, NULL, -EIO) == -ENOENT);
	CHECK(check, reach_engine_set_source(bytes.engine, id + 1, NULL,
					     -EIO) == -ENOENT);
	CHECK(check, reach_engine_set_source(bytes.engine, UINT64_MAX, NULL,
					     -EIO) == -ENOENT);
	bytes_close(&bytes);
}

/* The kernel doesn't announce that the segment's route expires. */
static void it_expires(struct check *check)
{
	struct way way = { .type = LWTUNNEL_ENCAP_SEG6, .lasts = 5000 };
	struct bytes bytes = { .look_up = look_up, .context = &way };
	int64_t deadline;
	uint64_t id;

	if (!CHECK(check, bytes_open(&bytes, BYTES_SECOND)))
		return;
	id = bytes_watch(&bytes, "2001:db8::1", 0);
	bytes_settle(&bytes);
	CHECK(check, bytes_state(&bytes, id).flags == REACH_FLAG_REACHABLE);
	deadline = reach_engine_deadline(bytes.engine);
	CHECK(check, deadline > 5 * BYTES_SECOND && deadline < INT64_MAX);
	way.error = ENETUNREACH;
	reach_engine_clock(bytes.engine, deadline);
	bytes_settle(&bytes);
	CHECK(check, bytes_state(&bytes, id).flags == 0);
	bytes_close(&bytes);
}

void test_segments(struct check *check)
{
	the_segment_decides(check, "2001:db8::1");
	the_segment_decides(check, "203.0.113.7");
	many(check);
	other_encapsulations_have_none(check);
	the_last_word_counts(check, a_route_comes);
	the_last_word_counts(check, answers_are_lost);
	it_expires(check);
	the_source_counts(check);
	late_sources_are_refused(check);
}
