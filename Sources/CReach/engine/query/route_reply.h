/* SPDX-License-Identifier: MIT */
/* Turns replies into keys of paths. */
#ifndef REACH_ENGINE_QUERY_ROUTE_REPLY_H
#define REACH_ENGINE_QUERY_ROUTE_REPLY_H

#include <stdbool.h>

#include <reach/message.h>

#include "engine/state/batch.h"
#include "engine/state/paths.h"
#include "engine/store/entries.h"

#pragma GCC visibility push(hidden)

struct reach_engine;

/* Sets @reply from @message, a route or an error. */
void reach_reply_take(const struct reach_engine *engine,
		      struct reach_reply *reply,
		      const struct reach_message *message);

/* The key of the path of @entry, from the plain lookup and, if it was sent
 * (`asked`), the match. */
struct reach_path_key reach_reply_key(const struct reach_engine *engine,
				      const struct reach_entry *entry,
				      const struct reach_reply *plain,
				      const struct reach_reply *match);

/* Sets @ret to the key of the path that all entries with this match share.
 * @return false if there is none: the leg of a multipath route, and a local
 * address, depend on the destination. */
bool reach_reply_shared_key(const struct reach_engine *engine,
			    const struct reach_entry *entry,
			    const struct reach_reply *match,
			    struct reach_path_key *ret);

/* Whether the plain lookup found the route of @key, so that its source is that
 * of the path. The route may have disappeared after the match lookup. */
bool reach_reply_fits(const struct reach_path_key *key,
		      const struct reach_reply *plain);

void reach_reply_set_source(struct reach_path_key *key,
			    const struct reach_address *source);

/* Turns @key into the key of a second lookup with @source, which the answers
 * don't repeat. The key has no length: it would be compared with routes that
 * don't select by source. */
void reach_reply_second_key(const struct reach_engine *engine,
			    struct reach_path_key *key,
			    const struct reach_address *source);

#pragma GCC visibility pop

#endif
