/* SPDX-License-Identifier: MIT */
/* Answers that the kernel changes with a neighbor, with a simulated kernel:
 * eth0 and the links 3 and 4 are uplinks. monitor/uplinks.c has the kernel's
 * part. */
#include <errno.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>

#include "bytes.h"

#define LINKS 5

struct host {
	/* The interface of lookups that name none. */
	uint32_t uses;
	/* Metrics of the default routes over the links; 0 for no route. */
	uint32_t metrics[LINKS];
	/* Length of the match over eth0. */
	uint8_t length;
	/* Lookups that name a link. */
	unsigned int through;
	/* No route has a gateway. */
	bool direct;
	/* The error of all lookups. */
	int error;
};

static int look_up(struct bytes *bytes, const struct nlmsghdr *request,
		   struct nlmsghdr *ret)
{
	struct host *host = bytes->context;
	const uint32_t *output = bytes_attribute(request, RTA_OIF);
	const uint32_t link = output ? *output : host->uses;
	uint8_t gateway[16] = { 0xfd, [15] = 9 };

	host->through += output != NULL;
	if (host->error)
		return host->error;
	if (link >= LINKS || !host->metrics[link])
		return ENETUNREACH;
	((struct rtmsg *)mnl_nlmsg_get_payload(ret))->rtm_dst_len =
		link == 2 ? host->length : 0;
	mnl_attr_put_u32(ret, RTA_OIF, link);
	mnl_attr_put_u32(ret, RTA_PRIORITY, host->metrics[link]);
	gateway[14] = (uint8_t)link;
	if (!host->direct)
		mnl_attr_put(ret, RTA_GATEWAY, sizeof(gateway), gateway);
	if (!bytes_wants_match(request))
		bytes_put_source(ret);
	return 0;
}

static uint64_t begin(struct bytes *bytes)
{
	uint32_t link;
	uint64_t id = bytes_begin(bytes, "2001:db8::1", 0);

	for (link = 3; link < LINKS; link++) {
		bytes_tell_link(bytes, link, true);
		bytes_tell_address_of(bytes, link, RTM_NEWADDR, "fd00::2");
	}
	bytes_settle(bytes);
	/* The confirming lookups. */
	reach_engine_clock(bytes->engine, 10 * BYTES_SECOND);
	CHECK(bytes_state(bytes, id).interface_index == 2);
	CHECK(reach_engine_deadline(bytes->engine) == INT64_MAX);
	return id;
}

static void pull(struct bytes *bytes, uint32_t link)
{
	const struct bytes_link unplugged = { .index = link, .flags = IFF_UP };

	bytes_tell_of(bytes, RTM_NEWLINK, &unplugged);
	bytes_settle(bytes);
}

/* A neighbor has changed: its events must be wanted. */
static void change_neighbor(struct bytes *bytes)
{
	CHECK(bytes->engine->uncertain);
	bytes_tell_neighbor(bytes);
	bytes_settle(bytes);
	/* The confirming lookups. */
	reach_engine_clock(bytes->engine, 60 * BYTES_SECOND);
	bytes_settle(bytes);
}

/* The kernel has gone elsewhere than predicted, and comes back. */
static void a_recheck_finds_what_the_kernel_did(void)
{
	struct host host = { .uses = 2,
			     .metrics = { [2] = 1, [3] = 3, [4] = 4 } };
	SCOPED_BYTES bytes = { .look_up = look_up, .context = &host };
	uint64_t id = begin(&bytes);

	CHECK(!host.through);
	CHECK(!bytes.engine->uncertain);
	pull(&bytes, 2);
	CHECK(bytes_state(&bytes, id).interface_index == 3);
	host.uses = 4;
	change_neighbor(&bytes);
	CHECK(bytes_state(&bytes, id).interface_index == 4);
	/* With carrier, there is nothing more to recheck. */
	host.through = 0;
	change_neighbor(&bytes);
	CHECK(!host.through);
	CHECK(!bytes.engine->uncertain);
	/* The cable is plugged in again. The kernel returns when it has probed
	 * the gateway, which isn't the first neighbor that changes. */
	bytes_tell_link(&bytes, 2, true);
	bytes_settle(&bytes);
	change_neighbor(&bytes);
	CHECK(bytes_state(&bytes, id).interface_index == 4);
	host.uses = 2;
	change_neighbor(&bytes);
	CHECK(bytes_state(&bytes, id).interface_index == 2);
	change_neighbor(&bytes);
	CHECK(!bytes.engine->uncertain);
}

/* The answer stays the same, although another link is usable: the kernel may
 * have a route over it some time. */
static void a_route_without_successor_is_rechecked(void)
{
	struct host host = { .uses = 2, .metrics = { [2] = 1 }, .length = 16 };
	SCOPED_BYTES bytes = { .look_up = look_up, .context = &host };
	uint64_t id = begin(&bytes);

	pull(&bytes, 2);
	CHECK(bytes_state(&bytes, id).reason == REACH_REASON_LINK_DOWN);
	change_neighbor(&bytes);
	/* A new target, after the event. */
	reach_engine_remove(bytes.engine, id);
	bytes_settle(&bytes);
	change_neighbor(&bytes);
	CHECK(!bytes.engine->uncertain);
	id = bytes_watch(&bytes, "2001:db8::1", 0);
	bytes_settle(&bytes);
	CHECK(bytes.engine->uncertain);
	host.metrics[3] = 3;
	bytes_tell_route(&bytes, RTM_NEWROUTE, AF_INET6);
	CHECK(bytes_state(&bytes, id).interface_index == 3);
	/* Behind the one without carrier stands a route that rejects. */
	host.error = EHOSTUNREACH;
	bytes_tell_prefix(&bytes, RTM_DELROUTE, "2001::", 16);
	CHECK(!bytes_state(&bytes, id).flags);
}

/* Behind a gateway that has failed, a route rejects. */
static void a_rejecting_route_is_rechecked(void)
{
	struct host host = { .uses = 2, .metrics = { [2] = 1 } };
	SCOPED_BYTES bytes = { .look_up = look_up, .context = &host };
	uint64_t id = begin(&bytes);

	host.error = EHOSTUNREACH;
	bytes_tell_route(&bytes, RTM_NEWROUTE, AF_INET6);
	CHECK(!bytes_state(&bytes, id).flags);
	host.error = 0;
	change_neighbor(&bytes);
	CHECK(bytes_state(&bytes, id).flags);
	/* The kernel only probed the gateway, in vain. */
	host.error = EHOSTUNREACH;
	change_neighbor(&bytes);
	CHECK(!bytes_state(&bytes, id).flags);
	/* Without any route, there is no gateway that could return. */
	host.error = ENETUNREACH;
	change_neighbor(&bytes);
	change_neighbor(&bytes);
	CHECK(!bytes.engine->uncertain);
}

/* Another link that becomes usable is asked at once. */
static void a_second_uplink_comes_late(void)
{
	struct host host = { .uses = 2, .metrics = { [2] = 1, [3] = 3 } };
	SCOPED_BYTES bytes = { .look_up = look_up, .context = &host };
	uint64_t id = begin(&bytes);

	pull(&bytes, 3);
	pull(&bytes, 4);
	pull(&bytes, 2);
	CHECK(bytes_state(&bytes, id).reason == REACH_REASON_LINK_DOWN);
	/* No other link is usable, so that an event must come first. */
	CHECK(!bytes.engine->uncertain);
	bytes_tell_link(&bytes, 3, true);
	CHECK(bytes_state(&bytes, id).interface_index == 3);
	CHECK(bytes_state(&bytes, id).flags & REACH_FLAG_REACHABLE);
}

/* A destination on the link has no gateway that could fail. */
static void a_direct_route_is_kept(void)
{
	struct host host = { .uses = 2,
			     .metrics = { [2] = 1, [3] = 3 },
			     .direct = true };
	SCOPED_BYTES bytes = { .look_up = look_up, .context = &host };
	uint64_t id = begin(&bytes);

	pull(&bytes, 2);
	CHECK(bytes_state(&bytes, id).reason == REACH_REASON_LINK_DOWN);
	CHECK(!host.through);
}

/* Only the first destination asks for links that have no route, for 0.1 s, until an
 * event, and until a confirming lookup. */
static void destinations_share_their_ways(void)
{
	char other[] = "2001:db8::2";
	struct host host = { .uses = 2, .metrics = { [2] = 1, [3] = 3 } };
	SCOPED_BYTES bytes = { .look_up = look_up, .context = &host };
	uint64_t id = begin(&bytes);

	pull(&bytes, 2);
	for (int i = 0; i < 3; i++, other[10]++) {
		host.through = 0;
		id = bytes_watch(&bytes, other, 0);
		CHECK(bytes_state(&bytes, id).interface_index == 3);
		CHECK(host.through == (i < 2 ? 2 : 4));
		reach_engine_clock(bytes.engine,
				   (1006 + 6 * i) * BYTES_SECOND / 100);
	}
	host.metrics[3] = 0;
	host.metrics[4] = 2;
	bytes_tell_route(&bytes, RTM_NEWROUTE, AF_INET6);
	CHECK(bytes_state(&bytes, id).interface_index == 4);
	/* Without an event. */
	host.metrics[3] = 1;
	reach_engine_clock(bytes.engine, 20 * BYTES_SECOND);
	CHECK(bytes_state(&bytes, id).interface_index == 3);
}

void test_recheck(void)
{
	destinations_share_their_ways();
	a_recheck_finds_what_the_kernel_did();
	a_route_without_successor_is_rechecked();
	a_rejecting_route_is_rechecked();
	a_second_uplink_comes_late();
	a_direct_route_is_kept();
}
