/* SPDX-License-Identifier: MIT */
/*
 * Events to verdict changes, without a kernel. The engine takes one event at a
 * time and completes it, the most expensive way to take a storm. A template
 * answers the requests: there is a route while the last event announced one.
 */
#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <reach/internal/engine.h>
#include <reach/reach.h>

#include "CWorkloads.h"

#define TARGETS 100

struct answer {
	struct nlmsghdr header;
	union {
		struct nlmsgerr error;
		struct {
			struct rtmsg route;
			struct rtattr output_header;
			uint32_t output;
			struct rtattr source_header;
			uint8_t source[16];
		};
	};
};

struct engine_run {
	struct reach_engine *engine;
	const struct corpus *links;
	const struct corpus *addresses;
	/* The interface of the first global IPv4 address, that address, and the
	 * first global IPv6 address of the interface. */
	uint32_t output;
	uint8_t source4[4];
	uint8_t source6[16];
	bool has_route;
	_Alignas(8) uint8_t requests[REACH_REQUESTS_SIZE];
};

/* Recorded answers have sequence number 1, but the engine uses another. */
static void answer_dump(struct engine_run *run, const struct corpus *corpus,
			uint32_t sequence)
{
	for (size_t i = 0; i < corpus->count; i++) {
		uint8_t *bytes = corpus->bytes + corpus->datagrams[i].offset;
		size_t size = corpus->datagrams[i].size;
		size_t at = 0;

		while (size - at >= sizeof(struct nlmsghdr)) {
			struct nlmsghdr *header = (void *)(bytes + at);

			header->nlmsg_seq = sequence;
			at += (header->nlmsg_len + 3U) & ~3U;
		}
		reach_engine_answers(run->engine, bytes, size);
	}
}

static void answer_error(struct engine_run *run, const struct nlmsghdr *request,
			 int error)
{
	struct answer answer = { .error = { .error = -error,
					    .msg = *request } };

	answer.header.nlmsg_len =
		sizeof(answer.header) + sizeof(struct nlmsgerr);
	answer.header.nlmsg_type = NLMSG_ERROR;
	answer.header.nlmsg_seq = request->nlmsg_seq;
	reach_engine_answers(run->engine, &answer, answer.header.nlmsg_len);
}

static void answer_route(struct engine_run *run, const struct nlmsghdr *request)
{
	const struct rtmsg *asked = (const void *)(request + 1);
	struct answer answer = { .route = *asked };

	const size_t size = asked->rtm_family == AF_INET ? 4 : 16;

	answer.header.nlmsg_len =
		(uint32_t)(offsetof(struct answer, source) + size);
	answer.header.nlmsg_type = RTM_NEWROUTE;
	answer.header.nlmsg_seq = request->nlmsg_seq;
	answer.route.rtm_dst_len = 0;
	answer.route.rtm_src_len = 0;
	answer.route.rtm_type = RTN_UNICAST;
	answer.route.rtm_table = RT_TABLE_MAIN;
	answer.output_header =
		(struct rtattr){ .rta_len = 8, .rta_type = RTA_OIF };
	answer.output = run->output;
	answer.source_header = (struct rtattr){
		.rta_len = (uint16_t)(sizeof(struct rtattr) + size),
		.rta_type = RTA_PREFSRC,
	};
	memcpy(answer.source, size == 4 ? run->source4 : run->source6, size);
	reach_engine_answers(run->engine, &answer, answer.header.nlmsg_len);
}

static void answer(struct engine_run *run, const struct nlmsghdr *request)
{
	const bool is_dump = (request->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP;

	if (is_dump && request->nlmsg_type == RTM_GETLINK)
		answer_dump(run, run->links, request->nlmsg_seq);
	else if (is_dump)
		answer_dump(run, run->addresses, request->nlmsg_seq);
	else if (request->nlmsg_type == RTM_GETROUTE && run->has_route)
		answer_route(run, request);
	else if (request->nlmsg_type == RTM_GETROUTE)
		answer_error(run, request, ENETUNREACH);
	else
		answer_error(run, request, ENODEV);
}

static uint64_t settle(struct engine_run *run)
{
	struct reach_change change = { .size = sizeof(change) };
	uint64_t changes = 0;
	size_t size;

	while (reach_engine_requests(run->engine, run->requests,
				     sizeof(run->requests), &size) == 0 &&
	       size > 0) {
		for (size_t at = 0; at < size;) {
			const struct nlmsghdr *request =
				(const void *)(run->requests + at);

			answer(run, request);
			at += (request->nlmsg_len + 3U) & ~3U;
		}
	}
	reach_engine_publish(run->engine);
	while (reach_engine_next(run->engine, &change) == 1)
		changes++;
	return changes;
}

/* The recorded IPv4 events concern a quarter of the targets, the IPv6 events
 * another quarter. */
static void add_targets(struct engine_run *run)
{
	struct reach_target target;
	uint64_t id;

	reach_target_init(&target, REACH_TARGET_ADDRESS);
	for (unsigned int i = 0; i < TARGETS; i++) {
		struct reach_address address = { .family = AF_INET };

		if (i % 4 == 0) {
			const uint8_t bytes[] = { 172, 16, (uint8_t)(2 * i),
						  1 };

			memcpy(address.bytes, bytes, sizeof(bytes));
		} else if (i % 4 == 1) {
			const uint8_t bytes[] = {
				0x20, 0x01, 0x0d, 0xb9, 0, (uint8_t)(2 * i)
			};

			address.family = AF_INET6;
			memcpy(address.bytes, bytes, sizeof(bytes));
		} else {
			const uint8_t bytes[] = { 8, 8, (uint8_t)i, 1 };

			memcpy(address.bytes, bytes, sizeof(bytes));
		}
		target.remote = address;
		reach_engine_add(run->engine, &target, &id);
	}
}

static void note_source(struct engine_run *run,
			const struct reach_address_message *address)
{
	const bool is_ipv4 = address->family == AF_INET;

	if (address->scope != RT_SCOPE_UNIVERSE)
		return;
	if (is_ipv4 && run->output == 0) {
		run->output = address->interface_index;
		memcpy(run->source4, address->address.bytes, 4);
	} else if (!is_ipv4 && run->output == address->interface_index &&
		   run->source6[0] == 0) {
		memcpy(run->source6, address->address.bytes, 16);
	}
}

static void find_source(struct engine_run *run)
{
	struct reach_message message;
	const struct corpus *corpus = run->addresses;

	for (size_t i = 0; i < corpus->count; i++) {
		const struct corpus_datagram *datagram = &corpus->datagrams[i];
		size_t offset = 0;

		while (reach_message_decode(corpus->bytes + datagram->offset,
					    datagram->size, &offset,
					    &message) == 1)
			if (message.kind == REACH_MESSAGE_ADDRESS)
				note_source(run, &message.u.address);
	}
}

struct engine_run *engine_run_create(const struct corpus *links,
				     const struct corpus *addresses)
{
	struct engine_run *run = calloc(1, sizeof(*run));

	if (run == NULL)
		return NULL;
	run->links = links;
	run->addresses = addresses;
	if (reach_engine_create(&run->engine) == 0) {
		reach_engine_clock(run->engine, 1);
		add_targets(run);
		settle(run);
		/* Idle time, after which the engine dumps rules. */
		reach_engine_clock(run->engine, 1000000000);
		settle(run);
		find_source(run);
	}
	if (run->output == 0) {
		engine_run_destroy(run);
		return NULL;
	}
	return run;
}

struct verdicts engine_run_events(struct engine_run *run,
				  const struct corpus *events)
{
	struct reach_stats before = { .size = sizeof(before) };
	struct reach_stats after = { .size = sizeof(after) };
	struct verdicts verdicts = { .events = events->count };

	reach_engine_stats(run->engine, &before);
	for (size_t i = 0; i < events->count; i++) {
		const struct corpus_datagram *datagram = &events->datagrams[i];
		const uint8_t *bytes = events->bytes + datagram->offset;
		const struct nlmsghdr *header = (const void *)bytes;

		run->has_route = header->nlmsg_type == RTM_NEWROUTE;
		reach_engine_events(run->engine, bytes, datagram->size);
		verdicts.changes += settle(run);
	}
	reach_engine_stats(run->engine, &after);
	verdicts.lookups = after.lookups - before.lookups;
	return verdicts;
}

void engine_run_destroy(struct engine_run *run)
{
	if (run == NULL)
		return;
	reach_engine_destroy(run->engine);
	free(run);
}
