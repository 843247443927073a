/* SPDX-License-Identifier: MIT */
/* Checks the decoder's promises. Tests/CInternals/decoder.c has the values of members. */
#include <errno.h>
#include <linux/netlink.h>
#include <stdbool.h>
#include <string.h>

#include <reach/internal/message.h>

#include "fuzz.h"

static void check_header(const struct nlmsghdr *nlh,
			 const struct reach_message *message)
{
	PROMISE(message->type == nlh->nlmsg_type);
	PROMISE(message->flags == nlh->nlmsg_flags);
	PROMISE(message->sequence == nlh->nlmsg_seq);
	PROMISE(message->port == nlh->nlmsg_pid);
	PROMISE(message->kind <= REACH_MESSAGE_DONE);
}

/* The bytes that the decoder writes: only the legs that a route has. */
static size_t written(const struct reach_message *message)
{
	const size_t legs = message->u.route.leg_count < REACH_LEGS_MAX
				    ? message->u.route.leg_count
				    : REACH_LEGS_MAX;

	switch (message->kind) {
	case REACH_MESSAGE_LINK:
		return sizeof(message->u.link);
	case REACH_MESSAGE_ADDRESS:
		return sizeof(message->u.address);
	case REACH_MESSAGE_ROUTE:
		return offsetof(struct reach_route_message, legs) +
		       legs * sizeof(message->u.route.legs[0]);
	case REACH_MESSAGE_RULE:
		return sizeof(message->u.rule);
	case REACH_MESSAGE_NETCONF:
		return sizeof(message->u.netconf);
	case REACH_MESSAGE_ERROR:
	case REACH_MESSAGE_DONE:
		return sizeof(message->u.error);
	default:
		return 0;
	}
}

/* The result must not depend on the previous contents. */
static void check_again(const uint8_t *bytes, size_t offset, size_t size,
			const struct reach_message *message)
{
	struct reach_message again;

	memset(&again, 0x5a, sizeof(again));
	PROMISE(reach_message_decode(bytes, size, &offset, &again) == 1);
	PROMISE(again.kind == message->kind);
	PROMISE(memcmp(&again.u, &message->u, written(message)) == 0);
}

/* Whether a whole message is there; lengths are unsigned. */
static bool is_header(const uint8_t *bytes, size_t offset, size_t size)
{
	const struct nlmsghdr *nlh = (const void *)(bytes + offset);

	return size - offset >= sizeof(*nlh) &&
	       nlh->nlmsg_len >= sizeof(*nlh) &&
	       nlh->nlmsg_len <= size - offset;
}

void fuzz_decoder(const uint8_t *bytes, size_t size)
{
	struct reach_message message;
	size_t offset = 0;

	for (;;) {
		size_t before = offset;
		int result;

		memset(&message.u, 0xa5, sizeof(message.u));
		result = reach_message_decode(bytes, size, &offset, &message);
		PROMISE(offset >= before && offset <= size);
		if (result == 0) {
			PROMISE(before == size);
			break;
		}
		PROMISE(result == 1 || result == -EBADMSG);
		PROMISE(offset > before);
		if (!is_header(bytes, before, size))
			PROMISE(result == -EBADMSG && offset == size);
		if (result == 1) {
			check_header((const void *)(bytes + before), &message);
			check_again(bytes, before, size, &message);
		}
	}
}
