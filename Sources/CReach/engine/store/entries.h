/* SPDX-License-Identifier: MIT */
#ifndef REACH_ENGINE_STORE_ENTRIES_H
#define REACH_ENGINE_STORE_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <reach/engine.h>
#include <reach/target.h>

#include "base/verdict.h"

#pragma GCC visibility push(hidden)

/*
 * Everything that is listed is an entry, and is called by its number: an
 * address target, a target made of several addresses, one of those addresses
 * (a part), a group. One takes 64 bytes, since there may be a million.
 */
enum reach_entry_kind {
	REACH_ENTRY_FREE,
	REACH_ENTRY_LIST,
	REACH_ENTRY_ADDRESS,
	REACH_ENTRY_AGGREGATE,
	REACH_ENTRY_PART,
	REACH_ENTRY_GROUP
};

/* The numbers of the lists. */
enum {
	REACH_LIST_DIRTY,
	/* To be queued by publish. */
	REACH_LIST_EVALUATED,
	/* Wait to be taken by the caller. */
	REACH_LIST_CHANGED,
	/* Compounds that depend on links or addresses without a path. */
	REACH_LIST_SENSITIVE,
	/* Classes that wait for an answer. */
	REACH_LIST_GROUPS,
	REACH_LISTS
};

enum reach_entry_bits {
	REACH_BIT_EVALUATED = 1 << 0,
	/* It was reported once. */
	REACH_BIT_REPORTED = 1 << 1,
	/* A part: it is to be asked with its owner. */
	REACH_BIT_DIRTY = 1 << 2,
	/* Only the plain lookup tells its path. */
	REACH_BIT_PLAIN = 1 << 3,
	/* A group waits for its answer. */
	REACH_BIT_LEADS = 1 << 4,
	/* REACH_REPORT_PATH. */
	REACH_BIT_PATH = 1 << 5,
	/* There may be another with its address and selectors. */
	REACH_BIT_DUPLICATE = 1 << 6,
	/* Its answer may be older than an event: confirm.c. */
	REACH_BIT_UNCONFIRMED = 1 << 7
};

/* Lists are rings; who stands alone is on none. */
struct reach_hook {
	uint32_t next;
	uint32_t previous;
};

enum reach_hook_use {
	/* REACH_LIST_DIRTY, or a group. */
	REACH_HOOK_DIRTY,
	/* REACH_LIST_EVALUATED or REACH_LIST_CHANGED: on one of them if and
	 * only if the state differs from the reported one. Of a group
	 * REACH_LIST_GROUPS. */
	REACH_HOOK_CHANGED,
	REACH_HOOKS,
	/* REACH_LIST_SENSITIVE; the hook is in the aggregate. */
	REACH_HOOK_SENSITIVE = REACH_HOOKS
};

struct reach_aggregate;

/* 64 bytes, a line of the cache. Members of a union belong to the kinds that
 * their comments name. */
struct reach_entry {
	union {
		/* Address and part. */
		uint8_t bytes[16];
		/* Aggregate. */
		struct reach_aggregate *aggregate;
	};
	struct reach_hook hooks[REACH_HOOKS];
	union {
		/* Address and aggregate: what was reported (evaluate.h). */
		uint64_t reported;
		/* Part: its aggregate. */
		uint32_t owner;
		/* Group: the entry that is asked for it. */
		uint32_t leader;
	};
	/* Links of the list of entries that share `path`; in a free entry
	 * `path_next` is the link of the free list. */
	uint32_t path_next;
	uint32_t path_previous;
	uint32_t path;
	uint32_t selectors;
	/* Counts uses of the number. */
	uint32_t generation;
	/* enum reach_entry_kind. */
	uint8_t kind : 3;
	/* Questions whose answers are missing, of all parts. */
	uint8_t outstanding : 5;
	union {
		/* Address and part: AF_INET or AF_INET6. */
		uint8_t family;
		/* Group: the longest prefix that its answer may have. */
		uint8_t prefix_length;
	};
	/* enum reach_entry_bits. */
	uint16_t bits;
};

/* A target that is more than one address. */
struct reach_aggregate {
	/* Normalised; its name is owned here. */
	struct reach_target target;
	struct reach_verdict verdict;
	/* Reported, as far as it decides whether to report again. */
	uint64_t reported_addresses;
	uint8_t reported_resolution;
	/* enum reach_resolution. */
	uint8_t resolution;
	/* enum reach_reason, of a name that is done and has no address. */
	uint8_t failure;
	uint8_t part_count;
	struct reach_hook sensitive;
	/* In order; REACH_PROBES_MAX is as many as REACH_ADDRESSES_MAX. */
	uint32_t parts[REACH_ADDRESSES_MAX];
};

#define REACH_CHUNK 1024

struct reach_entries {
	struct reach_entry **chunks;
	/* Numbers ever used; numbers there are chunks for. */
	uint32_t used;
	uint32_t capacity;
	uint32_t chunk_capacity;
	/* REACH_NO_ENTRY, or the first of the free ones. */
	uint32_t free;
	/* That can be asked: addresses and parts. */
	uint32_t asked;
	/* The users of the first entries, from the first target that has one
	 * on. */
	void **users;
	uint32_t user_capacity;
};

#define REACH_NO_ENTRY UINT32_MAX

static inline struct reach_entry *
reach_entry_at(const struct reach_entries *entries, uint32_t number)
{
	return &entries->chunks[number / REACH_CHUNK][number % REACH_CHUNK];
}

/* Makes the lists. @return 0 or -ENOMEM. */
int reach_entries_init(struct reach_entries *entries);
void reach_entries_free(struct reach_entries *entries);

/* A cleared entry of @kind on no list; REACH_NO_ENTRY if memory is out. */
uint32_t reach_entry_create(struct reach_entries *entries,
			    enum reach_entry_kind kind);

/* Takes it off its lists; its generation is used up. */
void reach_entry_destroy(struct reach_entries *entries, uint32_t number);

/* `user` of the target that the entry is. @return 0 or -ENOMEM. */
int reach_entry_set_user(struct reach_entries *entries, uint32_t number,
			 void *user);
void *reach_entry_user(const struct reach_entries *entries, uint32_t number);

#pragma GCC visibility pop

#endif
