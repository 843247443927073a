/* SPDX-License-Identifier: MIT */
/*
 * For any message of up to MOST bytes, the filter's program drops exactly what
 * filter/filter.h documents. Its jumps go forward, and it loads nothing from
 * outside the message. INET lists the lengths of IPv4 prefixes, whose addresses
 * are arbitrary. INET6 is the number of IPv6 prefixes. STOCK has the bits that
 * reach_filter_build() takes. FAMILY is the route's, or 0 for other messages.
 */
#include <string.h>
#include <sys/socket.h>

#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>

#include "filter/filter.h"
#include "proof.h"

/* With CBMC's memcpy() from an unknown offset, the solver takes minutes. */
static void copy(void *to, const void *from, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((uint8_t *)to)[i] = ((const uint8_t *)from)[i];
}
#define memcpy copy
#include "../CInternals/filter/bpf.c"

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

struct message {
	uint8_t bytes[MOST];
	size_t size;
};

/* ---- filter.h's specification ------------------------------------------ */

static uint32_t number(const struct message *message, size_t at, size_t size)
{
	uint32_t ret = 0;

	copy(&ret, message->bytes + at, size);
	return ret;
}

/* The offset of an attribute; 0 if it is missing or behind a damaged one. */
static size_t attribute(const struct message *message, size_t at, uint16_t type)
{
	for (int i = 0; i < 9; i++) {
		size_t size;

		if (at + 4 > message->size)
			return 0;
		size = number(message, at, 2);
		if (size < 4 || size > message->size - at)
			return 0;
		if ((number(message, at + 2, 2) & NLA_TYPE_MASK) == type)
			return at;
		at += (size + 3) / 4 * 4;
	}
	return 0;
}

static bool bit(const uint8_t *bytes, size_t i)
{
	return bytes[i / 8] >> (7 - i % 8) & 1;
}

static bool meet(const struct reach_prefix *prefix, const uint8_t *bytes,
		 uint8_t length)
{
	bool ret = true;

	for (size_t i = 0; i < 128; i++)
		if (i < length && i < prefix->length &&
		    bit(prefix->address.bytes, i) != bit(bytes, i))
			ret = false;
	return ret;
}

/* Whether the route overlaps one of the prefixes, or can't be read. */
static bool overlaps(const struct message *message,
		     const struct reach_prefix *prefixes, size_t count)
{
	const uint8_t family = message->bytes[16], length = message->bytes[17];
	const size_t bytes = family == AF_INET ? 4 : 16;
	const size_t at = attribute(message, 28, RTA_DST);
	uint8_t destination[16] = { 0 };

	if (length <= REACH_DEFAULT_LENGTH_MAX || length > 8 * bytes || !at ||
	    number(message, at, 2) != 4 + bytes)
		return true;
	for (size_t i = 0; i < bytes; i++)
		destination[i] = message->bytes[at + 4 + i];
	for (size_t i = 0; i < count; i++)
		if (prefixes[i].address.family == family &&
		    meet(&prefixes[i], destination, length))
			return true;
	return false;
}

static bool route_matters(const struct message *message,
			  const struct reach_prefix *prefixes, size_t count)
{
	const uint8_t family = message->bytes[16], table = message->bytes[20];
	const bool inet = family == AF_INET;

	if (number(message, 24, 4) & RTM_F_CLONED)
		return false;
	if (!inet && (family != AF_INET6 || message->bytes[18]))
		return true;
	if (inet && table == RT_TABLE_DEFAULT)
		return true;
	if (STOCK & (inet ? REACH_FILTER_STOCK : REACH_FILTER_STOCK6) &&
	    table != RT_TABLE_MAIN && table != RT_TABLE_LOCAL)
		return false;
	return overlaps(message, prefixes, count);
}

static bool matters(const struct message *message,
		    const struct reach_prefix *prefixes, size_t count)
{
	if (message->size < 28 || number(message, 0, 4) != message->size)
		return true;
	switch (number(message, 4, 2)) {
	case RTM_NEWLINK:
	case RTM_DELLINK:
		return message->bytes[16] != AF_BRIDGE &&
		       (!attribute(message, 32, IFLA_WIRELESS) ||
			attribute(message, 32, IFLA_OPERSTATE));
	case RTM_NEWNEIGH:
	case RTM_DELNEIGH:
		return !(number(message, 24, 2) &
			 (NUD_STALE | NUD_DELAY | NUD_PROBE)) &&
		       message->bytes[16] != AF_BRIDGE;
	case RTM_NEWROUTE:
	case RTM_DELROUTE:
		return route_matters(message, prefixes, count);
	default:
		return true;
	}
}

/* ---- the program ------------------------------------------------------- */

/* Like bpf_run(), but passes each instruction once, so a backward jump would
 * never return a result. */
static int run(const struct reach_program *program,
	       const struct message *message)
{
	struct machine m = { .bytes = message->bytes, .size = message->size };
	size_t at = 0;
	int ret = -1;

	for (size_t i = 0; i < program->length; i++) {
		const struct sock_filter *code = &program->code[i];

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
			__CPROVER_assume(!bit(ret[i].address.bytes, j));
		if (i) {
			__CPROVER_assume(memcmp(ret[i - 1].address.bytes,
						ret[i].address.bytes, 4) < 0);
			__CPROVER_assume(!meet(&ret[i - 1],
					       ret[i].address.bytes,
					       ret[i].length));
		}
	}
	return count;
}

void proof_filter(void)
{
	struct sock_filter code[CODE];
	struct reach_program program = { .code = code };
	struct reach_prefix prefixes[8] = { 0 };
	struct message message;
	size_t inet = any_prefixes(prefixes), count = inet;

	for (size_t i = 0; i < INET6; i++)
		prefixes[count++] = inet6[i];
	__CPROVER_assume(message.size <= MOST);
	if (FAMILY) {
		message.bytes[4] = RTM_NEWROUTE;
		message.bytes[5] = 0;
		message.bytes[16] = FAMILY;
	} else {
		__CPROVER_assume(number(&message, 4, 2) != RTM_NEWROUTE &&
				 number(&message, 4, 2) != RTM_DELROUTE);
	}
	assert(reach_filter_build(prefixes, count, STOCK, code, CODE,
				  &program.length) == 0);
	assert(run(&program, &message) == matters(&message, prefixes, count));
}
