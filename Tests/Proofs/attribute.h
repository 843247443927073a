/* SPDX-License-Identifier: MIT */
#ifndef REACH_PROOF_ATTRIBUTE_H
#define REACH_PROOF_ATTRIBUTE_H

#include "message/message.h"
#include "proof.h"

/* Any attribute as reach_attributes_next() returns it: the payload is
 * accessible, the memory after it isn't. */
static inline const struct nlattr *any_attribute(void)
{
	const uint16_t size = nondet_u16();
	struct nlattr *attr;

	__CPROVER_assume(size >= sizeof(*attr));
	attr = bytes_of(size);
	attr->nla_len = size;
	return attr;
}

/* CBMC has no strnlen(). */
size_t strnlen(const char *text, size_t size)
{
	size_t ret = nondet_size();

	assert(__CPROVER_r_ok(text, size));
	__CPROVER_assume(ret <= size);
	return ret;
}

/* Replaces reach_attributes_next() where another proof covers the walk. Returns
 * any attributes, at most INNER of them. Between two attributes, readers keep
 * only pointers to payloads and the result, so more wouldn't add cases. */
#define INNER 3

static inline const struct nlattr *any_next(struct reach_attributes *walk)
{
	static unsigned int count;

	/* The bytes of the walk are accessible. */
	assert(walk->end >= 0 &&
	       __CPROVER_r_ok(walk->bytes, (size_t)walk->end));
	walk->at = nondet_offset();
	__CPROVER_assume(walk->at >= 0 && walk->at <= walk->end + 3);
	if (count++ >= INNER || nondet_bool())
		return NULL;
	return any_attribute();
}

#endif
