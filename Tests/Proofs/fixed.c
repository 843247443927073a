/* SPDX-License-Identifier: MIT */
/* A message of any length, without attributes, decoded by DECODE in the file
 * DECODER: the fixed header is read only if it is complete. */
#include "attribute.h"

static const struct nlattr *no_next(struct reach_attributes *walk)
{
	assert(walk->at >= 0 && walk->at <= 3 * (ptrdiff_t)INT_MAX);
	return NULL;
}

#define reach_attributes_next no_next
#include DECODER

#include <errno.h>

void proof_fixed(void)
{
	static struct reach_message message;
	const uint32_t size = nondet_u32();
	struct nlmsghdr *nlh;
	int ret;

	__CPROVER_assume(size >= sizeof(*nlh) && size <= INT_MAX);
	nlh = bytes_of(size);
	nlh->nlmsg_len = size;
	ret = DECODE(nlh, &message);
	assert(ret == 1 || ret == -EBADMSG);
}
