/* SPDX-License-Identifier: MIT */
/* Prefix arithmetic, compared with an implementation bit by bit, and the
 * shortening of prefixes. */
#include "base/base.h"

#include <sys/socket.h>

#include "filter/filter.c"
#include "proof.h"

static struct reach_address any_address(void)
{
	struct reach_address ret;

	__CPROVER_assume(ret.family == AF_INET || ret.family == AF_INET6);
	for (size_t i = 4; i < 16; i++)
		__CPROVER_assume(ret.family == AF_INET6 || !ret.bytes[i]);
	return ret;
}

static unsigned int bits_of(const struct reach_address *address)
{
	return address->family == AF_INET ? 32 : 128;
}

static bool bit(const struct reach_address *address, unsigned int i)
{
	return address->bytes[i / 8] >> (7 - i % 8) & 1;
}

/* Whether the first @length bits are the same. */
static bool same(const struct reach_address *a, const struct reach_address *b,
		 unsigned int length)
{
	bool ret = a->family == b->family && length <= bits_of(a);

	for (unsigned int i = 0; i < 128; i++)
		if (ret && i < length && bit(a, i) != bit(b, i))
			ret = false;
	return ret;
}

void proof_in_prefix(void)
{
	const struct reach_address a = any_address(), b = any_address();
	const unsigned int length = nondet_u8();

	assert(reach_address_in_prefix(&a, &b, length) == same(&a, &b, length));
}

static struct reach_prefix any_prefix(void)
{
	struct reach_prefix ret;

	ret.address = any_address();
	ret.length = nondet_u8();
	__CPROVER_assume(ret.length <= bits_of(&ret.address));
	return ret;
}

/* truncate_prefix() clears the host bits, and no others. */
void proof_truncate(void)
{
	const struct reach_prefix before = any_prefix();
	const uint8_t length = nondet_u8();
	const unsigned int kept = length < before.length ? length
							 : before.length;
	struct reach_prefix prefix = before;

	truncate_prefix(&prefix, length);
	assert(prefix.length == kept);
	assert(prefix.address.family == before.address.family);
	for (unsigned int i = 0; i < 128; i++)
		assert(bit(&prefix.address, i) ==
		       (i < kept && bit(&before.address, i)));
}

/* Three take three minutes. */
#define WIDENED 2

static bool has_host_bits(const struct reach_prefix *prefix)
{
	bool ret = false;

	for (unsigned int i = 0; i < 128; i++)
		if (i >= prefix->length && bit(&prefix->address, i))
			ret = true;
	return ret;
}

static bool has(const struct reach_prefix *prefix,
		const struct reach_address *address)
{
	return same(&prefix->address, address, prefix->length);
}

/* Sets @ret to any prefixes in the order of copy_sorted(). */
static void any_sorted(struct reach_prefix *ret, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		ret[i] = any_prefix();
		__CPROVER_assume(!has_host_bits(&ret[i]));
		__CPROVER_assume(!i || compare(&ret[i - 1], &ret[i]) <= 0);
	}
}

/* widen() leaves what the tree requires, sorted and disjoint prefixes, and
 * loses no address. So a program passes more after it, never less.
 *
 * Two prefixes stand for any number: widen() compares a prefix with the last
 * one that it kept, and what comes after the addresses of that one comes after
 * those of all before it. */
void proof_widen(void)
{
	const uint8_t lengths[2] = { nondet_u8(), nondet_u8() };
	const struct reach_address address = any_address();
	struct reach_prefix given[WIDENED], kept[WIDENED];
	bool was_inside = false, is_inside = false;
	size_t count;

	__CPROVER_assume(lengths[0] <= 32 && lengths[1] <= 128);
	any_sorted(given, WIDENED);
	for (size_t i = 0; i < WIDENED; i++) {
		kept[i] = given[i];
		was_inside = was_inside || has(&given[i], &address);
	}
	count = widen(kept, WIDENED, lengths);
	assert(count >= 1 && count <= WIDENED);
	for (size_t i = 0; i < WIDENED; i++) {
		const bool inet6 = kept[i].address.family == AF_INET6;

		if (i >= count)
			continue;
		assert(kept[i].length <= lengths[inet6]);
		assert(!has_host_bits(&kept[i]));
		assert(!has(&kept[i], &address) || !is_inside);
		assert(!i || compare(&kept[i - 1], &kept[i]) < 0);
		is_inside = is_inside || has(&kept[i], &address);
	}
	assert(!was_inside || is_inside);
}
