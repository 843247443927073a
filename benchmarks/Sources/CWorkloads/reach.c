/* SPDX-License-Identifier: MIT */
#include <reach/message.h>

#include "digest.h"

static void digest(struct reading *reading, const struct reach_message *message)
{
	switch (message->kind) {
	case REACH_MESSAGE_ROUTE:
		digest_route(reading, &message->u.route);
		break;
	case REACH_MESSAGE_LINK:
		digest_link(reading, &message->u.link);
		break;
	case REACH_MESSAGE_ADDRESS:
		digest_address_message(reading, &message->u.address);
		break;
	default:
		break;
	}
}

struct reading read_by_reach(const struct corpus *corpus, bool thorough)
{
	struct reach_message message = { .size = sizeof(message) };
	struct reading reading = { .thorough = thorough };

	for (size_t i = 0; i < corpus->count; i++) {
		const struct corpus_datagram *datagram = &corpus->datagrams[i];
		size_t offset = 0;

		while (reach_decoder_next(corpus->decoder,
					  corpus->bytes + datagram->offset,
					  datagram->size, &offset,
					  &message) == 1)
			digest(&reading, &message);
	}
	return reading;
}
