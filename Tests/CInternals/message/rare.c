/* SPDX-License-Identifier: MIT */
/* Bounds of rare messages, in heap blocks of their exact size, so that the
 * sanitizer reports reads beyond them. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>

#include <reach/internal/message.h>

#include "check.h"

static int decode(const struct nlmsghdr *nlh, struct reach_message *ret)
{
	const size_t size = nlh->nlmsg_len;
	void *copy = malloc(size);
	size_t offset = 0;
	int result;

	if (!copy)
		return -ENOMEM;
	memcpy(copy, nlh, size);
	memset(ret, 0, sizeof(*ret));
	result = reach_message_decode(copy, size, &offset, ret);
	free(copy);
	return result;
}

static int decode_error(int code, struct reach_message *ret)
{
	_Alignas(8) uint8_t bytes[128] = { 0 };
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(bytes);
	struct nlmsgerr *error =
		mnl_nlmsg_put_extra_header(nlh, sizeof(*error));

	nlh->nlmsg_type = NLMSG_ERROR;
	error->error = code;
	return decode(nlh, ret);
}

static void check_errors(void)
{
	struct reach_message message;

	CHECK(decode_error(-4095, &message) == 1);
	CHECK(message.u.error.error == 4095);
	CHECK(decode_error(-4096, &message) == -EBADMSG);
	CHECK(decode_error(4096, &message) == -EBADMSG);
}

void test_rare(void)
{
	check_errors();
}
