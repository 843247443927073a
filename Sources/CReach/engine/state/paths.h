/* SPDX-License-Identifier: MIT */
/* The second part of core.h: paths, and who is marked when they change. */
#ifndef REACH_PATHS_H
#define REACH_PATHS_H

/* ---- paths.c ----------------------------------------------------------- */

/* The prefix that matched is not known: it may be any. */
#define REACH_LENGTH_UNKNOWN UINT8_MAX

enum reach_path_bits {
	/* Told by RTM_F_FIB_MATCH alone: one source for all who have it. */
	REACH_PATH_SHARED = 1 << 0,
	/* It has several legs, or is made of nexthop objects. */
	REACH_PATH_LEGS = 1 << 1,
	/* The profile's interface does not exist; nobody was asked. */
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
	uint32_t profile;
	/* RT_TABLE_*. */
	uint32_t table;
	/* Of an answer that one gave for a class: which. */
	uint32_t class;
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
	uint32_t class;
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
struct reach_reply;

/* Takes the source, and whether the gateway is used, from the plain lookup of
 * @entry. */
void reach_path_settle(struct reach_engine *engine, uint32_t number,
		       uint32_t entry, const struct reach_reply *plain);

/* ---- redraw.c ---------------------------------------------------------- */

/* Draws the verdict of @path, which is reported nowhere by that. */
void reach_path_draw(const struct reach_engine *engine,
		     struct reach_path *path);

/* Evaluates all entries of @path. */
void reach_path_evaluate(struct reach_engine *engine, uint32_t path);

/* Draws all verdicts again after links or addresses changed. */
void reach_paths_redraw(struct reach_engine *engine);

/* ---- targets.c --------------------------------------------------------- */

/* Creates what a normalised target needs. @return 0 or -ENOMEM. */
int reach_targets_insert(struct reach_engine *engine,
			 const struct reach_target *target, uint32_t *ret);
/* The target's entry, or REACH_NO_ENTRY. */
uint32_t reach_targets_find(const struct reach_engine *engine, uint64_t id);
uint64_t reach_targets_id(const struct reach_engine *engine, uint32_t number);
void reach_targets_remove(struct reach_engine *engine, uint32_t number);
void reach_targets_free(struct reach_engine *engine);

/* Replaces a compound's parts by one for each address, or, while there is
 * none known, by what its kind needs. */
int reach_targets_look_up(struct reach_engine *engine, uint32_t number,
			  const struct reach_address *addresses, size_t count);
int reach_targets_prepare(struct reach_engine *engine, uint32_t number);

/* ---- marks.c ----------------------------------------------------------- */

/* Marks one entry to be asked, all for all there is to know, or those of
 * @family for their routes. */
void reach_mark(struct reach_engine *engine, uint32_t number);
void reach_mark_all(struct reach_engine *engine);
void reach_mark_family(struct reach_engine *engine, uint8_t family);

/* All who have the path; where one can speak for all, only one is asked. */
void reach_mark_path(struct reach_engine *engine, uint32_t path);

/* Those whose answers are missing: they may be older than an event. */
void reach_mark_asked(struct reach_engine *engine);

/* Whether all of @family are marked. */
bool reach_mark_is_family(const struct reach_engine *engine, uint8_t family);

/* Counts what an event looked at; marks the family when that was too much. */
void reach_mark_spend(struct reach_engine *engine, uint8_t family,
		      size_t visits);

/* Puts on the dirty list what was marked as a whole, and brings verdicts up
 * to date with links and addresses. */
void reach_mark_flush(struct reach_engine *engine);

/* Marks what has expired at engine->now, and finds the next deadline. */
void reach_mark_expired(struct reach_engine *engine);

/* ---- classes.c --------------------------------------------------------- */

/* A new event: nobody has been met by it. */
void reach_class_begin(struct reach_engine *engine);

/* Marks an entry that the event can affect, as the leader or a follower of
 * those on its path that lie in a prefix of @length, if they are bound to
 * get the same answer. */
void reach_class_mark(struct reach_engine *engine, uint32_t number,
		      uint8_t length);

/* The class that @leader leads, or 0. It leads it no more, and may be given
 * another path. */
uint32_t reach_class_take(struct reach_engine *engine, uint32_t leader);

/* The answer for @class, taken or 0, is the path that @leader has now; or there
 * is none, and each follower is asked. */
void reach_class_answered(struct reach_engine *engine, uint32_t class,
			  uint32_t leader);
void reach_class_ask_each(struct reach_engine *engine, uint32_t class);

/* The leader goes, or is asked for something else: each follower is asked. */
void reach_class_dissolve(struct reach_engine *engine, uint32_t leader);
void reach_class_dissolve_family(struct reach_engine *engine, uint8_t family);

/* ---- twins.c ----------------------------------------------------------- */

/* @number, whose address others in the index have, came into it. */
void reach_twins_enter(struct reach_engine *engine, uint32_t number);

/* @number, which has REACH_BIT_TWIN, is asked: those equal to it that are
 * marked wait for its answer. */
void reach_twins_wait(struct reach_engine *engine, uint32_t number);

/* Goes over the equal ones whose answer is missing, @number if its own is among
 * them; REACH_NO_ENTRY at the end. */
uint32_t reach_twins_first(const struct reach_engine *engine, uint32_t number,
			   struct reach_cursor *cursor);
uint32_t reach_twins_next(const struct reach_engine *engine, uint32_t number,
			  struct reach_cursor *cursor);

/* They are asked again, or instead: @number goes, or has no answer. */
void reach_twins_ask(struct reach_engine *engine, uint32_t number);

/* ---- routes.c, invalidate.c -------------------------------------------- */

void reach_route_event(struct reach_engine *engine,
		       const struct reach_message *message);

/* Applies one event. @return 0 or -ENOMEM. */
int reach_event(struct reach_engine *engine,
		const struct reach_message *message);

/* ---- assume.c ---------------------------------------------------------- */

enum reach_knowledge {
	REACH_UNKNOWN,
	/* The dump is on its way. */
	REACH_RUNNING,
	REACH_KNOWN
};

/* Of a family. Asked for only when there are many to be asked. */
struct reach_assumptions {
	/* enum reach_knowledge, of rules, settings and table default. */
	uint8_t rules;
	uint8_t settings;
	uint8_t defaults;
	/* Rules met in the running dump: bits of the stock ones. */
	uint8_t stock_met;
	bool other_met;
	/* The rules are those that a kernel starts with. */
	bool stock;
	/* Table default, which is empty as a rule, is not. */
	bool default_used;
	/* A setting says that routes come and go with the carrier. */
	bool carrier;
};

struct reach_assumptions *reach_assume(struct reach_engine *engine,
				       uint8_t family);

/* Whether routes are looked up in local, main and default, in that order. */
bool reach_assume_stock(const struct reach_engine *engine, uint8_t family);
/* Whether no route comes or goes with the carrier. */
bool reach_assume_steady(const struct reach_engine *engine, uint8_t family);

/* Whether all that table main does not know is not known. */
bool reach_assume_main_only(const struct reach_engine *engine, uint8_t family);

/* Forgets all, or the rules of a family. */
void reach_assume_nothing(struct reach_engine *engine);
void reach_assume_rules_changed(struct reach_engine *engine, uint8_t family);

/* A setting makes routes come and go with the carrier. */
void reach_assume_settings_changed(struct reach_engine *engine, uint8_t family);

/* Whether there are so many to be asked that knowing more pays. */
bool reach_assume_many(const struct reach_engine *engine);

/* A route came into table default. */
void reach_assume_default_used(struct reach_engine *engine);

/* The dump failed, and is to be asked for once more. */
void reach_assume_again(struct reach_engine *engine, uint8_t kind);

/* Which dump to ask for next, if any. */
uint8_t reach_assume_next_dump(struct reach_engine *engine);
void reach_assume_begin(struct reach_engine *engine, uint8_t kind);
/* Takes a message of the dump. */
void reach_assume_take(struct reach_engine *engine, uint8_t kind,
		       const struct reach_message *message);
/* @whole: nothing was interrupted or refused. */
void reach_assume_end(struct reach_engine *engine, uint8_t kind, bool whole);

#endif
