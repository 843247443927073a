/* SPDX-License-Identifier: MIT */
/* The questions on their way. */
#ifndef REACH_ENGINE_STATE_BATCH_H
#define REACH_ENGINE_STATE_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <reach/address.h>

#pragma GCC visibility push(hidden)

struct reach_engine;

#define REACH_BATCH 128

enum reach_question_kind {
	REACH_QUESTION_NONE,
	REACH_QUESTION_BARRIER,
	/* An entry's path; a path's source. */
	REACH_QUESTION_LOOKUP,
	REACH_QUESTION_SOURCE,
	/* A link, a few, or addresses: oneshot.c. */
	REACH_QUESTION_NEED,
	REACH_QUESTION_LINKS,
	REACH_QUESTION_ADDRESSES,
	REACH_QUESTION_RULES,
	REACH_QUESTION_RULES6,
	REACH_QUESTION_SETTINGS,
	REACH_QUESTION_SETTINGS6,
	/* Routes of IPv4's table default. */
	REACH_QUESTION_DEFAULTS
};

enum reach_reply_use {
	REACH_REPLY_MATCH,
	REACH_REPLY_PLAIN,
	REACH_REPLIES
};

/* What a lookup brought. */
struct reach_reply {
	struct reach_address gateway;
	struct reach_address source;
	int64_t deadline;
	uint32_t output;
	uint32_t table;
	/* Positive errno. */
	uint16_t error;
	uint8_t type;
	uint8_t scope;
	uint8_t length;
	bool legs;
	bool asked;
};

/* A request on its way, or the two about one entry; their sequence numbers
 * are twice its position, and one more for the plain lookup. */
struct reach_question {
	uint32_t subject;
	/* Which of all that had this number. */
	uint32_t serial;
	/* Of a path: its `inquiry`. */
	uint32_t inquiry;
	uint8_t kind;
	/* Bits 1 << enum reach_reply_use. */
	uint8_t missing;
	/* IPv4: the match tells the path, and the plain lookup its source. */
	bool by_path;
	struct reach_reply replies[REACH_REPLIES];
};

/* Whether the entry or path it is about is still that one. */
bool reach_question_is_current(const struct reach_engine *engine,
			       const struct reach_question *question);

/* A question of @kind is on its way; the sequence number it has. */
uint32_t reach_questions_add(struct reach_engine *engine, uint8_t kind,
			     uint32_t subject);

struct reach_batch {
	size_t count;
	/* Answers that are missing. */
	size_t outstanding;
	/* Sequence number of questions[0]. */
	uint32_t sequence;
	/* Batches lost in a row. */
	unsigned int losses;
	/* Only what was begun is asked to its end. */
	bool winding_up;
	/* IPv4: the batch asks for the source along with the path. */
	bool both;
	/* The last, since it is not to be cleared. */
	struct reach_question questions[REACH_BATCH];
};

/* Adds a question of @kind, whose subject is for the caller to set. */
struct reach_question *reach_batch_ask(struct reach_engine *engine,
				       uint8_t kind);

/* The sequence number of the question that comes next. */
uint32_t reach_batch_sequence(const struct reach_engine *engine,
			      enum reach_reply_use use);

/* Begins an empty batch; answers to the last one are outdated. */
void reach_batch_begin(struct reach_engine *engine);

#pragma GCC visibility pop

#endif
