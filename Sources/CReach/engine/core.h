/* SPDX-License-Identifier: MIT */
/*
 * The inside of an engine, for the files it is made of:
 *
 *	entries.c     entries by number; lists.h the lists they stand on
 *	index.c       asked addresses in order; index.h what it stands on
 *	intern.c      records kept once however many hold them
 *	profiles.c    what questions carry beside the address
 *	paths.c       what the kernel answered, and who hangs on it
 *	redraw.c      their verdicts
 *	targets.c     targets to entries
 *	destinations.c what the entries ask for, as a whole
 *	churn.c       where route events affect no target, for the filter
 *	marks.c       who is to be asked
 *	classes.c     who is answered by another's answer
 *	twins.c       equal ones, which are asked as one
 *	routes.c      route events in, entries marked
 *	invalidate.c  all other events in, entries marked
 *	assume.c      what rules and settings allow to assume of routes
 *	confirm.c     who is asked once more
 *	questions.c   marked entries to requests
 *	answers.c     answers to paths
 *	replies.c     what they brought, as keys of paths
 *	verdict.c     path, links and addresses to a verdict
 *	compound.c    verdicts of several paths to one
 *	dumps.c       dumps into their tables
 *	needs.c       what one answer needs of links and addresses
 *	hints.c       resolved names, what sysfs tells
 *	changes.c     verdicts to changes
 *	engine.c      the public functions, the clock
 */
#ifndef REACH_CORE_H
#define REACH_CORE_H

#include "base/address.h"
#include "base/clock.h"
#include "base/target.h"
#include "engine/engine.h"
#include "engine/state/churn.h"
#include "engine/state/interest.h"
#include "filter/filter.h"
#include "host/addresses.h"
#include "host/classify.h"
#include "host/links.h"

#pragma GCC visibility push(hidden)

/* What a path or target comes to: all that a state shows of it. Without
 * padding. */
struct reach_verdict {
	uint32_t flags;
	uint32_t interface_index;
	struct reach_address source;
	struct reach_address gateway;
	uint32_t error;
	uint16_t reason;
	/* enum reach_interface_class of the interface, and its name. */
	uint16_t interface_class;
	char interface_name[REACH_INTERFACE_NAME_SIZE];
};

/* ---- entries.c --------------------------------------------------------- */

/*
 * Everything that is listed is an entry, and is called by its number: an
 * address target, a target made of several addresses, one of those addresses
 * (a part), a class. One takes 64 bytes, since there may be a million.
 */
enum reach_entry_kind {
	REACH_ENTRY_FREE,
	REACH_ENTRY_LIST,
	REACH_ENTRY_ADDRESS,
	REACH_ENTRY_COMPOUND,
	REACH_ENTRY_PART,
	REACH_ENTRY_CLASS
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
	REACH_LIST_CLASSES,
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
	/* A class waits for its answer. */
	REACH_BIT_LEADS = 1 << 4,
	/* REACH_REPORT_PATH. */
	REACH_BIT_PATH = 1 << 5,
	/* There may be another with its address and profile. */
	REACH_BIT_TWIN = 1 << 6,
	/* Its answer may be older than an event: confirm.c. */
	REACH_BIT_DOUBTED = 1 << 7
};

/* Lists are rings; who stands alone is on none. */
struct reach_hook {
	uint32_t next;
	uint32_t previous;
};

enum reach_hook_use {
	/* REACH_LIST_DIRTY, or a class. */
	REACH_HOOK_DIRTY,
	/* REACH_LIST_EVALUATED or REACH_LIST_CHANGED: on one of them if and
	 * only if the state differs from the reported one. Of a class
	 * REACH_LIST_CLASSES. */
	REACH_HOOK_CHANGED,
	REACH_HOOKS,
	/* REACH_LIST_SENSITIVE; the hook is in the compound. */
	REACH_HOOK_SENSITIVE = REACH_HOOKS
};

struct reach_compound;

struct reach_entry {
	union {
		uint8_t bytes[16];
		struct reach_compound *compound;
	} u;
	struct reach_hook hooks[REACH_HOOKS];
	/* What was reported (evaluate.h); of a part its owner, of a class who
	 * leads it. */
	union {
		uint64_t reported;
		uint32_t owner;
	} v;
	/* Those with the same path; the next free one. */
	uint32_t path_next;
	uint32_t path_previous;
	uint32_t path;
	uint32_t profile;
	uint32_t generation;
	/* enum reach_entry_kind. */
	uint8_t kind : 3;
	/* Questions whose answers are missing, of all parts. */
	uint8_t outstanding : 5;
	/* Of a class the longest prefix that its answer may have. */
	uint8_t family;
	/* enum reach_entry_bits. */
	uint16_t bits;
};

/* A target that is more than one address. */
struct reach_compound {
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

#include "engine/store/lists.h"

#include "engine/store/index.h"

/* ---- intern.c ---------------------------------------------------------- */

/* What every record begins with; its key follows. Record 0 is none. */
struct reach_record {
	/* Of the same hash; the next free one. */
	uint32_t next;
	uint32_t references;
	/* Counts uses of the number. */
	uint32_t serial;
	uint32_t hash;
};

struct reach_pool {
	uint8_t *records;
	uint32_t *buckets;
	uint32_t used;
	uint32_t capacity;
	uint32_t bucket_count;
	uint32_t free;
	uint32_t count;
	/* Both multiples of 8. */
	uint32_t record_size;
	uint32_t key_size;
};

/* Of a multiple of 8 bytes. */
uint64_t reach_hash(const void *key, size_t size);

/* The record with this key and one reference more; @created tells whether it
 * is new, and all behind its key zero. Moves records. 0 if memory is out. */
uint32_t reach_pool_hold(struct reach_pool *pool, const void *key,
			 bool *created);

/* One reference less; whether that was the last and the record is gone. */
bool reach_pool_release(struct reach_pool *pool, uint32_t number);
void reach_pool_free(struct reach_pool *pool);

static inline void *reach_pool_at(const struct reach_pool *pool,
				  uint32_t number)
{
	return pool->records + (size_t)number * pool->record_size;
}

/* ---- profiles.c -------------------------------------------------------- */

/* What a question carries beside its address. Without padding. */
struct reach_selectors {
	uint32_t interface_index;
	uint32_t mark;
	uint32_t uid;
	/* Of a link-local destination. */
	uint32_t scope_id;
	char interface_name[REACH_INTERFACE_NAME_SIZE];
	/* Of a pair. */
	struct reach_address local;
	/* Whether `local` is asked with. */
	uint64_t with_source;
};

struct reach_profile {
	struct reach_record record;
	struct reach_selectors key;
	/* The interface it is scoped to, as an index that exists, or 0. */
	uint32_t scope;
	/* It is scoped to one that does not exist. */
	bool missing;
	/* Its entries are to be asked because of that. */
	bool moved;
};

/* The profile of @target's questions for @destination, held once more. */
uint32_t reach_profile_hold(struct reach_engine *engine,
			    const struct reach_target *target,
			    const struct reach_address *destination);

const struct reach_profile *reach_profile_at(const struct reach_engine *engine,
					     uint32_t number);

bool reach_profile_is_scoped(const struct reach_profile *profile);

/* Looks for the scopes anew; marks the entries of those that moved. */
void reach_profiles_resolve(struct reach_engine *engine);

/* Marks entries that are scoped to interface @index or ask with @local;
 * 0 and NULL for none. */
void reach_profiles_mark(struct reach_engine *engine, uint32_t index,
			 const struct reach_address *local);

#include "engine/query/questions.h"
#include "engine/state/paths.h"

/* ---- engine.c ---------------------------------------------------------- */

/* Something was given up: a second from now all is asked anew. */
void reach_engine_retry_later(struct reach_engine *engine);

#pragma GCC visibility pop

#endif
