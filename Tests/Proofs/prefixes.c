/* SPDX-License-Identifier: MIT */
/* Prefix arithmetic, compared with an implementation bit by bit. */
#include "base/address.h"

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
