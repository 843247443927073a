/* SPDX-License-Identifier: MIT */
/*
 * The batch: the requests that are sent together, and their answers. Only one
 * batch is in flight at a time.
 */
#ifndef REACH_ENGINE_STATE_BATCH_H
#define REACH_ENGINE_STATE_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <reach/address.h>

#pragma GCC visibility push(hidden)

struct reach_engine;

/* Requests per batch at most. A default receive buffer (net.core.rmem_default,
 * 212,992 bytes) holds 256 answers of 832 bytes. So even twice the batch loses
 * no answer. Smaller batches need more system calls. */
#define REACH_BATCH 128

/* Dumps are the kinds from REACH_REQUEST_LINKS on. */
enum reach_request_kind {
	/* Answered, or cancelled: later answers are ignored. */
	REACH_REQUEST_NONE,
	/* Request that waits for RTNL (query/requests.c); its answer is an
	 * error and is not read. */
	REACH_REQUEST_BARRIER,
	/* RTM_GETROUTE for an entry. */
	REACH_REQUEST_LOOKUP,
	/* A lookup with a source (query/second_lookup.h). `source_generation`
	 * is its position among the second lookups. */
	REACH_REQUEST_SECOND,
	/* Source lookup: RTM_GETROUTE for a path (paths.h). */
	REACH_REQUEST_SOURCE,
	/* RTM_GETROUTE for a segment (segments.h). */
	REACH_REQUEST_SEGMENT,
	/* Link or addresses that a one-shot engine lacks (query/oneshot.c). */
	REACH_REQUEST_NEED,
	REACH_REQUEST_LINKS,
	REACH_REQUEST_ADDRESSES,
	/* Policy rules. */
	REACH_REQUEST_RULES,
	REACH_REQUEST_RULES6,
	/* Netconf of all interfaces. */
	REACH_REQUEST_SETTINGS,
	REACH_REQUEST_SETTINGS6,
	/* Routes of IPv4's table default. */
	REACH_REQUEST_DEFAULTS
};

enum reach_reply_use {
	/* With RTM_F_FIB_MATCH: the route that matched. */
	REACH_REPLY_MATCH,
	/* Without it: the path that a packet would take. */
	REACH_REPLY_PLAIN,
	REACH_REPLIES
};

/* Answer to one RTM_GETROUTE; members as in struct reach_path_key. */
struct reach_reply {
	struct reach_address gateway;
	struct reach_address source;
	int64_t deadline;
	uint32_t output;
	uint32_t table;
	/* Number of the segment that packets are sent to (segments.h), or 0. */
	uint32_t segment;
	/* Positive errno; then no other member but `asked` is valid. */
	uint16_t error;
	uint8_t type;
	uint8_t scope;
	uint8_t length;
	/* Multipath route, or route with a nexthop object. */
	bool legs;
	/* The packet is encapsulated, and the outer packet has another
	 * destination. */
	bool encapsulated;
	/* There is an answer; false if this lookup was not sent. */
	bool asked;
};

/* One request, or the match and the plain lookup of one entry. Request N of a
 * batch has the sequence number `sequence` + 2 N. Its plain lookup has the next
 * one. */
struct reach_request {
	/* Number of the subject: an entry, path, segment or need. */
	uint32_t subject;
	/* Generation of the subject's number when the request was made. After a
	 * mismatch the subject is gone and the answer is stale. */
	uint32_t serial;
	/* REACH_REQUEST_SOURCE: the path's `source_generation` when the request
	 * was made. */
	uint32_t source_generation;
	/* enum reach_request_kind. */
	uint8_t kind;
	/* Answers outstanding, bits 1 << enum reach_reply_use. */
	uint8_t missing;
	/* IPv4: the match lookup determines the path (REACH_PATH_SHARED), a
	 * plain lookup only its source. */
	bool by_path;
	struct reach_reply replies[REACH_REPLIES];
};

/* Whether the subject of a lookup or a source lookup still exists; false if its
 * number is free or has been used again. */
bool reach_request_is_current(const struct reach_engine *engine,
			      const struct reach_request *request);

/* Adds a request of @kind about @subject. @return its sequence number. */
uint32_t reach_lookups_add(struct reach_engine *engine, uint8_t kind,
			   uint32_t subject);

struct reach_batch {
	/* Used elements of `requests`. */
	size_t count;
	/* Answers that have not arrived; the next batch begins at 0.
	 * Decremented by query/answers.c, dumps.c and oneshot.c. */
	size_t outstanding;
	/* Sequence number of requests[0]. */
	uint32_t sequence;
	/* Batches lost in a row (query/answers.c). */
	unsigned int losses;
	/* Only source lookups of entries already looked up are sent, no dirty
	 * entries: the dispatch ends, and the next one continues (engine.c). */
	bool winding_up;
	/* IPv4: plain lookups are sent with the match lookups, since few
	 * entries are dirty (query/lookups.c). */
	bool with_plain;
	/* The last member: the engine's creation does not clear it. */
	struct reach_request requests[REACH_BATCH];
};

/* Adds a request of @kind; the caller sets its subject. The batch has room for
 * it. */
struct reach_request *reach_batch_ask(struct reach_engine *engine,
				      uint8_t kind);

/* Sequence number that lookup @use of the next request will have. */
uint32_t reach_batch_sequence(const struct reach_engine *engine,
			      enum reach_reply_use use);

/* Begins an empty batch; answers to the last one are ignored from here on. */
void reach_batch_begin(struct reach_engine *engine);

#pragma GCC visibility pop

#endif
