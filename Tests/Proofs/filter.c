/* SPDX-License-Identifier: MIT */
/*
 * For any message of up to MOST bytes, the filter's program drops exactly what
 * the plain implementation of the rule in Tests/CInternals/filter/filter.c
 * drops. Its jumps go forward, and it loads nothing from outside the message.
 * INET lists the lengths of IPv4 prefixes, whose addresses are arbitrary. INET6
 * is the number of IPv6 prefixes. STOCK has the bits that reach_filter_build()
 * takes. FAMILY is the route's, or 0 for other messages.
 */
#include <string.h>

#include "proof.h"

/* With CBMC's memcpy() from an unknown offset, the solver takes minutes. */
static void copy(void *to, const void *from, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((uint8_t *)to)[i] = ((const uint8_t *)from)[i];
}
#define memcpy copy
#include "../CInternals/filter/bpf.c"
#include "../CInternals/filter/filter.c"

#define MOST 64
#define CODE 400

static const struct reach_prefix inet6[] = {
	/* One that ends in the first 32-bit word, two that differ in the
	 * second, and two that differ in the last. */
	{ { .family = AF_INET6, .bytes = { 0x20, 0x01 } }, 20 },
	{ { .family = AF_INET6, .bytes = { 0x20, 0x01, 0x10, 1, 0, 1 } }, 48 },
	{ { .family = AF_INET6, .bytes = { 0x20, 0x01, 0x10, 1, 0, 2 } }, 57 },
	{ { .family = AF_INET6, .bytes = { 0xfd, [15] = 7 } }, 128 },
	{ { .family = AF_INET6, .bytes = { 0xfd, [15] = 9 } }, 128 },
};

/* Like bpf_run(), but passes each instruction once, so a backward jump would
 * never return a result. */
static int run(const struct reach_program *filter,
	       const struct message *message)
{
	struct machine m = { .bytes = message->bytes, .size = message->size };
	size_t at = 0;
	int ret = -1;

	for (size_t i = 0; i < filter->length; i++) {
		const struct sock_filter *code = &filter->code[i];

		if (at != i)
			continue;
		if (BPF_CLASS(code->code) == BPF_RET) {
			ret = code->k != 0;
			at = SIZE_MAX;
		} else if (!step(&m, code, &at)) {
			at = SIZE_MAX;
		} else {
			at++;
		}
	}
	return ret;
}

/* Writes prefixes with the lengths INET and any addresses, sorted and disjoint
 * as in the tree. @return their number. */
static size_t any_prefixes(struct reach_prefix *ret)
{
	static const uint8_t lengths[] = { INET };
	const size_t count = sizeof(lengths);

	for (size_t i = 0; i < count; i++) {
		ret[i].address.family = AF_INET;
		ret[i].length = lengths[i];
		for (size_t j = 0; j < 4; j++)
			ret[i].address.bytes[j] = nondet_u8();
		for (size_t j = lengths[i]; j < 32; j++)
			__CPROVER_assume(!bit_of(&ret[i], j));
		if (i) {
			__CPROVER_assume(memcmp(ret[i - 1].address.bytes,
						ret[i].address.bytes, 4) < 0);
			__CPROVER_assume(!meet(&ret[i - 1], &ret[i]));
		}
	}
	return count;
}

void proof_filter(void)
{
	struct sock_filter code[CODE];
	struct reach_program built = { .code = code };
	struct reach_prefix prefixes[8] = { 0 };
	struct watched watched = { .prefixes = prefixes, .stock = STOCK };
	struct message message;

	watched.count = any_prefixes(prefixes);
	for (size_t i = 0; i < INET6; i++)
		prefixes[watched.count++] = inet6[i];
	__CPROVER_assume(message.size <= MOST);
	if (FAMILY) {
		message.bytes[4] = RTM_NEWROUTE;
		message.bytes[5] = 0;
		message.bytes[16] = FAMILY;
	} else {
		__CPROVER_assume(number(&message, 4, 2) != RTM_NEWROUTE &&
				 number(&message, 4, 2) != RTM_DELROUTE);
	}
	assert(reach_filter_build(prefixes, watched.count, STOCK, code, CODE,
				  &built.length) == 0);
	assert(run(&built, &message) == matters(&message, &watched));
}
