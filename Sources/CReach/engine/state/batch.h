/* SPDX-License-Identifier: MIT */
/*
 * The batch: the questions whose requests are sent together, and their answers.
 * One batch is in flight at a time.
 */
#ifndef REACH_ENGINE_STATE_BATCH_H
#define REACH_ENGINE_STATE_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <reach/address.h>

#pragma GCC visibility push(hidden)

struct reach_engine;

/* Most requests of a batch. A default receive buffer (net.core.rmem_default,
 * 212,992 bytes) holds 256 answers of 832 bytes: with twice the batch no answer
 * is dropped, and with less there are more system calls. */
#define REACH_BATCH 128

/* Dumps are the kinds from REACH_QUESTION_LINKS on. */
enum reach_question_kind {
	/* Answered, or cancelled: later answers are ignored. */
	REACH_QUESTION_NONE,
	/* Request that waits for RTNL (query/requests.c); its answer is an
	 * error and is not read. */
	REACH_QUESTION_BARRIER,
	/* RTM_GETROUTE for an entry. */
	REACH_QUESTION_LOOKUP,
	/* The same with a source (query/second_lookup.h); `inquiry` is its
	 * position there. */
	REACH_QUESTION_SECOND,
	/* Source inquiry: RTM_GETROUTE for a path (paths.h). */
	REACH_QUESTION_SOURCE,
	/* RTM_GETROUTE for a segment (segments.h). */
	REACH_QUESTION_SEGMENT,
	/* Link or addresses that a one-shot engine lacks (query/oneshot.c). */
	REACH_QUESTION_NEED,
	REACH_QUESTION_LINKS,
	REACH_QUESTION_ADDRESSES,
	/* Policy rules. */
	REACH_QUESTION_RULES,
	REACH_QUESTION_RULES6,
	/* Netconf of all interfaces. */
	REACH_QUESTION_SETTINGS,
	REACH_QUESTION_SETTINGS6,
	/* Routes of IPv4's table default. */
	REACH_QUESTION_DEFAULTS
};

enum reach_reply_use {
	/* With RTM_F_FIB_MATCH: the route that matched. */
	REACH_REPLY_MATCH,
	/* Without: the way that a packet would take. */
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
	/* The packet is sent in another one, not to the destination. */
	bool encapsulated;
	/* There is an answer; false if this lookup was not sent. */
	bool asked;
};

/* One request, or the match and the plain lookup of one entry. Question N of a
 * batch has the sequence numbers `sequence` + 2 N, and that + 1 for its plain
 * lookup. */
struct reach_question {
	/* Number of the entry, path, segment or need that it is about. */
	uint32_t subject;
	/* Generation of the subject's number when it was asked; a mismatch
	 * means that the subject is gone and the answer is stale. */
	uint32_t serial;
	/* REACH_QUESTION_SOURCE: the path's `inquiry` when it was asked. */
	uint32_t inquiry;
	/* enum reach_question_kind. */
	uint8_t kind;
	/* Answers outstanding, bits 1 << enum reach_reply_use. */
	uint8_t missing;
	/* IPv4: the match lookup determines the path (REACH_PATH_SHARED), a
	 * plain lookup only its source. */
	bool by_path;
	struct reach_reply replies[REACH_REPLIES];
};

/* Whether the subject of a lookup or an inquiry still exists; false if its
 * number is free or has been used again. */
bool reach_question_is_current(const struct reach_engine *engine,
			       const struct reach_question *question);

/* Adds a question of @kind about @subject.
 * @return the sequence number for its request. */
uint32_t reach_questions_add(struct reach_engine *engine, uint8_t kind,
			     uint32_t subject);

struct reach_batch {
	/* Used elements of `questions`. */
	size_t count;
	/* Answers that have not arrived; the next batch begins at 0. Counted
	 * down by query/answers.c, dumps.c and oneshot.c. */
	size_t outstanding;
	/* Sequence number of questions[0]. */
	uint32_t sequence;
	/* Batches lost in a row (query/answers.c). */
	unsigned int losses;
	/* No dirty entry is looked up, only the source inquiries of those that
	 * were: the dispatch ends, and what is left is for the next one
	 * (engine.c). */
	bool winding_up;
	/* IPv4: plain lookups are sent with the match lookups, since few
	 * entries are dirty (query/questions.c). */
	bool with_plain;
	/* The last member: the engine's creation does not clear it. */
	struct reach_question questions[REACH_BATCH];
};

/* Adds a question of @kind; the caller sets its subject. The batch has room
 * for it. */
struct reach_question *reach_batch_ask(struct reach_engine *engine,
				       uint8_t kind);

/* Sequence number that lookup @use of the next question will have. */
uint32_t reach_batch_sequence(const struct reach_engine *engine,
			      enum reach_reply_use use);

/* Begins an empty batch; answers to the last one are ignored from here on. */
void reach_batch_begin(struct reach_engine *engine);

#pragma GCC visibility pop

#endif
