/* SPDX-License-Identifier: MIT */
/*
 * Paths: the kernel's answers to lookups, interned (store/pool.h). Entries with
 * the same answer share a path, its verdict and its source, and are on its
 * list.
 *
 * A match lookup (RTM_F_FIB_MATCH) returns the route, but not the source that
 * the kernel would choose. IPv4 has one such source per route
 * (fib_result_prefsrc, net/ipv4/fib_semantics.c). So an IPv4 match makes a
 * shared path. One plain lookup of any of its entries, the source lookup,
 * returns the source of all. The path is settled once its source is known.
 */
#ifndef REACH_ENGINE_STATE_PATHS_H
#define REACH_ENGINE_STATE_PATHS_H

#include <stdbool.h>
#include <stdint.h>

#include <reach/address.h>

#include "base/verdict.h"
#include "engine/store/pool.h"

#pragma GCC visibility push(hidden)

struct reach_engine;

/* Unknown length of a matched prefix: of errors, before Linux 4.13, and if no
 * match lookup was sent. */
#define REACH_LENGTH_UNKNOWN UINT8_MAX

enum reach_path_bits {
	/* From an IPv4 match lookup: the source comes from the source
	 * lookup. */
	REACH_PATH_SHARED = 1 << 0,
	/* Multipath route, or route with a nexthop object. */
	REACH_PATH_LEGS = 1 << 1,
	/* The selectors name an interface that does not exist; no lookup was
	 * sent. */
	REACH_PATH_NO_INTERFACE = 1 << 2,
	/* The route ends at the deadline unless it is refreshed, which the
	 * kernel does not announce. */
	REACH_PATH_EXPIRING = 1 << 3,
	/* The answer after a route expired, and before the collector removes
	 * it. A router advertisement may revive that route without an event, so
	 * this answer is rechecked (`rechecks`). */
	REACH_PATH_EXPIRED = 1 << 4,
	/* The destination is multicast or the broadcast address. */
	REACH_PATH_MULTICAST = 1 << 5,
	/* From a second lookup, with `source`. */
	REACH_PATH_BY_SOURCE = 1 << 6,
	/* Not direct, although there is no gateway. */
	REACH_PATH_INDIRECT = 1 << 7
};

/* The answer: key of the pool, so without padding. Members that don't apply are
 * zero. */
struct reach_path_key {
	uint8_t gateway[16];
	/* RTA_PREFSRC: in a plain lookup the source that the kernel chose, in a
	 * match lookup (shared path) the one that the route prescribes. */
	uint8_t source[16];
	/* Destination, for RTN_LOCAL only: the verdict depends on which own
	 * address it is. */
	uint8_t destination[16];
	/* Nanoseconds of CLOCK_MONOTONIC at which to look up again because the
	 * route expires; INT64_MAX for never. */
	int64_t deadline;
	/* Interface index (RTA_OIF). */
	uint32_t output;
	/* Number of the selectors of the lookup. Not a reference: each entry
	 * has one. */
	uint32_t selectors;
	/* RT_TABLE_*. */
	uint32_t table;
	/* Serial of the equivalence group that got this error from its leader,
	 * else 0. Such errors are rechecked (invalidate/route_events.c). */
	uint32_t group;
	/* Positive errno; 0 for a route. */
	uint16_t error;
	uint8_t family;
	uint8_t gateway_family;
	uint8_t source_family;
	/* RTN_*. */
	uint8_t type;
	/* RT_SCOPE_* of the route; shared paths only. */
	uint8_t scope;
	/* Length of the matched prefix, or REACH_LENGTH_UNKNOWN. */
	uint8_t length;
	/* enum reach_address_scope of the destination. */
	uint8_t destination_scope;
	/* enum reach_path_bits. */
	uint8_t bits;
	/* REACH_PATH_EXPIRED: the number of lookups still to come, one per
	 * deadline, and the prefix length of the expired route. */
	uint8_t rechecks;
	uint8_t expired_length;
	/* 1 if the answer about a segment is part of it (segments.h). */
	uint8_t by_segment;
	uint8_t reserved[3];
};

/* Written by paths.c, except for members whose comment names another file. */
struct reach_path {
	struct reach_record record;
	struct reach_path_key key;
	/* Verdict of all entries of the path (recompute.c). */
	struct reach_verdict verdict;
	/* Cache of reach_report_path() of `verdict` (recompute.c, evaluate.c);
	 * 0 until it is needed. */
	uint64_t report;
	/* Source of the packets. In a shared path: the source lookup's answer,
	 * or what the route prescribes until that arrives. */
	struct reach_address source;
	/* No gateway is in use. A route with a gateway that is not on a link
	 * has none in the plain answer (rt_set_nexthop, net/ipv4/route.c). */
	bool direct;
	/* First entry of the list that struct reach_entry's `path_next` links.
	 * REACH_NO_ENTRY only between creation and the first entry. */
	uint32_t first;
	/* Links of the queue of source lookups to be sent
	 * (reach_engine.source_queue), as path numbers; 0 at the ends. */
	uint32_t queue_next;
	uint32_t queue_previous;
	/* Entry whose plain lookup is, or last was, the source lookup (also
	 * query/lookups.c). */
	uint32_t source_entry;
	/* For invalidate/equivalence.c. `stamp`: last event that visited this
	 * path. `leader`: first entry that the event visited. `group`:
	 * equivalence group formed of its entries, or 0. */
	uint32_t stamp;
	uint32_t leader;
	uint32_t group;
	/* Unconfirmed entries (confirmation.h): how many were moved to the
	 * front of the list, and whether others stayed in place, so that the
	 * whole list must be walked. Reset by invalidate/confirm.c. */
	uint32_t unconfirmed_in_front;
	bool unconfirmed_anywhere;
	/* Generation counter of the source lookup: an answer to another
	 * generation is stale. */
	uint32_t source_generation;
	/* Source lookups in a row whose answer was stale or another route's
	 * (query/answers.c). */
	uint8_t mismatches;
	/* `source` and `direct` are known; until then no entry of the path is
	 * evaluated. */
	bool settled;
	/* A source lookup is queued or outstanding (also query/answers.c). */
	bool source_pending;
	/* REACH_PATH_EXPIRED: the removal of the expired route was announced
	 * (invalidate/route_events.c). */
	bool removed;
};

/* Attaches the path of @key to entry @number; does not evaluate it. @return 0,
 * or -ENOMEM, after which the entry has its old path. */
int reach_path_attach(struct reach_engine *engine, uint32_t number,
		      const struct reach_path_key *key);

/* Attaches the path of entry @like, the leader of a group, to the followers on
 * @list, and evaluates them. @list is empty afterwards. */
void reach_path_follow(struct reach_engine *engine, uint32_t list,
		       uint32_t like);

/* Takes entry @number off its path, if it has one. The last entry frees the
 * path. */
void reach_path_detach(struct reach_engine *engine, uint32_t number);

/* Declares the source of a shared path unknown. The source lookup is queued
 * when an entry next gets this path as its answer. */
void reach_path_unsettle(struct reach_path *path);

/* Takes the next path off the queue of source lookups. @return its number, or
 * 0. */
uint32_t reach_path_next_source_lookup(struct reach_engine *engine);

/* Sets @source and @direct of path @number as entry @entry's plain lookup
 * returned them, and evaluates the entries if that changes the path. */
void reach_path_settle(struct reach_engine *engine, uint32_t number,
		       uint32_t entry, const struct reach_address *source,
		       bool direct);

#pragma GCC visibility pop

#endif
