/* SPDX-License-Identifier: MIT */
/*
 * The walk over attributes, and the readers of one, for any bytes. The proof of
 * the walk is by induction: from any state that satisfies the invariant, one
 * step is safe and preserves it. So it holds for messages of any length.
 */
#include "attribute.h"

/* The invariant of a walk between two steps. A walk after an echoed request may
 * begin past the end. */
static bool is_sound(const struct reach_attributes *walk)
{
	return walk->at >= 0 && walk->end >= 0 && walk->end <= INT_MAX &&
	       walk->at % NLA_ALIGNTO == 0 &&
	       walk->at <= 3 * (ptrdiff_t)INT_MAX;
}

void proof_align(void)
{
	const size_t size = nondet_size();

	__CPROVER_assume(size <= INT_MAX);
	assert(reach_align(size) % 4 == 0);
	assert(reach_align(size) >= size && reach_align(size) < size + 4);
}

/* reach_message_decode() calls this only if the fixed header is complete. */
void proof_begin(void)
{
	const size_t size = nondet_size(), fixed = nondet_size();
	struct reach_attributes walk;

	__CPROVER_assume(size <= INT_MAX && fixed <= size);
	walk = reach_attributes_behind(fixed, bytes_of(size), size);
	assert(is_sound(&walk));
}

void proof_step(void)
{
	struct reach_attributes walk = { .at = nondet_offset(),
					 .end = nondet_offset() };
	struct reach_attributes before;
	const struct nlattr *attr;

	__CPROVER_assume(is_sound(&walk));
	walk.bytes = bytes_of((size_t)walk.end);
	before = walk;
	attr = reach_attributes_next(&walk);
	assert(is_sound(&walk));
	assert(walk.bytes == before.bytes && walk.end == before.end);
	if (!attr) {
		/* Either too few bytes are left for an attribute, or the next
		 * one is malformed. */
		const bool few = walk.end - walk.at < NLA_HDRLEN;

		assert(walk.at == before.at);
		assert(reach_attributes_end(&walk) == few);
		return;
	}
	/* The attribute is complete, and the walk advances. */
	assert((const uint8_t *)attr == before.bytes + before.at);
	assert(attr->nla_len >= sizeof(*attr));
	assert(attr->nla_len <= before.end - before.at);
	assert(walk.at > before.at && walk.at <= walk.end + 3);
	assert(reach_attribute_size(attr) <=
	       (size_t)(before.end - before.at) - sizeof(*attr));
}

void proof_inside(void)
{
	const struct nlattr *attr = any_attribute();
	struct reach_attributes walk = reach_attributes_inside(attr);

	assert(is_sound(&walk) && walk.end == attr->nla_len);
}

void proof_number(void)
{
	const struct nlattr *attr = any_attribute();
	uint32_t word = 7;
	uint8_t byte = 7;

	assert(reach_attribute_u32(attr, &word) ==
	       (reach_attribute_size(attr) >= 4));
	assert(reach_attribute_size(attr) >= 4 || word == 7);
	assert(reach_attribute_u8(attr, &byte) ==
	       (reach_attribute_size(attr) >= 1));
	assert(reach_attribute_size(attr) >= 1 || byte == 7);
}

void proof_address(void)
{
	const struct nlattr *attr = any_attribute();
	struct reach_address address = { .family = 7 };
	const uint8_t family = nondet_bool() ? AF_INET : AF_INET6;
	const size_t size = family == AF_INET ? 4 : 16;

	if (!reach_attribute_address(attr, family, &address)) {
		assert(reach_attribute_size(attr) != size);
		assert(address.family == 7);
		return;
	}
	assert(reach_attribute_size(attr) == size);
	assert(address.family == family && !address.reserved &&
	       !address.scope_id);
	for (size_t i = 0; i < 16; i++)
		assert(address.bytes[i] ==
		       (i < size ? ((const uint8_t *)(attr + 1))[i] : 0));
}

void proof_string(void)
{
	const struct nlattr *attr = any_attribute();
	char text[17];
	size_t i;

	text[16] = 'x';
	reach_attribute_string(attr, text);
	assert(text[15] == 0 && text[16] == 'x');
	for (i = 0; i < 15 && i < reach_attribute_size(attr); i++) {
		if (!((const char *)(attr + 1))[i])
			break;
		assert(text[i] == ((const char *)(attr + 1))[i]);
	}
	assert(text[i] == 0);
}
