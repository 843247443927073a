/* SPDX-License-Identifier: MIT */
/* What lookups brought, as keys of paths. */
#ifndef REACH_ENGINE_QUERY_ROUTE_REPLY_H
#define REACH_ENGINE_QUERY_ROUTE_REPLY_H

#include <stdbool.h>

#include <reach/message.h>

#include "engine/state/batch.h"
#include "engine/state/paths.h"
#include "engine/store/entries.h"

#pragma GCC visibility push(hidden)

struct reach_engine;

void reach_reply_take(const struct reach_engine *engine,
		      struct reach_reply *reply,
		      const struct reach_message *message);

/* The key of two answers, or of the plain one alone. */
struct reach_path_key reach_reply_key(const struct reach_engine *engine,
				      const struct reach_entry *entry,
				      const struct reach_reply *plain,
				      const struct reach_reply *match);

/* The key of a match alone; false if it does not tell the path: each
 * destination has a leg of its own, and is local in its own way. */
bool reach_reply_shared_key(const struct reach_engine *engine,
			    const struct reach_entry *entry,
			    const struct reach_reply *match,
			    struct reach_path_key *ret);

/* Whether the source of a shared path is in @plain: the route may have gone
 * between match and lookup. */
bool reach_reply_fits(const struct reach_path_key *key,
		      const struct reach_reply *plain);

#pragma GCC visibility pop

#endif
