/* SPDX-License-Identifier: MIT */
/* Dumps of rules and settings: neither the first answer nor an event waits for
 * them. */
#include <errno.h>
#include <stdint.h>
#include <sys/socket.h>

#include <linux/rtnetlink.h>

#include "bytes.h"

#define MILLISECOND (BYTES_SECOND / 1000)

/* Links, addresses, and IPv4's rules, which decide whether one lookup is
 * enough. */
#define FIRST_DUMPS 3

/* And IPv6's rules, two dumps of settings, IPv4's table default, and IPv6's
 * routes. */
#define DUMPS 8

/* IPv4 has a default route, IPv6 none. */
static void begin(struct bytes *bytes, unsigned int count)
{
	static struct bytes_way ways[2] = { { 0 }, { .error = ENETUNREACH } };

	*bytes = (struct bytes){ .look_up = bytes_way, .context = ways };
	bytes_open(bytes, BYTES_SECOND);
	bytes_watch(bytes, "2001:db8::1", 0);
	bytes_watch_many(bytes, "192.0.2.", count - 1, NULL);
	CHECK(bytes_settle(bytes) == count);
	CHECK(bytes->dumps <= FIRST_DUMPS);
}

static void route(struct bytes *bytes)
{
	bytes_tell_route(bytes, RTM_NEWROUTE, AF_INET);
}

static void route6(struct bytes *bytes)
{
	bytes_tell_route(bytes, RTM_DELROUTE, AF_INET6);
}

static void link_down(struct bytes *bytes)
{
	bytes_tell_link(bytes, 2, false);
}

static void link_up(struct bytes *bytes)
{
	bytes_tell_link(bytes, 2, true);
}

static void address(struct bytes *bytes)
{
	bytes_tell_address(bytes, RTM_NEWADDR, "fd00::3");
}

static void rule6(struct bytes *bytes)
{
	bytes_tell_rule(bytes, RTM_NEWRULE, AF_INET6);
}

/* Whether the event costs lookups but no dump. */
static bool is_answered_at_once(struct bytes *bytes,
				void (*tell)(struct bytes *bytes))
{
	const unsigned int dumps = bytes->dumps, lookups = bytes->lookups;

	tell(bytes);
	bytes_settle(bytes);
	return bytes->dumps == dumps && bytes->lookups > lookups;
}

static void no_event_waits(unsigned int count)
{
	struct bytes bytes;

	begin(&bytes, count);
	bytes_idle(&bytes);
	CHECK(bytes.dumps == DUMPS);
	CHECK(is_answered_at_once(&bytes, route6));
	CHECK(is_answered_at_once(&bytes, link_down));
	CHECK(is_answered_at_once(&bytes, link_up));
	CHECK(is_answered_at_once(&bytes, address));
	CHECK(is_answered_at_once(&bytes, rule6));
	bytes_close(&bytes);
	if (count < 2)
		return;
	begin(&bytes, count);
	bytes_idle(&bytes);
	CHECK(is_answered_at_once(&bytes, route));
	bytes_close(&bytes);
}

/* An event that comes before the dumps doesn't wait for them, either. They come
 * one millisecond after it. */
static void an_event_puts_them_off(void)
{
	const int64_t due = BYTES_SECOND + MILLISECOND;
	SCOPED_BYTES bytes;

	begin(&bytes, 1);
	CHECK(reach_engine_deadline(bytes.engine) == due);
	route6(&bytes);
	reach_engine_clock(bytes.engine, due);
	bytes_settle(&bytes);
	CHECK(bytes.dumps <= FIRST_DUMPS);
	CHECK(reach_engine_deadline(bytes.engine) == due + MILLISECOND);
	bytes_idle(&bytes);
	CHECK(bytes.dumps == DUMPS);
}

/* A host that takes a full table has events without a pause. The dumps come all
 * the same. */
static void a_stream_puts_them_off_for_a_while(void)
{
	int64_t now = BYTES_SECOND;
	SCOPED_BYTES bytes;

	begin(&bytes, 1);
	for (int i = 0; i < 40; i++) {
		CHECK(bytes.dumps <= FIRST_DUMPS);
		CHECK(reach_engine_deadline(bytes.engine) > now);
		route6(&bytes);
		now += MILLISECOND / 2;
		reach_engine_clock(bytes.engine, now);
		bytes_settle(&bytes);
	}
	CHECK(bytes.dumps == DUMPS);
	/* The next ones have as long again. */
	CHECK(is_answered_at_once(&bytes, rule6));
	CHECK(reach_engine_deadline(bytes.engine) == now + MILLISECOND);
}

/* Rules that changed are dumped again. */
static void rules_are_dumped_again(void)
{
	SCOPED_BYTES bytes;

	begin(&bytes, 1);
	bytes_idle(&bytes);
	bytes.dumps = 0;
	bytes_idle(&bytes);
	CHECK(bytes.dumps == 0);
	CHECK(is_answered_at_once(&bytes, rule6));
	bytes_idle(&bytes);
	CHECK(bytes.dumps == 1);
}

/* Without targets nothing is dumped. */
static void nothing_is_watched(void)
{
	SCOPED_BYTES bytes = { .look_up = bytes_no_route };

	bytes_open(&bytes, BYTES_SECOND);
	bytes_settle(&bytes);
	CHECK(reach_engine_deadline(bytes.engine) == INT64_MAX);
}

void test_idle(void)
{
	no_event_waits(1);
	no_event_waits(8);
	no_event_waits(20);
	an_event_puts_them_off();
	a_stream_puts_them_off_for_a_while();
	rules_are_dumped_again();
	nothing_is_watched();
}
