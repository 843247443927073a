/* SPDX-License-Identifier: MIT */
/* What the scripts need of a kernel: requests, and answers from a small model. */
#include <errno.h>

#include "model.h"

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

/* MNL_ALIGN() and NLMSG_ALIGN() compute in int. */
static uint32_t aligned(uint32_t length)
{
	return (length + 3) & ~(uint32_t)3;
}

/* A model with lo and one more link, which has the routes. */
static void set_up(struct model *model, uint8_t mood)
{
	const uint32_t index = mood & MOOD_POINT_TO_POINT ? MODEL_LINKS - 1 : 2;
	struct model_link *link = &model->links[index];

	model_init(model);
	model->disturbed = mood & MOOD_INTERRUPTED;
	*link = (struct model_link){ .exists = true,
				     .up = true,
				     .carrier = mood & MOOD_CARRIER,
				     .resolves = true };
	for (int side = 0; side < 2; side++) {
		link->addresses[side][0] = mood & MOOD_ADDRESS;
		model->routes[side] = (struct model_route){
			.used = mood & (side ? MOOD_ROUTE6 : MOOD_ROUTE4),
			.family = side ? AF_INET6 : AF_INET,
			.type = mood & MOOD_LOCAL ? RTN_LOCAL : RTN_UNICAST,
			.table = RT_TABLE_MAIN,
			.outputs = { index },
			.legs = 1,
			.gateway = mood & MOOD_GATEWAY,
		};
	}
}

void kernel_answer(struct reach_engine *engine, struct outstanding *requests,
		   uint8_t mood)
{
	struct model *model = calloc(1, sizeof(*model));

	PROMISE(model != NULL);
	set_up(model, mood);
	model_answers(model, engine, requests, SIZE_MAX);
	requests->count = 0;
	model_free(model);
	free(model);
}

/* Checks that the engine wrote complete, aligned requests. */
static void take(struct outstanding *requests, size_t written)
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

void kernel_ask(struct reach_engine *engine, struct outstanding *requests)
{
	size_t pending = reach_engine_pending(engine);
	size_t written = 1;
	size_t untouched = 1;

	PROMISE(reach_engine_requests(engine, requests->bytes,
				      REACH_REQUESTS_SIZE - 1,
				      &untouched) == -EINVAL);
	PROMISE(untouched == 1);
	if (pending > 0) {
		uint32_t scratch[REACH_REQUESTS_SIZE / sizeof(uint32_t)];

		PROMISE(reach_engine_requests(engine, scratch, sizeof(scratch),
					      &written) == 0);
		PROMISE(written == 0);
		return;
	}
	PROMISE(reach_engine_requests(engine, requests->bytes,
				      sizeof(requests->bytes), &written) == 0);
	take(requests, written);
	PROMISE((written > 0) == (reach_engine_pending(engine) > 0));
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
