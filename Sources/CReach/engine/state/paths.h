/* SPDX-License-Identifier: MIT */
/* Answers, each kept once for all entries that got it. */
#ifndef REACH_ENGINE_STATE_PATHS_H
#define REACH_ENGINE_STATE_PATHS_H

#include <stdbool.h>
#include <stdint.h>

#include <reach/address.h>

#include "base/verdict.h"
#include "engine/store/pool.h"

#pragma GCC visibility push(hidden)

struct reach_engine;

/* The prefix that matched is not known: it may be any. */
#define REACH_LENGTH_UNKNOWN UINT8_MAX

enum reach_path_bits {
	/* Told by RTM_F_FIB_MATCH alone: one source for all who have it. */
	REACH_PATH_SHARED = 1 << 0,
	/* It has several legs, or is made of nexthop objects. */
	REACH_PATH_LEGS = 1 << 1,
	/* The selectors's interface does not exist; nobody was asked. */
	REACH_PATH_NO_INTERFACE = 1 << 2,
	/* It is over at the deadline, if it is not renewed. */
	REACH_PATH_EXPIRING = 1 << 3,
	/* It came in place of one that expired, which may come back without a
	 * word: looked at again at the deadline. */
	REACH_PATH_EXPIRED = 1 << 4
};

/* An answer. Without padding. */
struct reach_path_key {
	uint8_t gateway[16];
	/* As answered; of a shared path only what the route prescribes. */
	uint8_t source[16];
	/* Only of local addresses, where it decides. */
	uint8_t destination[16];
	/* When to ask again because the route expires; INT64_MAX for never. */
	int64_t deadline;
	uint32_t output;
	uint32_t selectors;
	/* RT_TABLE_*. */
	uint32_t table;
	/* Of an answer that one gave for a class: which. */
	uint32_t group;
	/* Positive errno. */
	uint16_t error;
	uint8_t family;
	uint8_t gateway_family;
	uint8_t source_family;
	/* RTN_*. */
	uint8_t type;
	/* RT_SCOPE_* of the route, of shared paths. */
	uint8_t scope;
	/* Length of the prefix that matched. */
	uint8_t length;
	/* enum reach_address_scope of the destination. */
	uint8_t reach;
	/* enum reach_path_bits. */
	uint8_t bits;
	/* Of one in place of an expired one: how often it is still to be looked
	 * at, and the length of that one's prefix. */
	uint8_t looks;
	uint8_t expired_length;
	uint8_t reserved[4];
};

struct reach_path {
	struct reach_record record;
	struct reach_path_key key;
	struct reach_verdict verdict;
	/* reach_report_path() of the verdict, or 0 while nobody wanted it. */
	uint64_t report;
	/* Of a shared path, once it is settled. */
	struct reach_address source;
	/* The gateway, if there is one, is not used: the kernel leaves out one
	 * that is not on a link (rt_set_nexthop, net/ipv4/route.c). */
	bool direct;
	/* Its entries. */
	uint32_t first;
	/* Those before and after whose source is to be asked, 0 for none, and
	 * with whose address it is or was. */
	uint32_t wanted_next;
	uint32_t wanted_previous;
	uint32_t wanted_by;
	/* The event that last met it, who met it first, and the class of those
	 * on it, or 0. */
	uint32_t stamp;
	uint32_t leader;
	uint32_t group;
	/* Entries that were put in front since they are doubted (confirm.c),
	 * and whether there are more, anywhere. */
	uint32_t fronted;
	bool scattered;
	/* Tells questions for the source from outdated ones. */
	uint32_t inquiry;
	/* Contradictory answers for the source in a row. */
	uint8_t tries;
	bool settled;
	/* On the list of those whose source is wanted, or asked for. */
	bool wanted;
	/* The expired route that it came for has been removed. */
	bool removed;
};

/* Gives entry @number the path of this answer. @return 0 or -ENOMEM, after
 * which it has the one it had. */
int reach_path_attach(struct reach_engine *engine, uint32_t number,
		      const struct reach_path_key *key);

/* Takes all off @list, which are addresses that nobody asks, gives them the
 * path that @like has, and evaluates them. */
void reach_path_follow(struct reach_engine *engine, uint32_t list,
		       uint32_t like);
void reach_path_detach(struct reach_engine *engine, uint32_t number);

/* The source is no longer known; whoever is asked next makes it be asked. */
void reach_path_unsettle(struct reach_path *path);

/* The next path whose source is wanted, taken off the list; 0 for none. */
uint32_t reach_path_next_wanted(struct reach_engine *engine);
/* The plain lookup of @entry told the path's source, and whether the gateway is
 * left unused (@direct). */
void reach_path_settle(struct reach_engine *engine, uint32_t number,
		       uint32_t entry, const struct reach_address *source,
		       bool direct);

#pragma GCC visibility pop

#endif
