/* SPDX-License-Identifier: MIT */
/* The header of a message in a datagram of any bytes and any length. The
 * decoders of the bodies are stubs that return any result. */
#include "message/message.h"

#include <errno.h>

#include "proof.h"

#define ANY_BODY(name)                                                         \
	int name(const struct nlmsghdr *nlh, struct reach_message *ret)        \
	{                                                                      \
		assert(nlh->nlmsg_len >= sizeof(*nlh));                        \
		assert(__CPROVER_r_ok(nlh, nlh->nlmsg_len));                   \
		assert(ret->kind == REACH_MESSAGE_OTHER);                      \
		return nondet_bool() ? 1 : -EBADMSG;                           \
	}

ANY_BODY(reach_decode_link)
ANY_BODY(reach_decode_address)
ANY_BODY(reach_decode_route)
ANY_BODY(reach_decode_rule)
ANY_BODY(reach_decode_netconf)

void proof_header(void)
{
	const size_t size = nondet_size();
	size_t offset = nondet_size();
	const size_t before = offset;
	struct reach_message message;
	const void *bytes;
	int ret;

	__CPROVER_assume(size <= INT_MAX);
	bytes = bytes_of(size);
	ret = reach_message_decode(bytes, size, &offset, &message);
	if (before > size || (before < size && before % 4)) {
		assert(ret == -EINVAL && offset == before);
	} else if (before == size) {
		assert(ret == 0 && offset == before);
	} else {
		assert(offset > before && offset <= size);
		assert(offset % 4 == 0 || offset == size);
	}
}
