/* SPDX-License-Identifier: MIT */
/*
 * The inside of an engine, for the files it is made of:
 *
 *	targets.c     the table of targets and their lists
 *	invalidate.c  events in, targets marked
 *	questions.c   marked targets to requests, answers to lookups
 *	verdict.c     lookups, links and addresses to a verdict (pure)
 *	dumps.c       dumps of links and addresses
 *	hints.c       resolved names, what sysfs tells
 *	changes.c     verdicts to changes
 *	engine.c      the public functions, the clock
 */
#ifndef REACH_CORE_H
#define REACH_CORE_H

#include "internal.h"

#pragma GCC visibility push(hidden)

/* What the kernel said of one destination. */
struct reach_lookup {
	struct reach_address destination;
	/* Of the plain lookup: what a packet would do. */
	struct reach_address gateway;
	struct reach_address source;
	/* When to ask again because the route expires; INT64_MAX for never. */
	int64_t deadline;
	uint32_t output;
	/* Positive errno of the plain lookup and of the one with
	 * RTM_F_FIB_MATCH, or 0. */
	uint16_t error;
	uint16_t match_error;
	/* RTN_*. */
	uint8_t type;
	/* The last answer had an expiry. */
	bool expiring;
};

/* What a target comes to. */
struct reach_verdict {
	uint32_t flags;
	uint32_t interface_index;
	struct reach_address source;
	struct reach_address gateway;
	uint16_t error;
	uint8_t reason;
};

/* What was reported last, as far as it decides whether to report again. */
struct reach_reported {
	uint32_t flags;
	uint32_t interface_index;
	uint64_t addresses;
	uint8_t resolution;
	bool ever;
};

struct reach_node {
	struct reach_node *next;
	struct reach_node *previous;
};

struct reach_entry {
	uint64_t id;
	/* Normalised; its name is owned here. */
	struct reach_target target;
	struct reach_lookup *lookups;
	uint32_t lookup_count;
	/* Questions whose answers are missing. */
	uint32_t outstanding;
	/* Counts replacements of `lookups`: late answers must not hit. */
	uint32_t epoch;
	/* enum reach_resolution. */
	uint8_t resolution;
	bool evaluated;
	struct reach_verdict verdict;
	struct reach_reported reported;
	/* On at most one of: to be asked, and to be compared. */
	struct reach_node dirty;
	struct reach_node evaluated_node;
	/* Waits to be taken by the caller. */
	struct reach_node changed;
};

#define REACH_BATCH 128

enum reach_question_kind {
	REACH_QUESTION_NONE,
	REACH_QUESTION_BARRIER,
	REACH_QUESTION_PLAIN,
	REACH_QUESTION_MATCH,
	REACH_QUESTION_LINKS,
	REACH_QUESTION_ADDRESSES
};

/* A request on its way. */
struct reach_question {
	uint64_t id;
	uint32_t lookup;
	uint32_t epoch;
	uint8_t kind;
};

struct reach_slot {
	struct reach_entry *entry;
	uint32_t generation;
	uint32_t next_free;
};

struct reach_engine {
	struct reach_links links;
	struct reach_own_addresses addresses;

	struct reach_slot *slots;
	size_t slot_count;
	uint32_t free_slot;

	struct reach_node dirty;
	struct reach_node evaluated;
	struct reach_node changed;

	struct reach_address probes[REACH_PROBES_MAX];
	size_t probe_count;

	struct reach_question questions[REACH_BATCH];
	size_t question_count;
	size_t outstanding;
	/* Sequence number of questions[0]. */
	uint32_t sequence;

	/* Marked but not yet on the dirty list: everything, or a family. */
	bool all_dirty;
	bool inet_dirty;
	bool inet6_dirty;

	bool want_links;
	bool want_addresses;
	/* The running dump changed the table. */
	bool dump_changed;
	/* The running dump was interrupted (NLM_F_DUMP_INTR). */
	bool interrupted;
	/* Interrupted dumps, and lost batches, in a row. */
	unsigned int interruptions;
	unsigned int losses;
	/* The next questions must wait for the kernel to finish what it
	 * announced. */
	bool barrier;
	/* Some link's evidence may be missing. */
	bool want_evidence;

	int64_t now;
	int64_t deadline;
	/* Counts what may make a name resolve to something else. */
	uint64_t network_changes;
	struct reach_stats stats;
};

/* ---- targets.c --------------------------------------------------------- */

void reach_list_init(struct reach_node *list);
bool reach_list_empty(const struct reach_node *list);
/* Whether @node is on a list. */
bool reach_list_has(const struct reach_node *node);
/* Appends @node unless it is on a list. */
void reach_list_put(struct reach_node *list, struct reach_node *node);
void reach_list_remove(struct reach_node *node);

/* Creates an entry for a normalised target, without lookups. */
int reach_targets_insert(struct reach_engine *engine,
			 const struct reach_target *target,
			 struct reach_entry **ret);
struct reach_entry *reach_targets_find(const struct reach_engine *engine,
				       uint64_t id);
void reach_targets_remove(struct reach_engine *engine,
			  struct reach_entry *entry);
void reach_targets_free(struct reach_engine *engine);

/* Replaces the lookups by one for each of @count addresses. */
int reach_entry_look_up(struct reach_entry *entry,
			const struct reach_address *addresses, size_t count);

/* Gives the entry the lookups that its kind and resolution need. */
int reach_entry_prepare(const struct reach_engine *engine,
			struct reach_entry *entry);

/* ---- invalidate.c ------------------------------------------------------ */

/* Marks one target to be asked, or all of them. */
void reach_mark(struct reach_engine *engine, struct reach_entry *entry);
void reach_mark_all(struct reach_engine *engine);

/* Marks those with a destination of @family. */
void reach_mark_family(struct reach_engine *engine, uint8_t family);

/* Applies one event. @return 0 or -ENOMEM. */
int reach_event(struct reach_engine *engine,
		const struct reach_message *message);

/* Puts on the dirty list what was marked as a whole. */
void reach_mark_flush(struct reach_engine *engine);

/* Marks what has expired at engine->now, and finds the next deadline. */
void reach_mark_expired(struct reach_engine *engine);

/* ---- questions.c ------------------------------------------------------- */

/* Fills @buffer with the next batch; the bytes written. */
size_t reach_questions_write(struct reach_engine *engine, void *buffer,
			     size_t size);

/* Takes a message of an answer. @return 0 or -ENOMEM. */
int reach_questions_answer(struct reach_engine *engine,
			   const struct reach_message *message);

/* Forgets all that is on its way and marks its targets again; after several
 * losses in a row the answers that are missing count as refused. */
void reach_questions_lost(struct reach_engine *engine);

/* ---- dumps.c ----------------------------------------------------------- */

/* Dumps interrupted, or batches lost, in a row before they are taken as they
 * are: a machine that never rests must not keep us from an answer. */
#define REACH_PATIENCE 8

/* @kind is REACH_QUESTION_LINKS or _ADDRESSES. */
void reach_dump_begin(struct reach_engine *engine, uint8_t kind);

/* Takes a message of the running dump. @return 0 or -ENOMEM. */
int reach_dump_take(struct reach_engine *engine, uint8_t kind,
		    const struct reach_message *message);

/* ---- requests.c -------------------------------------------------------- */

/* Write one request with libmnl; @buffer has room for REACH_REQUEST_MAX.
 * Return its length. */
#define REACH_REQUEST_MAX 112

size_t reach_request_dump(void *buffer, uint16_t type, uint32_t sequence);

/* A request that takes RTNL and fails: when it is answered, what the kernel
 * had announced before it has been carried out. */
size_t reach_request_barrier(void *buffer, uint32_t sequence);

size_t reach_request_route(void *buffer, uint32_t sequence,
			   const struct reach_target *target,
			   const struct reach_address *destination,
			   uint32_t interface_index, bool match);

/* ---- verdict.c --------------------------------------------------------- */

/* What the target comes to by its lookups, the links and the addresses. */
struct reach_verdict reach_verdict(const struct reach_engine *engine,
				   const struct reach_entry *entry);

/* The interface the target is scoped to, 0 for any; false if it names one
 * that does not exist. */
bool reach_verdict_scope(const struct reach_engine *engine,
			 const struct reach_target *target, uint32_t *ret);

/* ---- changes.c --------------------------------------------------------- */

/* Draws the verdict and lets publish compare it. */
void reach_evaluate(struct reach_engine *engine, struct reach_entry *entry);

#define REACH_CONTAINER(node, member)                                          \
	((struct reach_entry *)(void *)((char *)(node) -                       \
					offsetof(struct reach_entry, member)))

#pragma GCC visibility pop

#endif
