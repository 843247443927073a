/* SPDX-License-Identifier: MIT */
/* Two readers of recorded messages: the library, and libmnl's idiom beside it. */
#ifndef DECODE_H
#define DECODE_H

#include <stddef.h>
#include <stdint.h>

#include <reach/internal/message.h>

/* A file of record.py in memory. */
struct corpus {
	const uint8_t *bytes;
	size_t size;
};

/* The datagram at *@at, which then is that of the next one; NULL at the end. */
static inline const void *corpus_next(const struct corpus *corpus, size_t *at,
				      size_t *size)
{
	const uint8_t *length = corpus->bytes + *at;

	if (*at == corpus->size)
		return NULL;
	*size = *(const uint32_t *)(const void *)length;
	*at += sizeof(uint32_t) + ((*size + 3) & ~(size_t)3);
	return length + sizeof(uint32_t);
}

/* The next two functions read the same fields of every message and return the
 * same weighted sum of them:
 *	route: all fields of struct reach_route_message, with legs and expiry
 *	link: header, name, kind, MTU, master, lower link, state, carrier, and
 *	      hardware address
 *	address: both ends, broadcast, and flags
 * Of the few other messages, they read the header. */

/* Reads every message with reach_message_decode(). */
uint64_t read_by_reach(const struct corpus *corpus);

/* The yardstick: reads every message like libmnl's examples. mnl_cb_run() calls
 * a callback that has mnl_attr_parse() fill a table. Then mnl_attr_validate(),
 * mnl_attr_get_u32(), and the like read each field. */
uint64_t read_by_idiom(const struct corpus *corpus);

#endif
