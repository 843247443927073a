/* SPDX-License-Identifier: MIT */
#ifndef REACH_PROOF_ATTRIBUTE_H
#define REACH_PROOF_ATTRIBUTE_H

#include "message/attributes.h"
#include "proof.h"

/* An attribute as reach_attributes_next() returns it: with its payload, and
 * nothing behind it. */
static inline const struct nlattr *any_attribute(void)
{
	const uint16_t size = nondet_u16();
	struct nlattr *attr;

	__CPROVER_assume(size >= sizeof(*attr));
	attr = bytes_of(size);
	attr->nla_len = size;
	return attr;
}

/* For reach_attributes_next() where the walk itself is not proven: any
 * attributes, INNER of them at most. Of what reads them nothing is kept but
 * pointers at payloads and what is in the result, so that more are no more. */
#define INNER 3

static inline const struct nlattr *any_next(struct reach_attributes *walk)
{
	static unsigned int count;

	/* What a walk is of is there. */
	assert(walk->end >= 0 &&
	       __CPROVER_r_ok(walk->bytes, (size_t)walk->end));
	walk->at = nondet_offset();
	__CPROVER_assume(walk->at >= 0 && walk->at <= walk->end + 3);
	if (count++ >= INNER || nondet_bool())
		return NULL;
	return any_attribute();
}

#endif
