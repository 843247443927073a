/* SPDX-License-Identifier: MIT */
#include <reach/message.h>

#include "digest.h"

struct reading read_by_reach(const struct corpus *corpus)
{
	struct reach_message message = { .size = sizeof(message) };
	struct reading reading = { 0 };

	for (size_t i = 0; i < corpus->count; i++) {
		const struct corpus_datagram *datagram = &corpus->datagrams[i];
		size_t offset = 0;

		while (reach_message_decode(corpus->bytes + datagram->offset,
					    datagram->size, &offset,
					    &message) == 1)
			digest(&reading, &message);
	}
	return reading;
}
