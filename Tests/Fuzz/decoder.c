/* SPDX-License-Identifier: MIT */
/* Checks the decoder's promises, and compares its result with libmnl's. */
#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#include "fuzz.h"
#include "reference.h"

union reading {
	struct reach_link_message link;
	struct reach_address_message address;
	struct reach_route_message route;
};

static bool is_ip(uint8_t family)
{
	return family == AF_INET || family == AF_INET6;
}

/* Reads the message with libmnl: fills @ret and @sound. Returns the kind, or
 * OTHER for messages that the reference doesn't read. */
static enum reach_message_kind refer(const struct nlmsghdr *nlh,
				     union reading *ret, bool *sound)
{
	const size_t body = nlh->nlmsg_len - sizeof(*nlh);
	const uint8_t family = body > 0 ? *(const uint8_t *)(nlh + 1) : 0;

	switch (nlh->nlmsg_type) {
	case RTM_NEWROUTE:
	case RTM_DELROUTE:
		if (body >= sizeof(struct rtmsg) && !is_ip(family))
			return REACH_MESSAGE_OTHER;
		*sound = reference_route(nlh, &ret->route);
		return REACH_MESSAGE_ROUTE;
	case RTM_NEWLINK:
	case RTM_DELLINK:
		*sound = reference_link(nlh, &ret->link);
		return REACH_MESSAGE_LINK;
	case RTM_NEWADDR:
	case RTM_DELADDR:
		if (body >= sizeof(struct ifaddrmsg) && !is_ip(family))
			return REACH_MESSAGE_OTHER;
		*sound = reference_address(nlh, &ret->address);
		return REACH_MESSAGE_ADDRESS;
	default:
		return REACH_MESSAGE_OTHER;
	}
}

static void compare(const struct reach_message *message,
		    const union reading *reading)
{
	const struct reach_route_message *route = &message->u.route;
	size_t legs;

	switch (message->kind) {
	case REACH_MESSAGE_LINK:
		PROMISE(memcmp(&message->u.link, &reading->link,
			       sizeof(reading->link)) == 0);
		break;
	case REACH_MESSAGE_ADDRESS:
		PROMISE(memcmp(&message->u.address, &reading->address,
			       sizeof(reading->address)) == 0);
		break;
	case REACH_MESSAGE_ROUTE:
		/* The decoder writes only the legs that the route has. */
		legs = route->leg_count < REACH_LEGS_MAX ? route->leg_count
							 : REACH_LEGS_MAX;
		PROMISE(memcmp(route, &reading->route,
			       offsetof(struct reach_route_message, legs)) ==
			0);
		PROMISE(memcmp(route->legs, reading->route.legs,
			       legs * sizeof(route->legs[0])) == 0);
		break;
	default:
		break;
	}
}

static void check_header(const struct nlmsghdr *nlh,
			 const struct reach_message *message)
{
	PROMISE(message->type == nlh->nlmsg_type);
	PROMISE(message->flags == nlh->nlmsg_flags);
	PROMISE(message->sequence == nlh->nlmsg_seq);
	PROMISE(message->port == nlh->nlmsg_pid);
	PROMISE(message->kind <= REACH_MESSAGE_DONE);
	if (message->kind == REACH_MESSAGE_ERROR)
		PROMISE(memchr(message->u.error.text, 0,
			       sizeof(message->u.error.text)) != NULL);
}

static void check_message(const uint8_t *bytes, size_t offset, int result,
			  const struct reach_message *message)
{
	const struct nlmsghdr *nlh = (const void *)(bytes + offset);
	enum reach_message_kind kind;
	union reading reading;
	bool sound = true;

	if (result == 1)
		check_header(nlh, message);
	kind = refer(nlh, &reading, &sound);
	if (kind == REACH_MESSAGE_OTHER)
		return;
	PROMISE(sound == (result == 1));
	if (result == 1) {
		PROMISE(message->kind == kind);
		compare(message, &reading);
	}
}

/* Compares the length as unsigned before libmnl reads the header: in 1.0.4,
 * mnl_nlmsg_ok() accepts lengths above INT_MAX. */
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

		/* The result must not depend on the previous contents. */
		memset(&message.u, 0xa5, sizeof(message.u));
		result = reach_message_decode(bytes, size, &offset, &message);
		PROMISE(offset >= before && offset <= size);
		if (result == 0) {
			PROMISE(before == size);
			break;
		}
		PROMISE(result == 1 || result == -EBADMSG);
		PROMISE(offset > before);
		if (is_header(bytes, before, size))
			check_message(bytes, before, result, &message);
		else
			PROMISE(result == -EBADMSG && offset == size);
	}
}
