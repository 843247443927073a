/* SPDX-License-Identifier: MIT */
/* Prefix arithmetic, compared with an implementation bit by bit. */
#include "base/base.h"

#include <sys/socket.h>

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

/* reach_prefix_cut() clears the host bits, and no others. */
void proof_cut(void)
{
	const struct reach_address before = any_address();
	struct reach_address after = before;
	const uint8_t length = nondet_u8();

	__CPROVER_assume(length <= bits_of(&before));
	reach_prefix_cut(after.bytes, before.bytes, length);
	for (unsigned int i = 0; i < 128; i++)
		assert(bit(&after, i) == (i < length && bit(&before, i)));
}
