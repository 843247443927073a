/* SPDX-License-Identifier: MIT */
/* Compares the filter's decisions about random messages, made by a BPF
 * interpreter, with a plain implementation of the rule. monitor/event_filter.c
 * has the kernel's, and Tests/Proofs/filter.c any message. */
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

/* ---- filter.h's specification ------------------------------------------ */

struct message {
	uint8_t bytes[128];
	size_t size;
};

struct watched {
	const struct reach_prefix *prefixes;
	size_t count;
	uint8_t stock;
};

static uint32_t number(const struct message *message, size_t at, size_t size)
{
	uint16_t half;
	uint32_t whole;

	memcpy(&half, message->bytes + at, 2);
	memcpy(&whole, message->bytes + at, 4);
	return size == 2 ? half : whole;
}

/* The offset of an attribute; 0 if it is missing or behind a damaged one. */
static size_t find(const struct message *message, size_t at, uint16_t type)
{
	while (at + 4 <= message->size) {
		const size_t size = number(message, at, 2);

		if (size < 4 || size > message->size - at)
			return 0;
		if ((number(message, at + 2, 2) & (uint32_t)NLA_TYPE_MASK) ==
		    type)
			return at;
		at += (size + 3) / 4 * 4;
	}
	return 0;
}

/* Whether the route overlaps a watched prefix, or can't be read. */
static bool overlaps(const struct message *message,
		     const struct watched *watched)
{
	struct reach_prefix route = { .address.family = message->bytes[16],
				      .length = message->bytes[17] };
	const size_t size = route.address.family == AF_INET ? 4 : 16;
	const size_t at = find(message, 28, RTA_DST);

	if (route.length <= REACH_DEFAULT_LENGTH_MAX ||
	    route.length > 8 * size || !at ||
	    number(message, at, 2) != 4 + size)
		return true;
	memcpy(route.address.bytes, message->bytes + at + 4, size);
	for (size_t i = 0; i < watched->count; i++)
		if (meet(&watched->prefixes[i], &route))
			return true;
	return false;
}

static bool route_matters(const struct message *message,
			  const struct watched *watched)
{
	const uint8_t family = message->bytes[16], table = message->bytes[20];
	const bool inet = family == AF_INET;

	if (number(message, 24, 4) & RTM_F_CLONED)
		return false;
	if (!inet && (family != AF_INET6 || message->bytes[18]))
		return true;
	if (inet && table == RT_TABLE_DEFAULT)
		return true;
	if (watched->stock &
		    (inet ? REACH_FILTER_STOCK : REACH_FILTER_STOCK6) &&
	    table != RT_TABLE_MAIN && table != RT_TABLE_LOCAL)
		return false;
	return overlaps(message, watched);
}

static bool matters(const struct message *message,
		    const struct watched *watched)
{
	/* Another message may follow. */
	if (message->size < 28 || number(message, 0, 4) != message->size)
		return true;
	switch (number(message, 4, 2)) {
	case RTM_NEWLINK:
	case RTM_DELLINK:
		return message->bytes[16] != AF_BRIDGE &&
		       (!find(message, 32, IFLA_WIRELESS) ||
			find(message, 32, IFLA_OPERSTATE));
	case RTM_NEWNEIGH:
	case RTM_DELNEIGH:
		return !(number(message, 24, 2) &
			 (NUD_STALE | NUD_DELAY | NUD_PROBE)) &&
		       message->bytes[16] != AF_BRIDGE;
	case RTM_NEWROUTE:
	case RTM_DELROUTE:
		return route_matters(message, watched);
	default:
		return true;
	}
}

/* ---- filters ----------------------------------------------------------- */

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

/* ---- messages ---------------------------------------------------------- */

static void put(struct message *message, uint16_t type, const void *value,
		uint16_t size)
{
	const struct nlattr attribute = { (uint16_t)(4 + size), type };

	memcpy(message->bytes + message->size, &attribute, 4);
	memcpy(message->bytes + message->size + 4, value, size);
	message->size += (size + 7u) / 4 * 4;
}

/* A route like the kernel's, with RTA_TABLE first. */
static void put_route(uint64_t *state, struct message *message,
		      const struct watched *watched)
{
	static const uint8_t tables[] = { RT_TABLE_MAIN, RT_TABLE_LOCAL,
					  RT_TABLE_DEFAULT, 77 };
	uint32_t flags;
	struct reach_prefix route =
		random_prefix(state, below(state, 2), false);
	uint8_t *bytes = message->bytes;

	/* Half of the routes lie near a watched address. */
	if (watched->count && below(state, 2)) {
		route = watched->prefixes[below(state,
						(uint32_t)watched->count)];
		route.length = (uint8_t)below(state, route.length + 1u);
		if (below(state, 2) && route.length)
			route.address.bytes[(route.length - 1) / 8] ^=
				(uint8_t)(0x80 >> (route.length - 1) % 8);
	}
	bytes[16] = (uint8_t)route.address.family;
	bytes[17] = route.length;
	bytes[18] = below(state, 16) ? 0 : 64;
	bytes[20] = tables[below(state, 8) % 5 % 4];
	flags = below(state, 16) ? 0 : RTM_F_CLONED;
	memcpy(bytes + 24, &flags, 4);
	message->size = 28;
	if (below(state, 8))
		put(message, RTA_TABLE, "\1\1\1\1", 4);
	if (route.length)
		put(message, RTA_DST, route.address.bytes,
		    route.address.family == AF_INET ? 4 : 16);
}

/* A message of any other type. */
static void put_other(uint64_t *state, struct message *message)
{
	static const uint16_t types[] = { RTM_NEWLINK,	  RTM_DELLINK,
					  RTM_NEWNEIGH,	  RTM_DELNEIGH,
					  RTM_NEWADDR,	  RTM_NEWRULE,
					  RTM_NEWNEXTHOP, RTM_NEWNETCONF,
					  NLMSG_DONE };
	static const uint16_t attributes[] = { IFLA_IFNAME, IFLA_WIRELESS,
					       IFLA_OPERSTATE };
	static const uint8_t families[] = { 0, AF_INET, AF_INET6, AF_BRIDGE };
	const uint16_t type =
		types[below(state, sizeof(types) / sizeof(*types))];

	memcpy(message->bytes + 4, &type, 2);
	message->bytes[16] = families[below(state, 4)];
	message->bytes[24] = (uint8_t)(1 << below(state, 8));
	message->size = below(state, 8) ? 32 : 20;
	while (message->size >= 32 && message->size < 64 && below(state, 3))
		put(message, attributes[below(state, 3)], "eth", 4);
}

/* A few are damaged, or have another one behind them. */
static struct message random_message(uint64_t *state,
				     const struct watched *watched)
{
	struct message ret = { .size = 0 };
	const uint16_t type = (uint16_t)(RTM_NEWROUTE + below(state, 2));
	uint32_t size;

	memcpy(ret.bytes + 4, &type, 2);
	if (below(state, 4))
		put_route(state, &ret, watched);
	else
		put_other(state, &ret);
	size = (uint32_t)ret.size;
	memcpy(ret.bytes, &size, 4);
	if (below(state, 16) == 0)
		ret.bytes[16 + below(state, size - 16)] ^=
			(uint8_t)(1 << below(state, 8));
	if (below(state, 16) == 0)
		ret.size += 28;
	return ret;
}

/* Without @exact, the filter may keep more. */
static void compare_messages(uint64_t *state, const struct watched *watched,
			     bool exact, uint32_t rounds)
{
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < rounds; i++) {
		const struct message message = random_message(state, watched);
		const bool wanted = matters(&message, watched);
		const int kept =
			bpf_run(program, length, message.bytes, message.size);

		wrong += kept < 0 || (wanted && !kept) ||
			 (exact && !wanted && kept);
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
	static struct reach_prefix prefixes[20000];
	struct watched watched = { .prefixes = prefixes };
	uint64_t state = 3;
	size_t i, k, round;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		for (round = 0; round < 6; round++) {
			const bool both = round % 3 == 2;
			size_t count = cases[i].count;

			for (k = 0; k < count; k++)
				prefixes[k] = random_prefix(
					&state,
					both ? below(&state, 2)
					     : round % 3 == 0,
					cases[i].hosts || below(&state, 20));
			if (!cases[i].hosts)
				count = make_disjoint(prefixes, count);
			length = 0;
			watched.count = count;
			/* An engine doesn't know the rules yet. */
			watched.stock = cases[i].hosts ? 0 : round % 4;
			CHECK((cases[i].hosts
				       ? build_for_hosts(prefixes, count,
							 cases[i].capacity)
				       : build(prefixes, count,
					       watched.stock)) == 0);
			CHECK(length <= cases[i].capacity);
			compare_messages(&state, &watched, cases[i].exact,
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

void test_filter(void)
{
	check_capacity();
	check_rule();
}
