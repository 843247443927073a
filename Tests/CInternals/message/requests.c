/* SPDX-License-Identifier: MIT */
/* Compares requests built by libmnl with those built by the functions that
 * replace it: they must be the same bytes. libmnl up to 1.0.4
 * doesn't clear the padding after an attribute. So its buffer is zeroed first,
 * while the other one is filled with garbage. */
#include "engine/query/query.h"

#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>

#include "check.h"
#include "engine/state/state.h"
#include "message/bundled_requests.h"

#define ROUNDS 20000
#define SIZE   1024

struct pair {
	uint64_t random;
	bool equal;
	_Alignas(8) uint8_t libmnl[SIZE];
	_Alignas(8) uint8_t bundled[SIZE];
	uint8_t garbage[SIZE];
};

static void fill(struct pair *pair, void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((uint8_t *)bytes)[i] =
			(uint8_t)check_random(&pair->random, 256);
}

static void begin(struct pair *pair)
{
	memset(pair->libmnl, 0, SIZE);
	fill(pair, pair->garbage, SIZE);
	memcpy(pair->bundled, pair->garbage, SIZE);
}

/* The messages must be equal, and the bundled functions must not write past
 * the message or the first @owned bytes, whichever is longer. */
static void compare(struct pair *pair, size_t owned)
{
	const size_t size = ((struct nlmsghdr *)pair->libmnl)->nlmsg_len;
	const size_t end = size > owned ? size : owned;

	pair->equal &= memcmp(pair->libmnl, pair->bundled, size) == 0;
	pair->equal &= memcmp(pair->bundled + end, pair->garbage + end,
			      SIZE - end) == 0;
}

static void route(struct pair *pair)
{
	struct reach_selectors selectors;
	struct reach_destination destination;
	struct reach_address chosen;
	const bool match = check_random(&pair->random, 2);
	const struct reach_address *const source =
		check_random(&pair->random, 2) ? &chosen : NULL;
	const uint32_t link = check_random(&pair->random, 2);
	const uint32_t sequence = check_random(&pair->random, UINT32_MAX);
	size_t size;

	fill(pair, &selectors.key, sizeof(selectors.key));
	fill(pair, destination.bytes, sizeof(destination.bytes));
	fill(pair, &chosen, sizeof(chosen));
	destination.family = check_random(&pair->random, 2) ? AF_INET
							    : AF_INET6;
	selectors.key.with_source = (uint16_t)check_random(&pair->random, 2);
	selectors.key.mark *= check_random(&pair->random, 2);
	selectors.bound = check_random(&pair->random, 2);
	begin(pair);
	size = reach_request_route(pair->libmnl, sequence, &selectors,
				   &destination, source, link, match);
	pair->equal &= size <= REACH_REQUEST_MAX;
	pair->equal &= size == bundled_request_route(pair->bundled, sequence,
						     &selectors, &destination,
						     source, link, match);
	compare(pair, REACH_REQUEST_MAX);
}

static void others(struct pair *pair)
{
	const uint32_t sequence = check_random(&pair->random, UINT32_MAX);
	const uint32_t index = check_random(&pair->random, 3);
	const uint8_t kind =
		(uint8_t)(REACH_REQUEST_LINKS +
			  check_random(&pair->random,
				       REACH_REQUEST_DEFAULTS -
					       REACH_REQUEST_LINKS + 1));
	void *left = pair->libmnl, *right = pair->bundled;
	/* Of any length, so with any padding. */
	char name[REACH_INTERFACE_NAME_SIZE] = "";

	memset(name, 'w', check_random(&pair->random, sizeof(name)));
	begin(pair);
	switch (check_random(&pair->random, 5)) {
	case 0:
		reach_request_dump(left, kind, sequence);
		bundled_request_dump(right, kind, sequence);
		break;
	case 1:
		reach_request_barrier(left, sequence);
		bundled_request_barrier(right, sequence);
		break;
	case 2:
		reach_request_link(left, sequence, index, name);
		bundled_request_link(right, sequence, index, name);
		break;
	case 3:
		reach_request_links(left, sequence, index);
		bundled_request_links(right, sequence, index);
		break;
	default:
		reach_request_addresses(left, sequence, AF_INET6, index);
		bundled_request_addresses(right, sequence, AF_INET6, index);
		break;
	}
	compare(pair, REACH_REQUEST_MAX);
}

void test_requests(void)
{
	struct pair pair = { .random = 0x2545f4914f6cdd1d, .equal = true };

	for (int i = 0; i < ROUNDS && pair.equal; i++)
		route(&pair);
	CHECK(pair.equal);
	for (int i = 0; i < ROUNDS && pair.equal; i++)
		others(&pair);
	CHECK(pair.equal);
}
