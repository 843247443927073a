/* SPDX-License-Identifier: MIT */
/* The inside of an engine. */
#ifndef REACH_ENGINE_STATE_STATE_H
#define REACH_ENGINE_STATE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <reach/engine.h>

#include "engine/state/batch.h"
#include "engine/state/churn.h"
#include "engine/state/confirmation.h"
#include "engine/state/dirty.h"
#include "engine/state/interest.h"
#include "engine/state/paths.h"
#include "engine/state/rules.h"
#include "engine/store/entries.h"
#include "engine/store/index.h"
#include "engine/store/pool.h"
#include "host/addresses.h"
#include "host/links.h"

#pragma GCC visibility push(hidden)

struct reach_oneshot;

/* The running dump, and those to come. Owner: query/dumps.c. */
struct reach_dumps {
	bool want_links;
	bool want_addresses;
	/* The running dump changed the table. */
	bool changed;
	/* The running dump was interrupted (NLM_F_DUMP_INTR). */
	bool interrupted;
	/* Interrupted dumps in a row. */
	unsigned int interruptions;
};

/* Nanoseconds of CLOCK_MONOTONIC; INT64_MAX is never. */
struct reach_clock {
	int64_t now;
	/* The next of all paths. */
	int64_t deadline;
	/* When to begin anew after something was given up. */
	int64_t retry;
};

struct reach_probes {
	struct reach_address addresses[REACH_PROBES_MAX];
	size_t count;
	/* As many are asked for as decide if they agree. */
	bool majority;
};

struct reach_engine {
	struct reach_links links;
	struct reach_own_addresses addresses;
	struct reach_entries entries;
	/* IPv4, IPv6. */
	struct reach_index indices[2];
	struct reach_turnover turnover;
	struct reach_churn churn[2];
	struct reach_rules rules[2];
	struct reach_pool selectors;
	struct reach_pool paths;
	/* Paths whose source is wanted, as a queue. */
	uint32_t wanted_first;
	uint32_t wanted_last;
	/* Count entries that got another path, events, and classes. */
	uint64_t path_changes;
	uint32_t stamp;
	uint32_t group_serial;
	/* The first link whose evidence may be missing; 0 for none. */
	uint32_t evidence_from;
	struct reach_probes probes;
	struct reach_dirty dirty;
	struct reach_dumps dumps;
	struct reach_confirmation confirmation;
	struct reach_clock clock;
	/* Of an engine for one answer, which asks for links and addresses as it
	 * needs them; else NULL. */
	struct reach_oneshot *oneshot;
	/* Counts what may make a name resolve to something else, and of that
	 * what may bring a way back. */
	uint64_t network_changes;
	uint64_t returns;
	struct reach_stats stats;
	/* The last: its end is not cleared. */
	struct reach_batch batch;
};

/* What an answer is at the moment: REACH_BIT_UNCONFIRMED or 0. */
static inline uint16_t reach_unconfirmed(const struct reach_engine *engine)
{
	return engine->confirmation.look != INT64_MAX ? REACH_BIT_UNCONFIRMED
						      : 0;
}

static inline struct reach_path *
reach_path_at(const struct reach_engine *engine, uint32_t number)
{
	return reach_pool_at(&engine->paths, number);
}

#pragma GCC visibility pop

#endif
