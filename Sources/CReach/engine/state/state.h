/* SPDX-License-Identifier: MIT */
/*
 * struct reach_engine: all state of an engine, in parts. Each part has one
 * owner, the file that writes it. If other files write a member as well, its
 * comment names them. engine.c creates all of it zeroed and sets the few
 * initial values that are not 0.
 */
#ifndef REACH_ENGINE_STATE_STATE_H
#define REACH_ENGINE_STATE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include <reach/engine.h>

#include "engine/state/batch.h"
#include "engine/state/churn.h"
#include "engine/state/confirmation.h"
#include "engine/state/dirty.h"
#include "engine/state/interest.h"
#include "engine/state/metered.h"
#include "engine/state/modems.h"
#include "engine/state/paths.h"
#include "engine/state/rules.h"
#include "engine/state/second_lookups.h"
#include "engine/state/segments.h"
#include "engine/store/entries.h"
#include "engine/store/index.h"
#include "engine/store/pool.h"
#include "host/addresses.h"
#include "host/links.h"

#pragma GCC visibility push(hidden)

struct reach_oneshot;

/* Dumps of links and addresses: the running one, and those to be sent. Owner:
 * query/dumps.c. */
struct reach_dumps {
	/* To be sent before the next lookups. Set by engine.c as well, cleared
	 * by query/lookups.c. */
	bool want_links;
	bool want_addresses;
	/* The running dump changed the table. */
	bool changed;
	/* The running dump was interrupted (NLM_F_DUMP_INTR), or memory ran out
	 * in it. */
	bool interrupted;
	/* Interrupted dumps in a row. */
	unsigned int interruptions;
};

/* Nanoseconds of CLOCK_MONOTONIC; INT64_MAX is never. */
struct reach_clock {
	/* Time that the caller set last. Owner: engine.c. */
	int64_t now;
	/* Lower bound of the deadlines of all paths. Lowered by paths.c,
	 * recomputed by invalidate/marks.c. */
	int64_t deadline;
	/* Time at which everything is looked up again. Set by dirty.c, cleared
	 * by engine.c. */
	int64_t retry;
};

/* Addresses that stand for the internet. Owner: engine.c. */
struct reach_probes {
	struct reach_address addresses[REACH_PROBES_MAX];
	size_t count;
	/* Only the majority that comes first (parts.h) is looked up, whatever
	 * the answers are. Written by query/oneshot.c. */
	bool majority;
};

/* In arrays of two, IPv4 comes first, then IPv6. */
struct reach_engine {
	/* Links and own addresses of the host: host/links.c and addresses.c,
	 * called by invalidate/events.c and query/dumps.c. The evidence of a
	 * link is written by evidence.c. */
	struct reach_links links;
	struct reach_own_addresses addresses;
	/* Targets, parts and groups: store/entries.c, called by
	 * targets/targets.c and invalidate/equivalence.c. */
	struct reach_entries entries;
	/* Addresses and parts, sorted: store/index.c, called by
	 * targets/targets.c. Empty in a one-shot engine. */
	struct reach_index indices[2];
	/* Owner: targets/targets.c. */
	struct reach_destination_counts destination_counts;
	/* Owner: churn.c. */
	struct reach_churn churn[2];
	/* Owner: rules.c. */
	struct reach_rules rules[2];
	/* enum reach_knowledge of what each dump tells, by enum
	 * reach_request_kind. Owner: rules.c. */
	uint8_t known[REACH_REQUEST_DEFAULTS + 1];
	/* An event has come. Owner: rules.c. */
	bool rules_wanted;
	/* Records are struct reach_selectors. Owner: selectors.c; the holders
	 * of references are the entries (targets/targets.c). */
	struct reach_pool selectors;
	/* Records are struct reach_path. Owner: paths.c. */
	struct reach_pool paths;
	/* Owner: segments.c. */
	struct reach_segments segments;
	/* Queue of paths whose source lookup is to be sent, by number; 0 if it
	 * is empty. Owner: paths.c. */
	uint32_t source_queue;
	uint32_t source_queue_last;
	/* Counts entries that got another path. A changed count tells a
	 * one-shot engine that routes changed between two passes. Owner:
	 * paths.c. */
	uint64_t path_changes;
	/* Number of the last event that visited paths, and serial of the last
	 * equivalence group with an error. Owner: invalidate/equivalence.c. */
	uint32_t stamp;
	uint32_t group_serial;
	/* Index of the first link that may lack evidence; 0 if none does.
	 * Owner: evidence.c. */
	uint32_t evidence_from;
	struct reach_probes probes;
	/* Owner: modems.c. */
	struct reach_modems modems;
	/* Owner: metered.c. */
	struct reach_metered_list metered;
	/* Owner: dirty.c and invalidate/marks.c. */
	struct reach_dirty dirty;
	struct reach_dumps dumps;
	/* Owner: confirmation.c and invalidate/confirm.c. */
	struct reach_confirmation confirmation;
	struct reach_clock clock;
	/* One-shot engine: links and addresses that the verdict needs, each
	 * requested on its own. Owned by query/oneshot.c; NULL in a monitor. */
	struct reach_oneshot *oneshot;
	/* Count events that may make a name resolve to something else, and
	 * those of them that may restore connectivity. Written by
	 * invalidate/events.c, route_events.c and engine.c. */
	uint64_t network_changes;
	uint64_t connectivity_returns;
	/* Counters, each written where the counted event happens. */
	struct reach_stats stats;
	/* Owner: batch.c and query/. Its `requests`, and the items of
	 * `seconds`, are not cleared when the engine is created. */
	struct reach_batch batch;
	/* Owner: second_lookups.c and query/second_lookup.c. */
	struct reach_second_lookups second_lookups;
};

/* The bit that an answer gets now: REACH_BIT_UNCONFIRMED while a confirming
 * lookup is pending, else 0. */
static inline uint16_t reach_unconfirmed(const struct reach_engine *engine)
{
	return engine->confirmation.look != INT64_MAX ? REACH_BIT_UNCONFIRMED
						      : 0;
}

/* Addresses and parts of @family. */
static inline const struct reach_index *
reach_index_of(const struct reach_engine *engine, unsigned int family)
{
	return &engine->indices[family == AF_INET6];
}

/* Path @number, until the next reach_path_attach(). */
static inline struct reach_path *
reach_path_at(const struct reach_engine *engine, uint32_t number)
{
	return reach_pool_at(&engine->paths, number);
}

#pragma GCC visibility pop

#endif
