/* SPDX-License-Identifier: MIT */
/* Events of a link that no route uses. Once the engine knows rules and
 * settings, such events cost no lookup, unless they can change a source. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>

#include "bytes.h"

#define OTHER 3

struct host {
	/* IPv6's source; NULL for none. */
	const char *source;
	/* Whether each family has a default route over eth0. */
	bool inet;
	bool inet6;
	/* IPv4's route has a second leg, over OTHER. */
	bool legs;
	/* The leg that packets take; 0 for eth0. */
	uint32_t output;
};

static void put_legs(struct nlmsghdr *ret)
{
	struct rtnexthop legs[2] = {
		{ .rtnh_len = sizeof(*legs), .rtnh_ifindex = 2 },
		{ .rtnh_len = sizeof(*legs), .rtnh_ifindex = OTHER },
	};

	mnl_attr_put(ret, RTA_MULTIPATH, sizeof(legs), legs);
}

static int look_up(struct bytes *bytes, const struct nlmsghdr *request,
		   struct nlmsghdr *ret)
{
	const struct host *host = bytes->context;
	struct rtmsg *body = mnl_nlmsg_get_payload(ret);
	const bool is_inet = body->rtm_family == AF_INET;
	const char *source = is_inet ? "10.0.0.2" : host->source;
	const bool match = bytes_wants_match(request);

	if (!(is_inet ? host->inet : host->inet6))
		return ENETUNREACH;
	body->rtm_dst_len = 0;
	if (is_inet && host->legs && match) {
		put_legs(ret);
		return 0;
	}
	mnl_attr_put_u32(ret, RTA_OIF,
			 is_inet && host->output ? host->output : 2);
	if (source && !match)
		bytes_put_address(ret, RTA_PREFSRC, source);
	return 0;
}

/* The number of lookups that @tell and its opposite cost. */
static unsigned int cost(struct bytes *bytes,
			 void (*tell)(struct bytes *bytes, bool on))
{
	const unsigned int before = bytes->lookups;

	tell(bytes, true);
	bytes_settle(bytes);
	tell(bytes, false);
	bytes_settle(bytes);
	return bytes->lookups - before;
}

static void flap(struct bytes *bytes, bool on)
{
	bytes_tell_link(bytes, OTHER, on);
}

static void link_local(struct bytes *bytes, bool on)
{
	bytes_tell_address_of(bytes, OTHER, on ? RTM_NEWADDR : RTM_DELADDR,
			      "fe80::3");
}

static void global(struct bytes *bytes, bool on)
{
	bytes_tell_address_of(bytes, OTHER, on ? RTM_NEWADDR : RTM_DELADDR,
			      "fd00::3");
}

static uint64_t watch(struct bytes *bytes, const char *text)
{
	struct reach_target target = check_target(REACH_TARGET_INTERNET, NULL);

	if (text)
		return bytes_watch(bytes, text, 0);
	return bytes_add(bytes, &target);
}

static void begin(struct bytes *bytes, const char *text)
{
	bytes_open(bytes, BYTES_SECOND);
	watch(bytes, text);
	bytes_idle(bytes);
	/* With few targets, this shows the legs of IPv4's route. */
	flap(bytes, true);
	bytes_settle(bytes);
	flap(bytes, false);
	bytes_settle(bytes);
}

/* @text: the target, or NULL for the internet. */
static void costs_nothing(const char *text, bool inet, bool inet6)
{
	struct host host = { .source = "fd00::2",
			     .inet = inet,
			     .inet6 = inet6 };
	SCOPED_BYTES bytes = { .look_up = look_up, .context = &host };

	begin(&bytes, text);
	CHECK(cost(&bytes, flap) == 0);
	CHECK(cost(&bytes, link_local) == 0);
}

/* When the link of another leg fails, the kernel sends no route event. */
static void legs_are_heeded(void)
{
	struct host host = { .inet = true, .legs = true };
	SCOPED_BYTES bytes = { .look_up = look_up, .context = &host };
	int i;
	uint64_t id = bytes_begin(&bytes, "203.0.113.1", 0);

	bytes_idle(&bytes);
	for (i = 0; i < 3; i++) {
		host.output = OTHER;
		bytes_tell_link(&bytes, OTHER, true);
		CHECK(bytes_state(&bytes, id).interface_index == OTHER);
		host.output = 0;
		bytes_tell_link(&bytes, OTHER, false);
		CHECK(bytes_state(&bytes, id).interface_index == 2);
	}
}

/* Events that can change a source cost lookups. */
static void sources_are_heeded(const char *source)
{
	struct host host = { .source = source, .inet = false, .inet6 = true };
	SCOPED_BYTES bytes = { .look_up = look_up, .context = &host };
	const bool is_global = source && !strcmp(source, "fd00::2");

	begin(&bytes, "2001:db8::1");
	CHECK(cost(&bytes, global) > 0);
	/* The address stays while its link is down. */
	global(&bytes, true);
	bytes_settle(&bytes);
	CHECK(cost(&bytes, flap) > 0);
	bytes_tell_address_of(&bytes, OTHER, RTM_DELADDR, "fd00::3");
	bytes_settle(&bytes);
	CHECK((cost(&bytes, link_local) > 0) != is_global);
}

/* Rules may name the other link. */
static void rules_are_heeded(void)
{
	struct host host = { .source = "fd00::2",
			     .inet = false,
			     .inet6 = true };
	SCOPED_BYTES bytes = { .look_up = look_up,
			       .context = &host,
			       .ruled = AF_INET6 };

	begin(&bytes, "2001:db8::1");
	CHECK(cost(&bytes, flap) > 0);
	CHECK(cost(&bytes, link_local) > 0);
}

/* A link-local source may have a route where other sources don't. */
static void source_routes_are_heeded(void)
{
	struct host host = { .source = NULL, .inet = false, .inet6 = false };
	SCOPED_BYTES bytes = { .look_up = look_up,
			       .context = &host,
			       .source_routes = true };

	begin(&bytes, "2001:db8::1");
	CHECK(cost(&bytes, link_local) > 0);
}

void test_flaps(void)
{
	legs_are_heeded();
	costs_nothing(NULL, true, true);
	costs_nothing(NULL, false, true);
	costs_nothing(NULL, false, false);
	costs_nothing("192.0.2.1", true, false);
	costs_nothing("2001:db8::1", false, true);
	costs_nothing("2001:db8::1", false, false);
	sources_are_heeded("fd00::2");
	sources_are_heeded("fe80::2");
	sources_are_heeded(NULL);
	rules_are_heeded();
	source_routes_are_heeded();
}
