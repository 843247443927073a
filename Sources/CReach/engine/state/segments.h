/* SPDX-License-Identifier: MIT */
/*
 * Segments: the first destination of packets on a route with segment routing
 * (SRv6, RFC 8754).
 *
 * The kernel wraps such a packet in one to the first segment, and looks up the
 * segment as a destination of its own (seg6_output_core(),
 * net/ipv6/seg6_iptunnel.c). Without a route to the segment the packet is lost,
 * although connect() succeeds. So a segment is looked up too, before the
 * entries whose answers name it. An answer that names an unknown segment marks
 * its entry for another lookup. Answers about segments hold until the next
 * event that could change them.
 *
 * The kernel sets the source of the wrapping packet before it looks up the
 * segment. So if a rule or route selects by source, the caller supplies the
 * source that the kernel would choose for the segment. The kernel's own choice
 * can differ: it prefers the link of the outer route, or takes the address of
 * `ip sr tunsrc`. A lookup can request neither.
 */
#ifndef REACH_ENGINE_STATE_SEGMENTS_H
#define REACH_ENGINE_STATE_SEGMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include <reach/address.h>

#include "engine/state/batch.h"
#include "engine/state/paths.h"
#include "engine/store/pool.h"

#pragma GCC visibility push(hidden)

struct reach_engine;

struct reach_segment_key {
	uint8_t bytes[16];
	/* Mark of the packets. */
	uint32_t mark;
	uint32_t reserved;
};

struct reach_segment {
	struct reach_record record;
	struct reach_segment_key key;
	/* The source that the caller has supplied; family 0 for none. */
	struct reach_address source;
	/* The answer. */
	struct reach_address gateway;
	int64_t deadline;
	/* `generation` of the segments when this one was looked up. If it
	 * differs, the answer is unknown. */
	uint32_t generation;
	/* The same, when the caller was asked for the source. */
	uint32_t source_generation;
	uint32_t output;
	/* Positive errno, also of a route of an error type. */
	uint16_t error;
	/* RTN_*. */
	uint8_t type;
	/* To be looked up. */
	bool is_queued;
	/* The caller was asked for the source, and hasn't answered. */
	bool is_source_pending;
};

/* Owner: segments.c. */
struct reach_segments {
	/* Records are struct reach_segment. They are never released: the pool
	 * has all segments that routes to targets have ever named. */
	struct reach_pool pool;
	/* Counts how often all answers were forgotten; not 0. */
	uint32_t generation;
	/* How many are queued. */
	uint32_t queued;
};

/* Whether any segment was ever named. Until then, and so on most hosts,
 * segments cost nothing. */
bool reach_segments_any(const struct reach_engine *engine);

/* The number of the segment @address for packets with @mark; 0 if memory is
 * out. */
uint32_t reach_segments_number(struct reach_engine *engine,
			       const struct reach_address *address,
			       uint32_t mark);

/* Changes @key, the answer about an entry whose route leads to segment @number,
 * into the answer through the segment. @return false if the segment must be
 * looked up first. */
bool reach_segments_apply(struct reach_engine *engine, uint32_t number,
			  struct reach_path_key *key);

/* The next segment to be looked up, or 0. */
uint32_t reach_segments_next_lookup(struct reach_engine *engine);

const struct reach_segment_key *
reach_segments_key(const struct reach_engine *engine, uint32_t number);

/* The source to look up segment @number with, or NULL. */
const struct reach_address *
reach_segments_source(const struct reach_engine *engine, uint32_t number);

/* The next queued segment whose source the caller must supply, or 0. Returns
 * each once per generation. */
uint32_t reach_segments_hand(struct reach_engine *engine);

/* Sets the source of segment @number, as reach_segments_hand() requested.
 * @source: NULL for none, with the positive errno @error of a lookup, or 0.
 * @return 0, or -ENOENT if there was no such request, or it is outdated. */
int reach_segments_set_source(struct reach_engine *engine, uint32_t number,
			      const struct reach_address *source,
			      uint16_t error);

/* Takes the answer to @request, the lookup of a segment. */
void reach_segments_take(struct reach_engine *engine,
			 const struct reach_request *request,
			 const struct reach_reply *reply);

/* Queues a lookup of segment @number, whose answer is unknown or was lost. */
void reach_segments_want(struct reach_engine *engine, uint32_t number);

/* Makes the answers about all segments unknown. */
void reach_segments_forget(struct reach_engine *engine);

void reach_segments_free(struct reach_engine *engine);

#pragma GCC visibility pop

#endif
