/* SPDX-License-Identifier: MIT */
/* The internet target looks up only as many probes as its verdict needs. The
 * verdict must be the same as with all of them. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>

#include "bytes.h"

/* The built-in probes in their order: four of each family. */
static const char *const probes[] = {
	"1.1.1.1",	     "193.0.14.129",	"8.8.8.8",
	"199.7.83.42",	     "2001:500:9f::42", "2606:4700:4700::1111",
	"2a00:5a60::ad1:ff", "2400:3200::1",
};

#define COUNT	 (sizeof(probes) / sizeof(*probes))
#define INET	 0x0fU
#define ALL	 0xffU
#define MAJORITY 3

/* `context` points to bits: 1 << position for each probe that has a route, and
 * WAITS << position if that route is over a dormant link. */
#define WAITS	(ALL + 1)
#define DORMANT 3

/* The bits of @destination, shifted to position 0. A destination that is no
 * probe has a route. */
static unsigned int bits_of(const struct bytes *bytes,
			    const struct reach_address *destination)
{
	const unsigned int *routes = bytes->context;
	size_t i;

	for (i = 0; i < COUNT; i++) {
		const struct reach_address probe = check_address(probes[i]);

		if (memcmp(&probe, destination, sizeof(probe)) == 0)
			return *routes >> i & (1 | WAITS);
	}
	return 1;
}

static int look_up(struct bytes *bytes, const struct nlmsghdr *request,
		   struct nlmsghdr *ret)
{
	struct rtmsg *body = mnl_nlmsg_get_payload(ret);
	struct reach_address destination = { .family = body->rtm_family };
	const size_t size = body->rtm_family == AF_INET ? 4 : 16;
	unsigned int bits;

	memcpy(destination.bytes, bytes_attribute(request, RTA_DST), size);
	bits = bits_of(bytes, &destination);
	if (!(bits & 1))
		return ENETUNREACH;
	/* A host route, so that no other destination shares the answer. */
	body->rtm_dst_len = (unsigned char)(8 * size);
	mnl_attr_put_u32(ret, RTA_OIF, bits & WAITS ? DORMANT : 2);
	if (!bytes_wants_match(request))
		bytes_put_source(ret);
	return 0;
}

/* The internet, or one @family of it. */
static uint64_t watch(struct bytes *bytes, const char *family)
{
	return bytes_add_new(bytes, REACH_TARGET_INTERNET, family);
}

static uint64_t begin(struct bytes *bytes)
{
	uint64_t id;

	bytes_open(bytes, BYTES_SECOND);
	id = watch(bytes, NULL);
	bytes_settle(bytes);
	return id;
}

static bool is_reachable(struct bytes *bytes, uint64_t id)
{
	return bytes_state(bytes, id).flags & REACH_FLAG_REACHABLE;
}

static uint32_t lookup_count(struct bytes *bytes, uint64_t id)
{
	return bytes_explain(bytes, id).lookup_count;
}

/* Routes of both families changed. */
static void change(struct bytes *bytes)
{
	reach_engine_refresh(bytes->engine);
	bytes_settle(bytes);
}

/* While a majority of the IPv4 probes is reachable, no other probe is looked
 * up. */
static void majority_decides(void)
{
	unsigned int routes = ALL, lookups;
	SCOPED_BYTES bytes = { .look_up = look_up, .context = &routes };
	uint64_t internet = begin(&bytes);

	CHECK(is_reachable(&bytes, internet));
	CHECK(bytes.lookups == 2 * MAJORITY);
	CHECK(lookup_count(&bytes, internet) == MAJORITY);
	/* An event of IPv6 alone. */
	bytes_tell_address(&bytes, RTM_NEWADDR, "fd00::3");
	bytes_settle(&bytes);
	CHECK(bytes.lookups == 2 * MAJORITY);
	/* The last IPv4 probe doesn't matter. */
	routes = ALL & ~8U;
	change(&bytes);
	CHECK(bytes.lookups == 4 * MAJORITY);
	CHECK(is_reachable(&bytes, internet));
	/* One of the first isn't reachable: all are looked up. */
	routes = ALL & ~1U;
	lookups = bytes.lookups;
	change(&bytes);
	CHECK(bytes.lookups == lookups + 2 * COUNT);
	CHECK(is_reachable(&bytes, internet));
	CHECK(lookup_count(&bytes, internet) == COUNT);
	CHECK(bytes_explain(&bytes, internet).deciding == 1);
	/* Two unreachable probes rule out an IPv4 majority. */
	routes = ALL & ~3U;
	change(&bytes);
	CHECK(is_reachable(&bytes, internet));
	CHECK(bytes_explain(&bytes, internet).deciding == 4);
}

/* The rank of a family, whose probes start at @first: 2 if it is reachable, 1
 * if only after a connection is made, 0 if not. @position is set to its first
 * probe of that rank. */
static int rank_of(unsigned int routes, unsigned int first,
		   unsigned int *position)
{
	unsigned int counts[3] = { 0 }, at[3] = { 0 }, i;
	int rank;

	for (i = first + COUNT / 2; i-- > first;) {
		rank = !(routes >> i & 1) ? 0 : routes >> i & WAITS ? 1 : 2;
		counts[rank]++;
		at[rank] = i;
	}
	rank = counts[2] >= MAJORITY		   ? 2
	       : counts[1] + counts[2] >= MAJORITY ? 1
						   : 0;
	*position = at[rank];
	return rank;
}

static int rank_of_flags(uint32_t flags)
{
	if (!(flags & REACH_FLAG_REACHABLE))
		return 0;
	return flags & REACH_FLAG_CONNECTION_REQUIRED ? 1 : 2;
}

/* The verdict of an internet target limited to @family (NULL: both), and the
 * probe that decides it. There are no other targets, because these would cause
 * lookups of the remaining probes. */
static void ranks_are_of_all(const char *family)
{
	unsigned int routes = ALL, seed = 1, step, first, first6;
	SCOPED_BYTES bytes = { .look_up = look_up,
			       .context = &routes,
			       .dormant = true };
	uint64_t id;

	bytes_open(&bytes, BYTES_SECOND);
	id = watch(&bytes, family);
	/* Random sets, from a linear congruential generator, for the 6,561
	 * combinations of three ranks of eight probes. */
	for (step = 1; step < 20000; step++) {
		int inet, inet6, rank;

		seed = seed * 1103515245 + 12345;
		routes = seed >> 7 & (ALL | ALL * WAITS);
		reach_engine_refresh(bytes.engine);
		bytes_settle(&bytes);
		inet = rank_of(routes, 0, &first);
		inet6 = rank_of(routes, COUNT / 2, &first6);
		if (family)
			rank = strchr(family, ':') ? inet6 : inet;
		else
			rank = inet6 > inet ? inet6 : inet;
		if (!CHECK(rank_of_flags(bytes_state(&bytes, id).flags) ==
			   rank) ||
		    (!family && !CHECK(bytes_explain(&bytes, id).deciding ==
				       (inet6 > inet ? first6 : first))))
			break;
	}
}

/* When the link loses its carrier, the probes that used it become unreachable
 * without a lookup. The remaining probes may use another link, so they must be
 * looked up. */
static void rest_is_asked_when_a_link_fails(void)
{
	unsigned int routes = ALL, lookups;
	SCOPED_BYTES bytes = { .look_up = look_up, .context = &routes };
	uint64_t internet = begin(&bytes);

	lookups = bytes.lookups;
	bytes_tell_link(&bytes, 2, false);
	CHECK(!is_reachable(&bytes, internet));
	CHECK(bytes.lookups > lookups + MAJORITY);
	CHECK(lookup_count(&bytes, internet) == COUNT);
	bytes_tell_link(&bytes, 2, true);
	CHECK(is_reachable(&bytes, internet));
}

/* An IPv4-mapped probe is one of IPv4, as such a target is: the kernel would
 * look it up among the IPv6 routes, which no socket uses for it. */
static void a_mapped_probe_is_of_inet(void)
{
	unsigned int routes = INET;
	SCOPED_BYTES bytes = { .look_up = look_up, .context = &routes };
	struct reach_explanation of;
	struct reach_address mapped;
	uint64_t inet, inet6;

	bytes_open(&bytes, BYTES_SECOND);
	mapped = check_address("::ffff:1.1.1.1");
	CHECK(mapped.family == AF_INET6);
	inet = watch(&bytes, "0.0.0.0");
	inet6 = watch(&bytes, "::");
	CHECK(!reach_engine_set_probes(bytes.engine, &mapped, 1));
	bytes_settle(&bytes);
	CHECK(bytes.lookups == 2);
	CHECK(is_reachable(&bytes, inet));
	CHECK(!is_reachable(&bytes, inet6));
	of = bytes_explain(&bytes, inet);
	CHECK(of.address.family == AF_INET && of.address.bytes[0] == 1);
	/* The lookup is that of the address without the mapping. */
	routes = 0;
	change(&bytes);
	CHECK(!is_reachable(&bytes, inet));
}

/* A target that is a probe's address needs the lookup that the internet can do
 * without. */
static void an_address_needs_its_probe(void)
{
	unsigned int routes = ALL;
	SCOPED_BYTES bytes = { .look_up = look_up, .context = &routes };
	uint64_t id;

	begin(&bytes);
	id = bytes_watch(&bytes, probes[MAJORITY], 0);
	bytes_settle(&bytes);
	CHECK(bytes.lookups == 2 * (MAJORITY + 1));
	CHECK(is_reachable(&bytes, id));
}

void test_probes(void)
{
	majority_decides();
	ranks_are_of_all(NULL);
	ranks_are_of_all("0.0.0.0");
	ranks_are_of_all("::");
	rest_is_asked_when_a_link_fails();
	a_mapped_probe_is_of_inet();
	an_address_needs_its_probe();
}
