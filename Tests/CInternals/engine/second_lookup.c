/* SPDX-License-Identifier: MIT */
/* Second lookups: with a source, which the caller supplies for IPv6. Also the
 * events that outdate them. monitor/judge.c checks the kernel's part with
 * packets. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>

#include "bytes.h"
#include "engine/engine.h"

struct host {
	/* A positive errno for lookups without a source, and with one; 0 for a
	 * route. */
	int first;
	int second;
	/* The interface of the first answer, eth0 if 0. */
	uint32_t output;
	/* The result of connect(): a source, or a negative errno. */
	const char *source;
	int error;
	/* The number of requests for sources, and the last of them. */
	unsigned int requests;
	struct reach_source_request last;
	/* A route is added before the source is supplied. */
	bool changes;
	/* The second answer is over eth1, and expires in two seconds. */
	bool expires;
	/* The number of lookups that name an interface. */
	unsigned int bound;
	/* Lookups name no source. */
	bool sourceless;
	/* The prefix length of the second answer. */
	uint8_t length;
};

static int look_up(struct bytes *bytes, const struct nlmsghdr *request,
		   struct nlmsghdr *ret)
{
	struct host *host = bytes->context;
	struct rtmsg *body = mnl_nlmsg_get_payload(ret);
	const bool is_second = bytes_attribute(request, RTA_SRC);
	const int error = is_second ? host->second : host->first;
	const struct rta_cacheinfo info = { .rta_expires = 200 };

	host->bound += bytes_attribute(request, RTA_OIF) != NULL;
	if (error)
		return error;
	if (is_second)
		body->rtm_dst_len = host->length;
	if (is_second && host->expires) {
		mnl_attr_put_u32(ret, RTA_OIF, 3);
		mnl_attr_put(ret, RTA_CACHEINFO, sizeof(info), &info);
		return 0;
	}
	mnl_attr_put_u32(ret, RTA_OIF,
			 !is_second && host->output ? host->output : 2);
	if (!is_second && !host->sourceless)
		bytes_put_source(ret);
	return 0;
}

static void name_source(struct bytes *bytes,
			const struct reach_source_request *request)
{
	struct host *host = bytes->context;
	struct reach_address source = request->destination;

	host->requests++;
	host->last = *request;
	if (host->changes)
		bytes_tell_route(bytes, RTM_NEWROUTE, AF_INET6);
	host->changes = false;
	if (host->source && !reach_address_parse(host->source, &source))
		reach_engine_set_source(bytes->engine, &source, 0);
	else
		reach_engine_set_source(bytes->engine, NULL, host->error);
}

/* A kernel whose IPv6 routes may select by source, and a caller that names
 * sources. */
static struct bytes kernel_of(struct host *host)
{
	return (struct bytes){ .look_up = look_up,
			       .context = host,
			       .source_routes = true,
			       .name_source = name_source };
}

/* The state of 2001:db8::1 through eth0, with selectors. */
static struct reach_state state_of(struct bytes *bytes)
{
	struct reach_target target =
		check_target(REACH_TARGET_ADDRESS, "2001:db8::1");
	struct reach_state state;
	uint64_t id;

	target.mark = 7;
	target.uid = 1000;
	target.interface_index = 2;
	bytes_open(bytes, BYTES_SECOND);
	id = bytes_add(bytes, &target);
	state = bytes_state(bytes, id);
	bytes_close(bytes);
	return state;
}

#define DIRECT (REACH_FLAG_REACHABLE | REACH_FLAG_IS_DIRECT)

static const struct row {
	const char *what;
	/* As in struct host. */
	int first, second, error;
	const char *source;
	bool changes, expires;
	/* The caller supplies no source. */
	bool is_silent;
	/* eth0 is a VRF. */
	bool vrf;
	uint32_t flags;
	enum reach_reason reason;
	uint32_t output;
	unsigned int requests;
} rows[] = {
	{ "a source makes a way", .first = ENETUNREACH, .source = "fd00::2",
	  .flags = DIRECT, .output = 2, .requests = 1 },
	{ "a route is found without a source", .source = "fd00::2",
	  .flags = DIRECT, .output = 2 },
	{ "a caller that supplies no source", .first = ENETUNREACH,
	  .is_silent = true, .reason = REACH_REASON_NO_ROUTE },
	{ "the socket's error", .first = ENETUNREACH, .error = -EACCES,
	  .reason = REACH_REASON_PROHIBITED, .requests = 1 },
	{ "the host has no source address", .first = ENETUNREACH,
	  .error = -EADDRNOTAVAIL, .reason = REACH_REASON_NO_ROUTE,
	  .requests = 1 },
	{ "the caller isn't allowed to open the socket", .first = ENETUNREACH,
	  .error = -EPERM, .reason = REACH_REASON_NO_ROUTE, .requests = 1 },
	/* The second lookup isn't limited to the interface, so that only this
	 * is known. */
	{ "a bound socket is believed", .first = ENETUNREACH, .second = EACCES,
	  .source = "fd00::2", .flags = REACH_FLAG_REACHABLE, .output = 2,
	  .requests = 1 },
	{ "an event before the source repeats both lookups",
	  .first = ENETUNREACH, .source = "fd00::2", .changes = true,
	  .flags = DIRECT, .output = 2, .requests = 2 },
	{ "the packets of a VRF leave through its ports", .first = ENETUNREACH,
	  .source = "fd00::2", .expires = true, .vrf = true,
	  .reason = REACH_REASON_DORMANT,
	  .flags = REACH_FLAG_REACHABLE | REACH_FLAG_CONNECTION_REQUIRED,
	  .output = 3, .requests = 1 },
	{ "a route by source applies to a VRF", .second = EACCES,
	  .source = "fd00::2", .vrf = true, .reason = REACH_REASON_PROHIBITED,
	  .requests = 1 },
};

/* The last request for a source has the selectors of the target. */
static bool is_of_target(const struct reach_source_request *request)
{
	return request->interface_index == 2 && request->mark == 7 &&
	       request->uid == 1000 && request->destination.bytes[3] == 0xb8;
}

static void the_socket_decides(const struct row *row)
{
	struct host host = { .first = row->first,
			     .second = row->second,
			     .source = row->source,
			     .error = row->error,
			     .changes = row->changes,
			     .expires = row->expires };
	struct bytes bytes = kernel_of(&host);
	struct reach_state state;

	bytes.name_source = row->is_silent ? NULL : name_source;
	bytes.vrf = bytes.dormant = row->vrf;
	state = state_of(&bytes);
	if (!CHECK(state.flags == row->flags) ||
	    !CHECK(state.reason == row->reason) ||
	    !CHECK(host.requests == row->requests))
		fprintf(stderr, "%s: %#x, reason %u, %u requests\n", row->what,
			state.flags, state.reason, host.requests);
	CHECK(!state.flags ||
	      (state.interface_index == row->output && !state.gateway.family));
	CHECK(!row->first || !state.flags || state.source.bytes[0] == 0xfd);
	CHECK(!host.requests || is_of_target(&host.last));
}

/* The route that the lookup found may expire, without an event. */
static void a_bound_socket_looks_again(void)
{
	struct host host = { .first = ENETUNREACH,
			     .source = "fd00::2",
			     .expires = true };
	SCOPED_BYTES bytes = kernel_of(&host);
	unsigned int lookups;
	uint64_t id = bytes_begin(&bytes, "2001:db8::1", 2);

	CHECK(bytes_state(&bytes, id).interface_index == 2);
	CHECK(reach_engine_deadline(bytes.engine) <= 4 * BYTES_SECOND);
	lookups = bytes.lookups;
	reach_engine_clock(bytes.engine, 4 * BYTES_SECOND);
	bytes_settle(&bytes);
	CHECK(bytes.lookups > lookups);
}

/* A lookup with source and interface, whose answer isn't limited to the interface,
 * isn't that of a bound socket. Without the source it is. */
static void a_bound_pair_keeps_its_interface(void)
{
	/* The answers with the source: over eth1, or an error. */
	struct host hosts[] = { { .expires = true },
				{ .second = EACCES },
				{ .expires = true, .first = ENETUNREACH } };
	struct reach_target target =
		check_target(REACH_TARGET_ADDRESS_PAIR, "2001:db8::1");
	size_t i;

	target.local = check_address("fd00::2");
	target.interface_index = 2;
	for (i = 0; i < sizeof(hosts) / sizeof(*hosts); i++) {
		SCOPED_BYTES bytes = { .look_up = look_up,
				       .context = &hosts[i],
				       .name_source = name_source };
		struct reach_state state;
		uint64_t id;

		bytes_open(&bytes, BYTES_SECOND);
		id = bytes_add(&bytes, &target);
		state = bytes_state(&bytes, id);
		if (hosts[i].first)
			CHECK(state.reason == REACH_REASON_NO_ROUTE);
		else
			CHECK(state.flags & REACH_FLAG_REACHABLE &&
			      state.interface_index == 2);
		CHECK(!hosts[i].requests);
	}
}

/* A default route without a source is found first, however long the prefix of a
 * route by source is. */
static void a_first_route_hides_one_by_source(void)
{
	struct host host = { .first = ENETUNREACH,
			     .source = "fd00::2",
			     .length = 64 };
	SCOPED_BYTES bytes = kernel_of(&host);
	uint64_t id = bytes_begin(&bytes, "2001:db8::1", 0);

	bytes_idle(&bytes);
	CHECK(bytes_state(&bytes, id).flags & REACH_FLAG_REACHABLE);
	host.first = 0;
	host.output = 1;
	bytes_tell_route(&bytes, RTM_NEWROUTE, AF_INET6);
	CHECK(bytes_state(&bytes, id).interface_index == 1);
}

/* A socket bound to a VRF takes the route that the lookup finds, and a source
 * address from the VRF's links. */
static void a_vrf_has_sources_of_its_own(void)
{
	struct host host = { .source = "fd00::3" };
	SCOPED_BYTES bytes = { .look_up = look_up,
			       .context = &host,
			       .vrf = true,
			       .name_source = name_source };
	struct reach_state state;
	uint64_t id = bytes_begin(&bytes, "2001:db8::1", 2);

	/* No rule selects by source. */
	bytes_idle(&bytes);
	bytes_tell_address(&bytes, RTM_NEWADDR, "fd00::3");
	state = bytes_state(&bytes, id);
	CHECK(host.requests == 2 && host.last.interface_index == 2);
	CHECK(state.flags & REACH_FLAG_REACHABLE);
	CHECK(state.source.bytes[15] == 3);
	/* The socket is refused. */
	host.source = NULL;
	host.error = -EACCES;
	bytes_tell_address(&bytes, RTM_DELADDR, "fd00::3");
	CHECK(bytes_state(&bytes, id).reason == REACH_REASON_PROHIBITED);
	/* No link of the VRF has an address. */
	host.error = -EADDRNOTAVAIL;
	bytes_tell_address(&bytes, RTM_NEWADDR, "fd00::3");
	CHECK(bytes_state(&bytes, id).reason == REACH_REASON_NO_SOURCE);
	/* The caller can't open a socket: the first answer is all there is. */
	host.error = -EMFILE;
	bytes_tell_address(&bytes, RTM_DELADDR, "fd00::3");
	CHECK(bytes_state(&bytes, id).source.bytes[15] == 2);
	/* IPv4's answer already has the right source. */
	host.requests = 0;
	bytes_watch(&bytes, "192.0.2.1", 2);
	bytes_settle(&bytes);
	CHECK(!host.requests);
}

/* The answer of a VRF's table. */
struct leak {
	int error;
	uint32_t output;
	/* The VRF that it leads to, or 0. */
	uint32_t next;
	const char *gateway;
};

/* The interface that a lookup is for, or 0. */
static uint32_t interface_of(const struct nlmsghdr *request)
{
	const uint32_t *output = bytes_attribute(request, RTA_OIF);

	return output ? *output : 0;
}

/* The route leads to the device of a VRF (2), which looks up again, and may lead
 * to another one (4). */
static int look_through_vrf(struct bytes *bytes, const struct nlmsghdr *request,
			    struct nlmsghdr *ret)
{
	const struct leak *leak = bytes->context;
	const uint32_t through = interface_of(request);

	if (!through || (through == 2 && leak->next)) {
		mnl_attr_put_u32(ret, RTA_OIF, through ? leak->next : 2);
		bytes_put_source(ret);
		return 0;
	}
	if (leak->error || !bytes_attribute(request, RTA_SRC))
		return leak->error ? leak->error : EINVAL;
	mnl_attr_put_u32(ret, RTA_OIF, leak->output);
	if (leak->gateway)
		bytes_put_address(ret, RTA_GATEWAY, leak->gateway);
	return 0;
}

/* The rules are those of the VRF's lookup, and the socket's interface none. */
static void a_leak_is_explained(struct bytes *bytes, uint64_t id)
{
	const struct reach_message first = {
		.kind = REACH_MESSAGE_ROUTE,
		.u.route = { .type = RTN_UNICAST, .output = 2 },
	};
	struct reach_explanation found = bytes_explain(bytes, id);
	struct reach_explain_flow flow;

	CHECK(found.lookups == 2);
	reach_explain_take(bytes->engine, id, &first, &found);
	reach_explain_selectors(bytes->engine, id, &found, &flow);
	CHECK(found.is_leak && found.first_output == 2);
	CHECK(flow.master == 2 && !flow.interface_index);
}

/* The answers, and the verdicts. */
static const struct {
	struct leak leak;
	bool has_gateway;
	enum reach_reason reason;
} leaks[] = {
	{ { .output = 3 }, true, REACH_REASON_NONE },
	/* No router, but not direct: the VRF is in between. */
	{ { .output = 3 }, false, REACH_REASON_NONE },
	{ { .error = EHOSTUNREACH }, false, REACH_REASON_UNREACHABLE },
	/* The packet comes back to the host. */
	{ { .output = 2 }, false, REACH_REASON_NO_ROUTE },
	{ { .output = 3, .next = 4 }, true, REACH_REASON_NONE },
	{ { .output = 2, .next = 4 }, false, REACH_REASON_NO_ROUTE },
};

static void a_leak_is_looked_up_in_the_vrf(size_t i, bool inet6)
{
	const struct bytes_link other = { .index = 4,
					  .flags = BYTES_UP,
					  .kind = "vrf" };
	const size_t last = inet6 ? 15 : 3;
	struct leak leak = leaks[i].leak;
	SCOPED_BYTES bytes = { .look_up = look_through_vrf,
			       .context = &leak,
			       .vrf = true };
	struct reach_state state;
	uint64_t id;

	if (leaks[i].has_gateway)
		leak.gateway = inet6 ? "fe80::2" : "10.8.0.2";
	bytes_open(&bytes, BYTES_SECOND);
	bytes_settle(&bytes);
	bytes_tell_port(&bytes, 3, 2);
	bytes_tell_of(&bytes, RTM_NEWLINK, &other);
	bytes_tell_address_of(&bytes, 3, RTM_NEWADDR, "fd00::2");
	id = bytes_watch(&bytes, inet6 ? "2001:db8::1" : "192.0.2.1", 0);
	state = bytes_state(&bytes, id);
	CHECK(state.reason == leaks[i].reason);
	CHECK(state.flags == (state.reason ? 0 : REACH_FLAG_REACHABLE));
	if (state.flags) {
		CHECK(state.interface_index == 3);
		CHECK(state.gateway.bytes[last] == 2 * leaks[i].has_gateway);
		CHECK(state.source.bytes[last] == 2);
	}
	a_leak_is_explained(&bytes, id);
}

/* gVisor up to 2024 names no source. The host has one if a socket does. */
static void a_sourceless_answer_asks_the_socket(void)
{
	struct host host = { .source = "10.0.0.2", .sourceless = true };
	SCOPED_BYTES bytes = { .look_up = look_up,
			       .context = &host,
			       .name_source = name_source };
	struct reach_state state;
	uint64_t id, id6;

	id = bytes_begin(&bytes, "192.0.2.1", 0);
	state = bytes_state(&bytes, id);
	CHECK(host.requests == 1);
	CHECK(host.last.destination.family == AF_INET);
	CHECK(state.flags & REACH_FLAG_REACHABLE);
	CHECK(state.source.family == AF_INET && state.source.bytes[3] == 2);
	host.source = "fd00::2";
	id6 = bytes_watch(&bytes, "2001:db8::1", 0);
	CHECK(bytes_state(&bytes, id6).flags & REACH_FLAG_REACHABLE);
	/* As on an unnumbered tunnel of Linux. */
	host.source = "0.0.0.0";
	bytes_tell_route(&bytes, RTM_NEWROUTE, AF_INET);
	state = bytes_state(&bytes, id);
	CHECK(state.reason == REACH_REASON_NO_SOURCE);
	CHECK(!state.source.family);
}

/* The source of an IPv4 socket is an address of any link in its VRF, if the
 * output link has none (inet_select_addr(), net/ipv4/devinet.c). */
static void a_port_brings_its_addresses(void)
{
	struct host host = { 0 };
	SCOPED_BYTES bytes = {
		.look_up = look_up, .context = &host, .vrf = true, .bare = true
	};
	unsigned int lookups;

	bytes_begin(&bytes, "192.0.2.1", 2);
	bytes_idle(&bytes);
	bytes_tell_link(&bytes, 3, true);
	bytes_settle(&bytes);
	lookups = bytes.lookups;
	bytes_tell_port(&bytes, 3, 0);
	bytes_settle(&bytes);
	CHECK(bytes.lookups == lookups);
	bytes_tell_port(&bytes, 3, 2);
	bytes_settle(&bytes);
	CHECK(bytes.lookups > lookups);
}

/* A socket that sends to a multicast group ignores its VRF. */
static void a_group_is_in_no_vrf(void)
{
	struct host host = { .bound = 0 };
	SCOPED_BYTES bytes = { .look_up = look_up,
			       .context = &host,
			       .vrf = true };

	bytes_begin(&bytes, "239.255.0.1", 2);
	CHECK(bytes.lookups && !host.bound);
	bytes_watch(&bytes, "223.255.0.1", 2);
	bytes_watch(&bytes, "240.0.0.1", 2);
	bytes_watch(&bytes, "ff0e::fb", 2);
	bytes.lookups = 0;
	bytes_settle(&bytes);
	CHECK(bytes.lookups && host.bound == bytes.lookups);
}

/* The first answer is an error, or a route over another link, and the path
 * comes from the second. Events of any link can change either. */
static void any_link_outdates(const char *target)
{
	const bool is_inet = !strchr(target, ':');
	struct host host = { .first = is_inet ? 0 : ENETUNREACH,
			     .output = 3,
			     .source = "fd00::2" };
	SCOPED_BYTES bytes = { .look_up = look_up,
			       .context = &host,
			       .ruled = is_inet ? AF_INET : 0,
			       .by_source = is_inet,
			       .source_routes = true,
			       .name_source = name_source };
	uint64_t id;

	bytes_open(&bytes, BYTES_SECOND);
	/* A link that no path uses. */
	bytes_tell_link(&bytes, 3, true);
	bytes_settle(&bytes);
	id = bytes_watch(&bytes, target, 0);
	bytes_idle(&bytes);
	CHECK(bytes_state(&bytes, id).interface_index == 2);
	CHECK(bytes_state(&bytes, id).flags & REACH_FLAG_REACHABLE);
	host.first = host.second = ENETUNREACH;
	bytes_tell_link(&bytes, 3, false);
	CHECK(!bytes_state(&bytes, id).flags);
}

/* The first error makes the engine request a source. Then the engine reads rules
 * and routes. None selects by source, so it makes no more requests. */
static void nobody_is_asked_in_vain(void)
{
	struct host host = { .first = ENETUNREACH, .source = "fd00::2" };
	SCOPED_BYTES bytes = { .look_up = look_up,
			       .context = &host,
			       .name_source = name_source };

	bytes_open(&bytes, BYTES_SECOND);
	host.second = ENETUNREACH;
	bytes_watch(&bytes, "2001:db8::1", 0);
	bytes_settle(&bytes);
	CHECK(host.requests == 1);
	bytes_idle(&bytes);
	bytes.lookups = 0;
	bytes_tell_route(&bytes, RTM_NEWROUTE, AF_INET6);
	bytes_settle(&bytes);
	bytes_tell_address(&bytes, RTM_NEWADDR, "fd00::3");
	bytes_settle(&bytes);
	CHECK(host.requests == 1 && bytes.lookups >= 2);
}

void test_second_lookup(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		the_socket_decides(&rows[i]);
	a_sourceless_answer_asks_the_socket();
	a_bound_socket_looks_again();
	a_bound_pair_keeps_its_interface();
	any_link_outdates("192.0.2.1");
	any_link_outdates("2001:db8::1");
	nobody_is_asked_in_vain();
	a_first_route_hides_one_by_source();
	a_vrf_has_sources_of_its_own();
	a_port_brings_its_addresses();
	a_group_is_in_no_vrf();
	for (size_t i = 0; i < sizeof(leaks) / sizeof(*leaks); i++) {
		a_leak_is_looked_up_in_the_vrf(i, false);
		a_leak_is_looked_up_in_the_vrf(i, true);
	}
}
