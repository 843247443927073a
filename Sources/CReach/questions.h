/* SPDX-License-Identifier: MIT */
/* The third part of core.h: questions, answers, and the engine itself. */
#ifndef REACH_QUESTIONS_H
#define REACH_QUESTIONS_H

/* ---- questions.c, answers.c -------------------------------------------- */

#define REACH_BATCH 128

enum reach_question_kind {
	REACH_QUESTION_NONE,
	REACH_QUESTION_BARRIER,
	/* An entry's path; a path's source. */
	REACH_QUESTION_LOOKUP,
	REACH_QUESTION_SOURCE,
	/* A link, a few, or addresses: needs.c. */
	REACH_QUESTION_NEED,
	REACH_QUESTION_LINKS,
	REACH_QUESTION_ADDRESSES,
	REACH_QUESTION_RULES,
	REACH_QUESTION_RULES6,
	REACH_QUESTION_SETTINGS,
	REACH_QUESTION_SETTINGS6,
	/* Routes of IPv4's table default. */
	REACH_QUESTION_DEFAULTS
};

enum reach_reply_use {
	REACH_REPLY_MATCH,
	REACH_REPLY_PLAIN,
	REACH_REPLIES
};

/* What a lookup brought. */
struct reach_reply {
	struct reach_address gateway;
	struct reach_address source;
	int64_t deadline;
	uint32_t output;
	uint32_t table;
	/* Positive errno. */
	uint16_t error;
	uint8_t type;
	uint8_t scope;
	uint8_t length;
	bool legs;
	/* Of a plain IPv6 lookup: the route prescribes the source. */
	bool prescribed;
	bool asked;
};

/* A request on its way, or the two about one entry; their sequence numbers
 * are twice its position, and one more for the plain lookup. */
struct reach_question {
	uint32_t subject;
	/* Which of all that had this number. */
	uint32_t serial;
	/* Of a path: its `inquiry`. */
	uint32_t inquiry;
	uint8_t kind;
	/* Bits 1 << enum reach_reply_use. */
	uint8_t missing;
	/* The match tells the path, and the plain lookup its source, or that
	 * is known. */
	bool by_path;
	/* Others wait for its answer (twins.c). */
	bool shared;
	struct reach_reply replies[REACH_REPLIES];
};

/* Whether the entry or path it is about is still that one. */
bool reach_question_is_current(const struct reach_engine *engine,
			       const struct reach_question *question);

/* A question of @kind is on its way; the sequence number it has. */
uint32_t reach_questions_add(struct reach_engine *engine, uint8_t kind,
			     uint32_t subject);

/* Fills @buffer with the next batch; the bytes written. */
size_t reach_questions_write(struct reach_engine *engine, void *buffer,
			     size_t size);

/* Takes a message of an answer. @return 0 or -ENOMEM. */
int reach_questions_answer(struct reach_engine *engine,
			   const struct reach_message *message);

/* Forgets all that is on its way and marks its targets again; after several
 * losses in a row the answers that are missing count as refused. */
void reach_questions_lost(struct reach_engine *engine);

/* ---- replies.c --------------------------------------------------------- */

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

/* Whether the source is what the kernel chose by destination and output. */
bool reach_reply_is_chosen(const struct reach_engine *engine,
			   const struct reach_reply *plain,
			   const struct reach_reply *match);

/* The key of a match alone, with the source that the entry has chosen; false if
 * that may be another now. */
bool reach_reply_kept_key(const struct reach_engine *engine,
			  const struct reach_entry *entry,
			  const struct reach_reply *match,
			  struct reach_path_key *ret);

/* The errors of routes and of no route; others are about the question. */
bool reach_reply_is_of_route(uint16_t error);

/* ---- dumps.c ----------------------------------------------------------- */

/* Dumps interrupted, or batches lost, in a row before they are taken as they
 * are: a machine that never rests must not keep us from an answer. */
#define REACH_PATIENCE 8

void reach_dump_begin(struct reach_engine *engine, uint8_t kind);

/* Asks for the dump of @kind (once more). */
void reach_dump_want(struct reach_engine *engine, uint8_t kind);

/* Takes a link or an address that is there. @return whether it changed
 * anything, or -ENOMEM. */
int reach_dump_apply(struct reach_engine *engine,
		     const struct reach_message *message);

/* Takes a message of the running dump. @return 0 or -ENOMEM. */
int reach_dump_take(struct reach_engine *engine, uint8_t kind,
		    const struct reach_message *message);

/* ---- needs.c ----------------------------------------------------------- */

enum reach_need_kind {
	/* Of this index. */
	REACH_NEED_LINK,
	/* Of the name that the profile of this number has. */
	REACH_NEED_NAMED,
	/* Links whose master has this index; 0 for all there are. */
	REACH_NEED_PORTS,
	/* Addresses of the interface of this index; 0 for all. */
	REACH_NEED_ADDRESSES
};

struct reach_need {
	/* enum reach_need_kind. */
	uint8_t kind;
	/* Of addresses; AF_UNSPEC for both. */
	uint8_t family;
	uint32_t index;
};

/* Their answers fit a receive buffer of the default size. */
#define REACH_NEEDS_MAX 32

struct reach_needs {
	/* Links and addresses are asked for as needed, not dumped. */
	bool sparse;
	/* As many probes are asked for as decide if they agree. */
	bool majority;
	/* What the pass brought that the one before did not: routes, links or
	 * addresses. */
	bool rerouted;
	bool changed;
	/* It is not the last. */
	bool unfinished;
	/* What changes meanwhile is announced to somebody. */
	bool told;
	uint8_t count;
	/* The next to be asked for in this pass. */
	uint8_t next;
	uint8_t passes;
	struct reach_need items[REACH_NEEDS_MAX];
};

/* Writes what is to be asked for before the routes; the bytes written. */
size_t reach_needs_write(struct reach_engine *engine, uint8_t *buffer);

/* Takes a message of an answer. @return 0 or -ENOMEM. */
int reach_needs_take(struct reach_engine *engine,
		     struct reach_question *question,
		     const struct reach_message *message);

/* ---- requests.c -------------------------------------------------------- */

/* Write one request with libmnl; @buffer has room for REACH_REQUEST_MAX.
 * Return its length. */
#define REACH_REQUEST_MAX 112

/* @kind is that of the question. */
size_t reach_request_dump(void *buffer, uint8_t kind, uint32_t sequence);

/* The link @index or, if that is 0, @name. */
size_t reach_request_link(void *buffer, uint32_t sequence, uint32_t index,
			  const char *name);

/* Those whose master is @master, and the addresses of @index; 0 for all. */
size_t reach_request_links(void *buffer, uint32_t sequence, uint32_t master);
size_t reach_request_addresses(void *buffer, uint32_t sequence, uint8_t family,
			       uint32_t index);

/* A request that takes RTNL and fails: when it is answered, what the kernel
 * had announced before it has been carried out. */
size_t reach_request_barrier(void *buffer, uint32_t sequence);

size_t reach_request_route(void *buffer, uint32_t sequence,
			   const struct reach_profile *profile,
			   const struct reach_entry *entry, bool match);

/* ---- confirm.c --------------------------------------------------------- */

/* Answers that may be older than an event, and the look that confirms them. */
struct reach_doubt {
	/* An event came, or may have been lost, that the kernel announces
	 * before it has carried it out. */
	bool announced;
	/* The look is under way, and nothing else explains an answer. */
	bool looking;
	/* Answers to what it asked that differ; not published yet. */
	uint32_t corrections;
	/* When what was announced last has been carried out. */
	int64_t until;
	/* When the look is due, INT64_MAX for never, and at the latest. */
	int64_t look;
	int64_t latest;
};

/* What is announced is not carried out yet: the next questions wait for that,
 * and are asked once more. */
void reach_doubt_announce(struct reach_engine *engine);

/* Before questions are put, if the batch @asks any. */
void reach_doubt_prepare(struct reach_engine *engine, bool asks);

/* Marks who is doubted, if that is due. */
void reach_doubt_look(struct reach_engine *engine);

/* Something else than the kernel's delay may explain another answer. */
void reach_doubt_explain(struct reach_engine *engine);

/* @count entries had the answer @before, and now have @after. */
void reach_doubt_answered(struct reach_engine *engine,
			  const struct reach_path_key *before,
			  const struct reach_path_key *after, uint32_t count);

/* No event explained what the look corrected. */
void reach_doubt_count(struct reach_engine *engine);

/* ---- hints.c ----------------------------------------------------------- */

/* The link @index has become, or may have become, another. */
void reach_want_evidence(struct reach_engine *engine, uint32_t index);

/* ---- verdict.c, compound.c --------------------------------------------- */

/* What a path comes to by links and addresses. */
struct reach_verdict reach_verdict(const struct reach_engine *engine,
				   const struct reach_path *path);
struct reach_verdict reach_verdict_none(enum reach_reason reason, int error);
struct reach_verdict reach_compound_verdict(const struct reach_engine *engine,
					    uint32_t number);

/* The IPv4 probes that decide if all of them are reachable, whatever the others
 * are; their number. */
size_t reach_compound_majority(const struct reach_engine *engine,
			       struct reach_address *ret);
/* Whether all of them are. */
bool reach_compound_agrees(const struct reach_engine *engine,
			   const struct reach_compound *compound);

/* ---- changes.c --------------------------------------------------------- */

/* Draws the verdict of a target, or of a part's owner, unless answers are
 * missing, and lists it if it differs from what was reported. */
void reach_evaluate(struct reach_engine *engine, uint32_t number);

/* ------------------------------------------------------------------------ */

/* What the last route events that met nobody were about. */
struct reach_noise {
	/* The prefix that REACH_NOISE in a row shared; length 0 for none. */
	struct reach_filter_prefix prefix;
	/* Of those since: what they share, how many, and the first. */
	struct reach_filter_prefix next;
	size_t count;
	struct reach_key key;
};

struct reach_engine {
	struct reach_links links;
	struct reach_own_addresses addresses;
	struct reach_entries entries;
	/* IPv4, IPv6. */
	struct reach_index indices[2];
	/* Addresses that came into them, and went. */
	struct reach_turnover turnover;
	struct reach_noise noise[2];
	struct reach_assumptions assumptions[2];
	struct reach_pool profiles;
	struct reach_pool paths;
	/* Paths whose source is wanted, as a queue. */
	uint32_t wanted_first;
	uint32_t wanted_last;
	/* Count events and classes. */
	uint32_t stamp;
	uint32_t class_serial;
	/* Entries that events looked at since the last batch. */
	size_t visits;

	struct reach_address probes[REACH_PROBES_MAX];
	size_t probe_count;

	size_t question_count;
	size_t outstanding;
	/* Sequence number of questions[0]. */
	uint32_t sequence;

	/* Marked but not yet on the dirty list: everything, or a family. */
	bool all_dirty;
	bool inet_dirty;
	bool inet6_dirty;
	/* What the kernel chooses IPv6 sources by changed; all of IPv6 are
	 * marked. */
	bool sources_dirty;
	/* Links or addresses changed since verdicts were drawn. */
	bool redraw;

	struct reach_needs needs;
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
	struct reach_doubt doubt;
	/* Only what was begun is asked to its end. */
	bool winding_up;
	/* The batch asks for the source along with the path. */
	bool both;
	/* IPv6 targets whose source could be kept, less those whose could not,
	 * since nobody was marked, as far as it matters. */
	int kept;
	/* The first link whose evidence may be missing; 0 for none. */
	uint32_t evidence_from;

	int64_t now;
	int64_t deadline;
	/* Counts what may make a name resolve to something else. */
	uint64_t network_changes;
	/* Those that may bring a way back. */
	uint64_t returns;
	/* When to begin anew after something was given up, or INT64_MAX. */
	int64_t retry;
	struct reach_stats stats;

	/* The last, since it is not to be cleared. */
	struct reach_question questions[REACH_BATCH];
};

/* @delay after @now, in nanoseconds; INT64_MAX, never, where the clock does not
 * reach. */
static inline int64_t reach_after(int64_t now, int64_t delay)
{
	int64_t sum;

	return __builtin_add_overflow(now, delay, &sum) ? INT64_MAX : sum;
}

/* What an answer is at the moment: REACH_BIT_DOUBTED or 0. */
static inline uint16_t reach_doubted(const struct reach_engine *engine)
{
	return engine->doubt.look != INT64_MAX ? REACH_BIT_DOUBTED : 0;
}

static inline struct reach_path *
reach_path_at(const struct reach_engine *engine, uint32_t number)
{
	return reach_pool_at(&engine->paths, number);
}

#endif
