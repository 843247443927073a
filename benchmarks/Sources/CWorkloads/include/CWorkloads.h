/* SPDX-License-Identifier: MIT */
/* The measured functions, and the yardsticks beside them. */
#ifndef REACH_CWORKLOADS_H
#define REACH_CWORKLOADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <reach/message.h>

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

/* Reads what the recorder wrote. 0 or a negative errno. */
int corpus_load(struct corpus *ret, const char *path);
void corpus_free(struct corpus *corpus);

/* Each reads the same fields of every message and returns the same weighted sum
 * of them: of a route all that struct reach_route_message has, its legs and
 * expiry included; of a link its header, name, kind, MTU, master, lower link,
 * state, carrier, and hardware address; of an address both ends, broadcast,
 * flags, and lifetimes; and what decides about rules, nexthops, and netconf. */

/* Every message by reach_message_decode(). */
uint64_t read_by_reach(const struct corpus *corpus);

/* The yardstick: every message by the idiom of libmnl's examples, mnl_cb_run()
 * with a callback that has mnl_attr_parse() fill a table, and then
 * mnl_attr_validate() and mnl_attr_get_u32() and the like for each field. */
uint64_t read_by_idiom(const struct corpus *corpus);

/* The events through an engine that watches 100 targets, half of which the
 * events are about, up to the verdict changes. */
struct verdicts {
	uint64_t events;
	uint64_t lookups;
	uint64_t changes;
};

struct engine_run;

/* NULL if memory is short or the links have no usable interface. */
struct engine_run *engine_run_create(const struct corpus *links,
				     const struct corpus *addresses);
struct verdicts engine_run_events(struct engine_run *run,
				  const struct corpus *events);
void engine_run_destroy(struct engine_run *run);

/* Reads four bytes and writes one per entry, and decides nothing: the limit
 * that memory and cache set to flag decoding. */
void pass_read4_write1(const uint32_t *flags, int8_t *statuses, size_t count);

#endif
