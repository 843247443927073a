/* SPDX-License-Identifier: MIT */
/* The engine of reach_check() without a monitor: it requests the links and
 * addresses that one verdict needs, and takes no events. */
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
	/* The link `index`. */
	REACH_NEED_LINK,
	/* The link that is named by the selectors with number `index`. */
	REACH_NEED_NAMED,
	/* The links whose master has `index`; 0 for all links. A dump. */
	REACH_NEED_PORTS,
	/* The addresses of the interface `index`; 0 for all. A dump. */
	REACH_NEED_ADDRESSES
};

/* Something to read before the verdict can be computed. */
struct reach_need {
	/* enum reach_need_kind. */
	uint8_t kind;
	/* Address family of REACH_NEED_ADDRESSES; AF_UNSPEC for both. */
	uint8_t family;
	uint32_t index;
};

/* Bounds the requests of a pass, whose answers must fit a receive buffer of the
 * default size. A verdict that needs more takes a monitor. */
#define REACH_NEEDS_MAX 32

struct reach_oneshot {
	/* A dump of this pass was interrupted (NLM_F_DUMP_INTR). */
	bool interrupted;
	/* Links or addresses differ from those of the pass before. */
	bool changed;
	/* `path_changes` of the engine when the pass began. If the number is
	 * the same at its end, the routes are the same. */
	uint64_t path_changes;
	/* Another pass has to follow. */
	bool unfinished;
	/* The caller receives events meanwhile, and discards the verdict if any
	 * came. */
	bool watched;
	/* Number of `items`, and the next one to request in this pass. `count`
	 * grows while passes show further needs. */
	uint8_t count;
	uint8_t next;
	/* Passes begun. */
	uint8_t passes;
	struct reach_need items[REACH_NEEDS_MAX];
};

/* Writes requests for links and addresses, which precede the lookups of a pass,
 * and begins the next pass when one is over. @return the bytes written. */
size_t reach_oneshot_write(struct reach_engine *engine, uint8_t *buffer);

/* Whether the pass has links or addresses left to request. */
bool reach_oneshot_has_more(const struct reach_engine *engine);

/* Takes a message of the answer to @request, a REACH_REQUEST_NEED. @return 0 or
 * -ENOMEM. */
int reach_oneshot_take(struct reach_engine *engine,
		       struct reach_request *request,
		       const struct reach_message *message);

/* Makes @engine a one-shot engine, which owns the allocation. @return 0 or
 * -ENOMEM. */
int reach_oneshot_create(struct reach_engine *engine);
void reach_oneshot_free(struct reach_engine *engine);

/* Whether an engine that writes no more requests has a verdict. If not, it gave
 * up. */
bool reach_oneshot_is_complete(const struct reach_engine *engine);

/* Whether target @id needs all links and addresses. One reading is enough if
 * the caller receives events meanwhile, and discards the verdict when one
 * comes. Such a caller calls reach_oneshot_set_watched() before it begins. */
bool reach_oneshot_needs_all(const struct reach_engine *engine, uint64_t id);
void reach_oneshot_set_watched(struct reach_engine *engine);

#pragma GCC visibility pop

#endif
