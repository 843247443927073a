/* SPDX-License-Identifier: MIT */
/* Compares the filter's decisions, made by a BPF interpreter, with a plain
 * implementation of the rule. monitor/event_filter.c has the kernel's, and
 * Tests/Proofs/filter.c all tables and types. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>

#include "check.h"
#include "engine/engine.h"
#include "filter/bpf.h"
#include "filter/filter.h"

/* The filter under test. */
static struct sock_filter program[BPF_MAXINSNS];
static size_t length;

/* Builds it for @count disjoint prefixes. */
static int build(const struct reach_prefix *prefixes, size_t count,
		 uint8_t stock)
{
	return reach_filter_build(prefixes, count, stock, program, BPF_MAXINSNS,
				  &length);
}

/* Whether it keeps the datagram; -1 for a mistake. */
static int keeps(const void *bytes, size_t size)
{
	return bpf_run(program, length, bytes, size);
}

static uint32_t below(uint64_t *state, uint32_t limit)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33) % limit;
}

/* A random prefix without host bits, or a random address if @host. Addresses lie
 * close together, so that prefixes meet often. */
static struct reach_prefix random_prefix(uint64_t *state, bool inet, bool host)
{
	const uint8_t most = inet ? 32 : 128;
	const uint32_t spread = below(state, 4);
	struct reach_prefix ret = {
		.address.family = inet ? AF_INET : AF_INET6,
		.length = host ? most : (uint8_t)below(state, most + 1u),
	};
	size_t i;

	for (i = 0; i < most / 8; i++)
		ret.address.bytes[i] =
			(uint8_t)below(state, spread == 3 ? 256 : 1 + spread);
	if (!inet && spread < 3)
		ret.address.bytes[0] = 0x20;
	if (inet && spread < 3)
		ret.address.bytes[0] = 10;
	for (i = ret.length; i < most && !host; i++)
		ret.address.bytes[i / 8] &= (uint8_t)~(0x80 >> i % 8);
	return ret;
}

static bool bit_of(const struct reach_prefix *prefix, size_t i)
{
	return prefix->address.bytes[i / 8] >> (7 - i % 8) & 1;
}

/* Whether two prefixes overlap. Bit by bit, to share nothing with the
 * filter. */
static bool meet(const struct reach_prefix *a, const struct reach_prefix *b)
{
	const size_t bits = a->length < b->length ? a->length : b->length;
	size_t i;

	if (a->address.family != b->address.family)
		return false;
	for (i = 0; i < bits; i++)
		if (bit_of(a, i) != bit_of(b, i))
			return false;
	return true;
}

/* The filter's rule: a default route matters, and any route whose prefix overlaps
 * a watched one. */
static bool can_matter(const struct reach_prefix *watched, size_t count,
		       const struct reach_prefix *route)
{
	size_t i;

	if (route->length <= REACH_DEFAULT_LENGTH_MAX)
		return true;
	for (i = 0; i < count; i++)
		if (meet(&watched[i], route))
			return true;
	return false;
}

/* Builds the filter of an engine whose targets are @hosts. */
static int build_for_hosts(const struct reach_prefix *hosts, size_t count,
			   size_t capacity)
{
	struct reach_engine *engine;
	struct reach_target target = check_target(REACH_TARGET_ADDRESS, NULL);
	int err = reach_engine_create(&engine);
	uint64_t id;
	size_t i;

	if (err)
		return err;
	for (i = 0; i < count && !err; i++) {
		target.remote = hosts[i].address;
		err = reach_engine_add(engine, &target, &id);
	}
	if (!err)
		err = reach_interest_filter(engine, program, capacity, &length);
	reach_engine_destroy(engine);
	return err;
}

/* The filter's order: IPv4 first, then by address, and a prefix right before
 * those inside it. */
static int compare(const void *a, const void *b)
{
	const struct reach_prefix *x = a, *y = b;
	const int order = memcmp(x->address.bytes, y->address.bytes, 16);

	if (x->address.family != y->address.family)
		return x->address.family == AF_INET ? -1 : 1;
	return order ? order : x->length - y->length;
}

/* Sorts prefixes, and leaves out those inside another. Returns their number. */
static size_t make_disjoint(struct reach_prefix *prefixes, size_t count)
{
	size_t kept = 0, i;

	qsort(prefixes, count, sizeof(*prefixes), compare);
	for (i = 0; i < count; i++)
		if (!kept || !meet(&prefixes[kept - 1], &prefixes[i]))
			prefixes[kept++] = prefixes[i];
	return kept;
}

/* Makes a route message as the kernel sends it, RTA_TABLE first. Returns its
 * size. */
static size_t make_route(uint8_t *bytes, const struct reach_prefix *route,
			 uint32_t flags)
{
	const uint16_t size = route->address.family == AF_INET ? 4 : 16;
	const struct nlattr table = { 8, RTA_TABLE };
	const struct nlattr destination = { (uint16_t)(4 + size), RTA_DST };
	const struct rtmsg rtm = { .rtm_family = (uint8_t)route->address.family,
				   .rtm_dst_len = route->length,
				   .rtm_flags = flags };
	struct nlmsghdr nlh = { .nlmsg_type = RTM_NEWROUTE };
	size_t used = sizeof(nlh);

	memcpy(bytes + used, &rtm, sizeof(rtm));
	used += sizeof(rtm);
	memcpy(bytes + used, &table, sizeof(table));
	memset(bytes + used + 4, 1, 4);
	used += 8;
	if (route->length) {
		memcpy(bytes + used, &destination, sizeof(destination));
		memcpy(bytes + used + 4, route->address.bytes, size);
		used += 4u + size;
	}
	nlh.nlmsg_len = (uint32_t)used;
	memcpy(bytes, &nlh, sizeof(nlh));
	return used;
}

static void compare_routes(uint64_t *state, const struct reach_prefix *watched,
			   size_t count, bool exact, uint32_t rounds)
{
	uint8_t bytes[128];
	uint32_t i, wrong = 0;

	for (i = 0; i < rounds; i++) {
		struct reach_prefix route =
			random_prefix(state, below(state, 2), false);
		bool matters;
		size_t size;
		int kept;

		/* Half of the routes lie near a watched address. */
		if (count && below(state, 2)) {
			route = watched[below(state, (uint32_t)count)];
			route.length = (uint8_t)below(state, route.length + 1u);
			if (below(state, 2) && route.length)
				route.address.bytes[(route.length - 1) / 8] ^=
					(uint8_t)(0x80 >>
						  (route.length - 1) % 8);
		}
		matters = can_matter(watched, count, &route);
		size = make_route(bytes, &route, 0);
		kept = keeps(bytes, size);
		wrong += kept < 0 || (matters && kept == 0) ||
			 (exact && !matters && kept == 1);
	}
	CHECK(wrong == 0);
}

/* @hosts: targets of an engine, which may need shorter prefixes unless the case
 * is exact. */
static void check_rule(void)
{
	static const struct {
		size_t count;
		size_t capacity;
		bool hosts;
		bool exact;
	} cases[] = {
		{ 0, BPF_MAXINSNS, true, true },
		{ 1, BPF_MAXINSNS, true, true },
		{ 2, BPF_MAXINSNS, true, true },
		{ 3, BPF_MAXINSNS, false, true },
		{ 10, BPF_MAXINSNS, true, true },
		{ 100, BPF_MAXINSNS, true, true },
		{ 100, BPF_MAXINSNS, false, true },
		{ 400, BPF_MAXINSNS, true, false },
		{ 400, 1000, true, false },
		{ 2000, BPF_MAXINSNS, true, false },
		{ 100, 300, true, false },
		{ 20000, BPF_MAXINSNS, true, false },
	};
	static struct reach_prefix watched[20000];
	uint64_t state = 3;
	size_t i, k, round;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		for (round = 0; round < 6; round++) {
			const bool both = round % 3 == 2;
			size_t count = cases[i].count;

			for (k = 0; k < count; k++)
				watched[k] = random_prefix(
					&state,
					both ? below(&state, 2)
					     : round % 3 == 0,
					cases[i].hosts || below(&state, 20));
			if (!cases[i].hosts)
				count = make_disjoint(watched, count);
			length = 0;
			CHECK((cases[i].hosts
				       ? build_for_hosts(watched, count,
							 cases[i].capacity)
				       : build(watched, count, 0)) == 0);
			CHECK(length <= cases[i].capacity);
			compare_routes(&state, watched, count, cases[i].exact,
				       count > 1000 ? 300 : 3000);
		}
	}
}

/* The number of addresses that fit the kernel's limit of instructions, if they
 * are spread over the whole address space. */
static void check_capacity(void)
{
	static struct reach_prefix watched[600];
	uint64_t state = 9;
	size_t i, k;
	int family;

	for (family = 0; family < 2; family++) {
		const size_t count = family ? 200 : 600;

		for (i = 0; i < count; i++) {
			watched[i] = random_prefix(&state, !family, true);
			for (k = 0; k < 16; k++)
				watched[i].address.bytes[k] =
					(uint8_t)below(&state, 256);
			if (!family)
				memset(watched[i].address.bytes + 4, 0, 12);
		}
		CHECK(build(watched, make_disjoint(watched, count), 0) == 0);
	}
	/* 600 addresses of both don't fit, but wider prefixes around them
	 * do. */
	length = 77;
	CHECK(build(watched, make_disjoint(watched, 600), 0) == -ENOSPC);
	CHECK(length == 77);
	CHECK(build_for_hosts(watched, 600, BPF_MAXINSNS) == 0);
	CHECK(build_for_hosts(watched, 1, 40) == -ENOSPC);
}

static int run_header(uint16_t type, uint8_t family, size_t size)
{
	uint8_t bytes[64] = { 0 };
	const struct nlmsghdr nlh = { .nlmsg_len = (uint32_t)size,
				      .nlmsg_type = type };

	memcpy(bytes, &nlh, sizeof(nlh));
	bytes[16] = family;
	return keeps(bytes, size);
}

/* Of a neighbor, only what may change the kernel's choice of a gateway. */
static void check_neighbors(void)
{
	static const struct {
		uint8_t family;
		uint16_t state;
		bool passes;
	} rows[] = {
		{ AF_INET6, NUD_REACHABLE, true },
		{ AF_INET6, NUD_FAILED, true },
		{ AF_INET, NUD_PERMANENT, true },
		{ AF_INET, NUD_NONE, true },
		{ AF_INET6, NUD_STALE, false },
		{ AF_INET6, NUD_DELAY, false },
		{ AF_INET, NUD_PROBE, false },
		{ AF_BRIDGE, NUD_REACHABLE, false },
	};
	size_t i;

	for (i = 0; i < 2 * sizeof(rows) / sizeof(*rows); i++) {
		struct {
			struct nlmsghdr header;
			struct ndmsg body;
		} message = {
			.header = { .nlmsg_len = sizeof(message),
				    .nlmsg_type = i % 2 ? RTM_DELNEIGH
							: RTM_NEWNEIGH },
			.body = { .ndm_family = rows[i / 2].family,
				  .ndm_state = rows[i / 2].state },
		};

		CHECK(keeps(&message, sizeof(message)) == rows[i / 2].passes);
	}
}

static void check_others(void)
{
	static const struct {
		uint16_t type;
		uint8_t family;
		uint8_t size;
		bool kept;
	} rows[] = {
		{ RTM_NEWLINK, 0, 32, true },
		{ RTM_DELLINK, 0, 32, true },
		{ RTM_NEWLINK, AF_BRIDGE, 32, false },
		{ RTM_DELLINK, AF_BRIDGE, 32, false },
		{ RTM_NEWADDR, AF_INET, 24, true },
		{ RTM_NEWADDR, AF_INET, 40, true },
		{ RTM_NEWRULE, AF_INET, 40, true },
		{ RTM_NEWNEXTHOP, AF_INET, 40, true },
		{ RTM_NEWNETCONF, AF_INET, 40, true },
		{ NLMSG_DONE, 0, 20, true },
		{ RTM_NEWROUTE, 99, 40, true },
		/* A default route, which has no RTA_DST. */
		{ RTM_NEWROUTE, AF_INET, 28, true },
		{ RTM_DELROUTE, AF_INET6, 28, true },
	};
	struct reach_prefix host = { .address = { .family = AF_INET,
						  .bytes = { 9, 9, 9, 9 } },
				     .length = 32 };
	struct reach_prefix other = host;
	uint8_t bytes[256] = { 0 };
	size_t size;

	CHECK(build(&host, 1, 0) == 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		CHECK(run_header(rows[i].type, rows[i].family, rows[i].size) ==
		      rows[i].kept);
	check_neighbors();
	size = make_route(bytes, &host, 0);
	CHECK(keeps(bytes, size) == 1);
	size = make_route(bytes, &host, RTM_F_CLONED);
	CHECK(keeps(bytes, size) == 0);
	other.address.bytes[3] = 8;
	size = make_route(bytes, &other, 0);
	CHECK(keeps(bytes, size) == 0);
	/* A second message follows. */
	CHECK(keeps(bytes, size + 28) == 1);
	/* Invalid lengths and attributes: the filter keeps the message. */
	bytes[17] = 33;
	CHECK(keeps(bytes, size) == 1);
	bytes[17] = 32;
	bytes[36] = 9;
	CHECK(keeps(bytes, size) == 1);
	bytes[36] = 7;
	CHECK(keeps(bytes, size) == 1);
	bytes[28] = 2;
	CHECK(keeps(bytes, size) == 1);
}

/* Runs the filter on a link message that has attributes of up to two types (0
 * for none) with 4 bytes each. */
static int run_link(uint16_t type, uint16_t first, uint16_t second)
{
	const uint16_t types[] = { IFLA_IFNAME, first, second };
	uint8_t bytes[64] = { 0 };
	struct nlmsghdr nlh = { .nlmsg_type = type };
	size_t used = sizeof(nlh) + sizeof(struct ifinfomsg), i;

	for (i = 0; i < sizeof(types) / sizeof(*types); i++) {
		const struct nlattr attribute = { 8, types[i] };

		if (!types[i])
			continue;
		memcpy(bytes + used, &attribute, sizeof(attribute));
		used += 8;
	}
	nlh.nlmsg_len = (uint32_t)used;
	memcpy(bytes, &nlh, sizeof(nlh));
	return keeps(bytes, used);
}

/* The only link messages that the filter drops are partial ones from the
 * wireless extensions. */
static void check_links(void)
{
	static const uint16_t types[] = { RTM_NEWLINK, RTM_DELLINK };
	size_t i;

	CHECK(build(NULL, 0, 0) == 0);
	CHECK(run_link(RTM_NEWLINK, IFLA_WIRELESS, 0) == 0);
	for (i = 0; i < sizeof(types) / sizeof(*types); i++) {
		CHECK(run_link(types[i], 0, 0) == 1);
		CHECK(run_link(types[i], IFLA_OPERSTATE, 0) == 1);
		CHECK(run_link(types[i], IFLA_WIRELESS, IFLA_OPERSTATE) == 1);
		CHECK(run_link(types[i], IFLA_OPERSTATE, IFLA_WIRELESS) == 1);
	}
}

/* An IPv6 route that selects by source passes, whatever its destination. */
static void check_sources(void)
{
	const struct reach_prefix host = {
		.address = { .family = AF_INET6, .bytes = { 9 } }, .length = 128
	};
	struct reach_prefix other = host;
	uint8_t bytes[256] = { 0 };
	size_t size;

	CHECK(build(&host, 1, REACH_FILTER_STOCK6) == 0);
	other.address.bytes[1] = 8;
	size = make_route(bytes, &other, 0);
	bytes[20] = RT_TABLE_MAIN;
	CHECK(keeps(bytes, size) == 0);
	bytes[18] = 64;
	CHECK(keeps(bytes, size) == 1);
}

void test_filter(void)
{
	check_sources();
	check_others();
	check_links();
	check_capacity();
	check_rule();
}
