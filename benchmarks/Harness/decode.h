/* SPDX-License-Identifier: MIT */
/* Two readers of recorded messages: the library, and libmnl's idiom beside it. */
#ifndef DECODE_H
#define DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <reach/internal/message.h>

/* Recorded datagrams in memory. */
struct corpus {
	uint8_t *bytes;
	/* Offset and length of each datagram in `bytes`. */
	struct corpus_datagram {
		size_t offset;
		size_t size;
	} *datagrams;
	size_t count;
};

/* Reads a file of the recorder. @return 0 or a negative errno. */
int corpus_load(struct corpus *ret, const char *path);
void corpus_free(struct corpus *corpus);

/* The next two functions read the same fields of every message and return the
 * same weighted sum of them:
 *	route: all fields of struct reach_route_message, with legs and expiry
 *	link: header, name, kind, MTU, master, lower link, state, carrier, and
 *	      hardware address
 *	address: both ends, broadcast, flags, and lifetimes
 *	rule, nexthop, netconf: the fields that affect verdicts */

/* Reads every message with reach_message_decode(). */
uint64_t read_by_reach(const struct corpus *corpus);

/* The yardstick: reads every message like libmnl's examples. mnl_cb_run() calls
 * a callback that has mnl_attr_parse() fill a table. Then mnl_attr_validate(),
 * mnl_attr_get_u32(), and the like read each field. */
uint64_t read_by_idiom(const struct corpus *corpus);

#endif
