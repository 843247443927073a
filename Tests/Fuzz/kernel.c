/* SPDX-License-Identifier: MIT */
/* A small simulated kernel: answers an engine's requests in the format of
 * rtnetlink. */
#include <errno.h>
#include <linux/if.h>
#include <linux/if_arp.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>

#include "fuzz.h"

enum mood {
	MOOD_CARRIER = 1 << 0,
	MOOD_ADDRESS = 1 << 1,
	MOOD_ROUTE4 = 1 << 2,
	MOOD_ROUTE6 = 1 << 3,
	MOOD_GATEWAY = 1 << 4,
	MOOD_POINT_TO_POINT = 1 << 5,
	MOOD_LOCAL = 1 << 6,
	MOOD_INTERRUPTED = 1 << 7
};

#define ANSWER_SIZE 4096

/* MNL_ALIGN() and NLMSG_ALIGN() compute in int. */
static uint32_t aligned(uint32_t length)
{
	return (length + 3) & ~(uint32_t)3;
}

struct answer {
	struct reach_engine *engine;
	const struct nlmsghdr *request;
	uint8_t mood;
	_Alignas(8) uint8_t bytes[ANSWER_SIZE];
};

static struct nlmsghdr *begin(struct answer *answer, uint16_t type, size_t body)
{
	struct nlmsghdr *header = mnl_nlmsg_put_header(answer->bytes);

	header->nlmsg_type = type;
	header->nlmsg_seq = answer->request->nlmsg_seq;
	if (answer->request->nlmsg_flags & NLM_F_DUMP) {
		header->nlmsg_flags = NLM_F_MULTI;
		if (answer->mood & MOOD_INTERRUPTED)
			header->nlmsg_flags |= NLM_F_DUMP_INTR;
	}
	mnl_nlmsg_put_extra_header(header, body);
	return header;
}

static void deliver(struct answer *answer, const struct nlmsghdr *header)
{
	void *copy = fuzz_copy(header, header->nlmsg_len);

	PROMISE(reach_engine_answers(answer->engine, copy, header->nlmsg_len) ==
		0);
	free(copy);
}

static void answer_error(struct answer *answer, int error)
{
	struct nlmsghdr *header =
		begin(answer, NLMSG_ERROR, sizeof(struct nlmsgerr));
	struct nlmsgerr *body = mnl_nlmsg_get_payload(header);

	header->nlmsg_flags = 0;
	body->error = -error;
	body->msg = *answer->request;
	deliver(answer, header);
}

static void answer_done(struct answer *answer)
{
	deliver(answer, begin(answer, NLMSG_DONE, sizeof(int32_t)));
}

static void answer_link(struct answer *answer, int index, const char *name)
{
	struct nlmsghdr *header =
		begin(answer, RTM_NEWLINK, sizeof(struct ifinfomsg));
	struct ifinfomsg *body = mnl_nlmsg_get_payload(header);

	body->ifi_index = index;
	body->ifi_type = index == 1 ? ARPHRD_LOOPBACK : ARPHRD_ETHER;
	body->ifi_flags = IFF_UP;
	if (index == 1 || answer->mood & MOOD_CARRIER)
		body->ifi_flags |= IFF_RUNNING | IFF_LOWER_UP;
	if (index == 1)
		body->ifi_flags |= IFF_LOOPBACK;
	else if (answer->mood & MOOD_POINT_TO_POINT)
		body->ifi_flags |= IFF_POINTOPOINT;
	mnl_attr_put_strz(header, IFLA_IFNAME, name);
	mnl_attr_put_u32(header, IFLA_MTU, 1500);
	deliver(answer, header);
}

static void answer_address(struct answer *answer, uint8_t family,
			   uint32_t index)
{
	static const uint8_t addresses[2][16] = { { 10, 0, 0, 2 },
						  { 0xfd, [15] = 2 } };
	struct nlmsghdr *header =
		begin(answer, RTM_NEWADDR, sizeof(struct ifaddrmsg));
	struct ifaddrmsg *body = mnl_nlmsg_get_payload(header);

	body->ifa_family = family;
	body->ifa_prefixlen = 24;
	body->ifa_index = index;
	mnl_attr_put(header, family == AF_INET ? IFA_LOCAL : IFA_ADDRESS,
		     family == AF_INET ? 4 : 16, addresses[family != AF_INET]);
	deliver(answer, header);
}

static void answer_dump(struct answer *answer)
{
	switch (answer->request->nlmsg_type) {
	case RTM_GETLINK:
		answer_link(answer, 1, "lo");
		answer_link(answer, 2, "eth0");
		break;
	case RTM_GETADDR:
		if (answer->mood & MOOD_ADDRESS) {
			answer_address(answer, AF_INET, 2);
			answer_address(answer, AF_INET6, 2);
		}
		break;
	default:
		break;
	}
	answer_done(answer);
}

static void answer_route(struct answer *answer)
{
	static const uint8_t gateway[16] = { 10, 0, 0, 1 };
	const struct rtmsg *asked = mnl_nlmsg_get_payload(answer->request);
	uint8_t needed = asked->rtm_family == AF_INET ? MOOD_ROUTE4
						      : MOOD_ROUTE6;
	struct nlmsghdr *header;
	struct rtmsg *body;

	if (!(answer->mood & needed)) {
		answer_error(answer, ENETUNREACH);
		return;
	}
	header = begin(answer, RTM_NEWROUTE, sizeof(struct rtmsg));
	body = mnl_nlmsg_get_payload(header);
	body->rtm_family = asked->rtm_family;
	body->rtm_type = answer->mood & MOOD_LOCAL ? RTN_LOCAL : RTN_UNICAST;
	body->rtm_table = RT_TABLE_MAIN;
	mnl_attr_put_u32(header, RTA_OIF, 2);
	if (answer->mood & MOOD_GATEWAY)
		mnl_attr_put(header, RTA_GATEWAY,
			     asked->rtm_family == AF_INET ? 4 : 16, gateway);
	deliver(answer, header);
}

void kernel_answer(struct reach_engine *engine, struct outstanding *requests,
		   uint8_t mood)
{
	struct answer answer = { .engine = engine, .mood = mood };
	uint32_t offset = 0;

	while (offset < requests->size) {
		answer.request = (const void *)(requests->bytes + offset);
		memset(answer.bytes, 0, sizeof(answer.bytes));
		if (answer.request->nlmsg_flags & NLM_F_DUMP)
			answer_dump(&answer);
		else if (answer.request->nlmsg_type == RTM_GETROUTE)
			answer_route(&answer);
		else
			answer_error(&answer, ENODEV);
		offset += aligned(answer.request->nlmsg_len);
	}
	requests->size = 0;
	requests->count = 0;
	PROMISE(reach_engine_pending(engine) == 0);
}

void kernel_take(struct outstanding *requests, size_t written)
{
	size_t offset = 0;

	PROMISE(written <= sizeof(requests->bytes));
	requests->size = (uint32_t)written;
	requests->count = 0;
	while (offset < written) {
		const struct nlmsghdr *header =
			(const void *)(requests->bytes + offset);

		PROMISE(written - offset >= sizeof(*header));
		PROMISE(header->nlmsg_len >= sizeof(*header) + 1);
		PROMISE(aligned(header->nlmsg_len) <= written - offset);
		PROMISE(header->nlmsg_flags & NLM_F_REQUEST);
		offset += aligned(header->nlmsg_len);
		requests->count++;
	}
}

/* The sequence number of the request at @position, or 0. */
static uint32_t sequence_at(const struct outstanding *requests, size_t position)
{
	uint32_t offset = 0;

	while (offset < requests->size) {
		const struct nlmsghdr *header =
			(const void *)(requests->bytes + offset);

		if (position-- == 0)
			return header->nlmsg_seq;
		offset += aligned(header->nlmsg_len);
	}
	return 0;
}

void kernel_patch(const struct outstanding *requests, uint8_t *bytes,
		  size_t size)
{
	size_t offset = 0;
	size_t position = 0;

	while (size - offset >= sizeof(struct nlmsghdr)) {
		struct nlmsghdr *header = (void *)(bytes + offset);
		uint32_t length = header->nlmsg_len;

		/* The sequence number in the input chooses the request. All
		 * messages of a dump thus belong to one request. */
		if (requests->count > 0)
			header->nlmsg_seq = sequence_at(
				requests, (header->nlmsg_seq + position) %
						  requests->count);
		if (length < sizeof(*header) || length > size - offset ||
		    aligned(length) > size - offset)
			break;
		if (!(header->nlmsg_flags & NLM_F_MULTI))
			position++;
		offset += aligned(length);
	}
}
