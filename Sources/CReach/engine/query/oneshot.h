/* SPDX-License-Identifier: MIT */
/* Links and addresses asked for one by one, for one answer. */
#ifndef REACH_ENGINE_QUERY_ONESHOT_H
#define REACH_ENGINE_QUERY_ONESHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <reach/message.h>

#include "engine/state/batch.h"

#pragma GCC visibility push(hidden)

struct reach_engine;

enum reach_need_kind {
	/* Of this index. */
	REACH_NEED_LINK,
	/* Of the name that the selectors of this number has. */
	REACH_NEED_NAMED,
	/* Links whose master has this index; 0 for all there are. */
	REACH_NEED_PORTS,
	/* Addresses of the interface of this index; 0 for all. */
	REACH_NEED_ADDRESSES
};

struct reach_need {
	/* enum reach_need_kind. */
	uint8_t kind;
	/* Of addresses; AF_UNSPEC for both. */
	uint8_t family;
	uint32_t index;
};

/* Their answers fit a receive buffer of the default size. */
#define REACH_NEEDS_MAX 32

struct reach_oneshot {
	/* A dump of this pass was interrupted. */
	bool interrupted;
	/* The pass brought links or addresses that the one before did not. */
	bool changed;
	/* `path_changes` of the engine when the pass began. */
	uint64_t path_changes;
	/* It is not the last. */
	bool unfinished;
	/* What changes meanwhile is announced to somebody. */
	bool told;
	uint8_t count;
	/* The next to be asked for in this pass. */
	uint8_t next;
	uint8_t passes;
	struct reach_need items[REACH_NEEDS_MAX];
};

/* Writes what is to be asked for before the routes; the bytes written. */
size_t reach_oneshot_write(struct reach_engine *engine, uint8_t *buffer);

/* Whether more is to be asked for before the routes. */
bool reach_oneshot_has_more(const struct reach_engine *engine);

/* Takes a message of an answer. @return 0 or -ENOMEM. */
int reach_oneshot_take(struct reach_engine *engine,
		       struct reach_question *question,
		       const struct reach_message *message);

/* @return 0 or -ENOMEM. */
int reach_oneshot_create(struct reach_engine *engine);
void reach_oneshot_free(struct reach_engine *engine);

/* Whether an engine that asks no more has all it needs. */
bool reach_oneshot_is_complete(const struct reach_engine *engine);

/* Whether target @id needs all links and addresses; and that somebody hears of
 * what changes while they are read, so that they need not be read twice. */
bool reach_oneshot_needs_all(const struct reach_engine *engine, uint64_t id);
void reach_oneshot_set_quiet(struct reach_engine *engine);

#pragma GCC visibility pop

#endif
