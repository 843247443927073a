/* SPDX-License-Identifier: MIT */
/* Door of engine/state/: struct reach_engine and its parts, at the end, and the
 * functions of the files that own a part. */
#ifndef REACH_ENGINE_STATE_STATE_H
#define REACH_ENGINE_STATE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#include <reach/address.h>
#include <reach/interface.h>
#include <reach/internal/engine.h>
#include <reach/internal/message.h>
#include <reach/target.h>

#include "base/base.h"
#include "engine/store/store.h"
#include "filter/filter.h"
#include "host/host.h"

#pragma GCC visibility push(hidden)

struct reach_engine;
struct reach_oneshot;

/*
 * The batch: the requests that are sent together, and their answers. Only one
 * batch is outstanding at a time.
 */

/* Requests per batch at most. A default receive buffer (net.core.rmem_default,
 * 212,992 bytes) holds 256 answers of 832 bytes. So even twice the batch loses
 * no answer. Smaller batches need more system calls. */
#define REACH_BATCH 128

/* Dumps are the kinds from REACH_REQUEST_LINKS on. */
enum reach_request_kind {
	/* Answered, or cancelled: later answers are ignored. */
	REACH_REQUEST_NONE,
	/* Request that waits for RTNL (query/requests.c); its answer is an
	 * error and is not read. */
	REACH_REQUEST_BARRIER,
	/* RTM_GETROUTE for a destination. */
	REACH_REQUEST_LOOKUP,
	/* A lookup with a source (query/query.h). */
	REACH_REQUEST_SECOND,
	/* A lookup through another link than that of the first answer
	 * (query/change_over.c). */
	REACH_REQUEST_OTHER_LINK,
	/* Link or addresses that a one-shot engine lacks (query/oneshot.c). */
	REACH_REQUEST_NEED,
	REACH_REQUEST_LINKS,
	REACH_REQUEST_ADDRESSES,
	/* The policy. */
	REACH_REQUEST_POLICY,
	REACH_REQUEST_POLICY6,
	/* Netconf of all interfaces. */
	REACH_REQUEST_SETTINGS,
	REACH_REQUEST_SETTINGS6,
	/* Routes of IPv4's table default. */
	REACH_REQUEST_DEFAULTS
};

enum reach_reply_use {
	/* With RTM_F_FIB_MATCH: the route that matched. */
	REACH_REPLY_MATCH,
	/* Without it: the way that a packet would take. */
	REACH_REPLY_PLAIN,
	REACH_REPLIES
};

/* Answer to one RTM_GETROUTE; members as in struct reach_path_key. */
struct reach_reply {
	struct reach_address gateway;
	struct reach_address source;
	int64_t deadline;
	uint32_t output;
	uint32_t table;
	/* Metric of the route (RTA_PRIORITY). */
	uint32_t priority;
	/* Positive errno; then no other member is valid. */
	uint16_t error;
	uint8_t type;
	/* RT_SCOPE_* of the route. */
	uint8_t scope;
	uint8_t length;
	/* Multipath route, or route with a nexthop object. */
	bool has_legs;
	/* Number of legs, 0 if it is unknown, and of those over usable
	 * links. */
	uint8_t legs;
	uint8_t usable_legs;
	/* The packet is encapsulated, and the outer packet has another
	 * destination. */
	bool encapsulated;
};

/* One request, or the match and the plain lookup of one destination. Request N of a
 * batch has the sequence number `sequence` + 2 N. Its plain lookup has the next
 * one. */
struct reach_request {
	/* Number of the destination, 0 once that is destroyed; or of the
	 * need. */
	uint32_t subject;
	/* REACH_REQUEST_SECOND, REACH_REQUEST_OTHER_LINK: position among the
	 * second lookups. */
	uint32_t position;
	/* enum reach_request_kind. */
	uint8_t kind;
	/* Answers outstanding, bits 1 << enum reach_reply_use. */
	uint8_t missing;
	struct reach_reply replies[REACH_REPLIES];
};

/* Whether a request of @kind is a lookup, which has two answers. */
static inline bool reach_request_is_lookup(uint8_t kind)
{
	return kind >= REACH_REQUEST_LOOKUP && kind <= REACH_REQUEST_OTHER_LINK;
}

/* Whether the destination of a lookup still exists. */
static inline bool reach_request_is_current(const struct reach_request *request)
{
	return request->subject;
}

/* Destination @number is destroyed: answers about it are ignored. */
void reach_requests_cancel(struct reach_engine *engine, uint32_t number);

struct reach_batch {
	/* Used elements of `requests`. */
	size_t count;
	/* Answers that have not arrived; the next batch begins at 0.
	 * Decremented by query/answers.c, requests.c and oneshot.c. */
	size_t outstanding;
	/* Sequence number of requests[0]. */
	uint32_t sequence;
	/* Batches lost in a row (query/answers.c). */
	unsigned int losses;
	/* The last member: the engine's creation does not clear it. */
	struct reach_request requests[REACH_BATCH];
};

/* Adds a request of @kind about @subject to a batch with room for it. @return
 * the sequence number of the request, or of the match of a lookup; that of its
 * plain lookup is the next one. */
uint32_t reach_batch_add(struct reach_engine *engine, uint8_t kind,
			 uint32_t subject);

/* Begins an empty batch; answers to the last one are ignored from here on. */
void reach_batch_begin(struct reach_engine *engine);

/*
 * Paths: the kernel's answers to lookups, interned (store/store.h).
 * Destinations with the same answer share a path and its verdict, and are on
 * its list.
 *
 * A path with REACH_PATH_GROUP is a group: its destinations lie in one prefix
 * and match no longer one, so they match the same routes. If an event can change
 * the answer of a whole group, one of the destinations, the witness, is looked
 * up, and all get its answer (verdict/paths.c). A route that comes for some of
 * the group narrows these to a group of their own.
 *
 * What the witness says for others may come from a route for the witness alone,
 * whose event is still to come. That event, or the witness's removal, makes
 * another destination the witness.
 */

/* Unknown length of a matched prefix: of errors, and before Linux 4.13. */
#define REACH_LENGTH_UNKNOWN UINT8_MAX

enum reach_path_bits {
	/* One route decides for all destinations, which are inside `prefix`. */
	REACH_PATH_GROUP = 1 << 0,
	/* Multipath route, or route with a nexthop object. */
	REACH_PATH_LEGS = 1 << 1,
	/* The selectors name an interface that does not exist; no lookup was
	 * sent. */
	REACH_PATH_NO_INTERFACE = 1 << 2,
	/* The route ends at the deadline unless it is refreshed, which the
	 * kernel does not announce. */
	REACH_PATH_EXPIRING = 1 << 3,
	/* The destination is multicast or the broadcast address. */
	REACH_PATH_MULTICAST = 1 << 4,
	/* From a second lookup, with `source`. */
	REACH_PATH_BY_SOURCE = 1 << 5,
	/* Not direct, although there is no gateway. */
	REACH_PATH_INDIRECT = 1 << 6
};

/* The answer: key of the pool, so without padding. Members that don't apply are
 * zero. */
struct reach_path_key {
	/* Without a scope id, like the source. */
	struct reach_address gateway;
	/* RTA_PREFSRC of the plain lookup: the source that the kernel chose. */
	struct reach_address source;
	/* Group: the prefix of `extent` bits that all destinations are in. Else,
	 * for RTN_LOCAL, the destination: the verdict depends on which own
	 * address it is. */
	uint8_t prefix[16];
	/* Nanoseconds of CLOCK_MONOTONIC at which to look up again because the
	 * route expires; INT64_MAX for never. */
	int64_t deadline;
	/* Interface index (RTA_OIF). */
	uint32_t output;
	/* Number of the selectors of the lookup. Not a reference: each
	 * destination has one. */
	uint32_t selectors;
	/* RT_TABLE_*. */
	uint32_t table;
	/* Positive errno; 0 for a route. */
	uint16_t error;
	uint8_t family;
	/* RTN_*. */
	uint8_t type;
	/* Length of the matched prefix, or REACH_LENGTH_UNKNOWN. */
	uint8_t length;
	/* enum reach_address_scope of the destination. */
	uint8_t destination_scope;
	/* enum reach_path_bits. */
	uint8_t bits;
	/* The answer after a route expired, and before the collector removes
	 * it: a router advertisement may revive that route without an event.
	 * The number of lookups still to come, one per deadline. */
	uint8_t rechecks;
	/* 1 for the route that the kernel changes over to once it has sent by
	 * the route that it answers with (query/change_over.c). */
	uint8_t predicted;
	uint8_t extent;
	/* As in struct reach_reply; 0 for a route without legs. Events of any
	 * link cause another lookup. */
	uint8_t legs;
	uint8_t usable_legs;
	uint8_t reserved[8];
};

/* Whether RTM_GETROUTE returns @error for a result of the FIB: an error route,
 * or no route. Other errors are about the request. */
bool reach_error_is_of_route(uint16_t error);

/* Positive errno of an answer that is an error or a route of an error type, 0
 * for a route that forwards. */
int reach_path_error(const struct reach_path_key *key);

/* Whether no gateway is in use. A route with a gateway that is not on a link has
 * none in the plain answer (rt_set_nexthop, net/ipv4/route.c). */
static inline bool reach_path_is_direct(const struct reach_path_key *key)
{
	return !key->gateway.family && !(key->bits & REACH_PATH_INDIRECT);
}

/* The destination is in no group: its answer is its own. */
void reach_path_key_end_group(struct reach_path_key *key);

/* Sets `prefix` to the first @length bits of @bytes, and `extent`. */
void reach_path_key_set_prefix(struct reach_path_key *key, const uint8_t *bytes,
			       uint8_t length);

/* Written by paths.c, except for members whose comment names
 * another file. */
struct reach_path {
	struct reach_record record;
	struct reach_path_key key;
	/* Verdict of all destinations of the path (evaluate.c). */
	struct reach_verdict verdict;
	/* reach_report_path() of `verdict` (evaluate.c). */
	uint64_t report;
	/* The witness's answer is missing. Until then no user of the
	 * destinations is evaluated. */
	bool waits;
	/* A user was not evaluated because of that (also paths.c). */
	bool is_awaited;
	/* Some answers are unconfirmed. Cleared by invalidate/marks.c. */
	bool unconfirmed;
	/* First of the destinations. 0 only between creation and the first. */
	uint32_t first;
	/* The destination that was looked up for others, or is to be; 0 if it
	 * is to be chosen, or each was looked up itself. */
	uint32_t witness;
};

/*
 * The confirming lookup: destinations whose answer may be older than an event are
 * looked up once more, some time after the event.
 */

/* Times are nanoseconds of CLOCK_MONOTONIC. */
struct reach_confirmation {
	/* An event of a kind that the kernel announces before it acts has come
	 * since the last batch, or may have been lost. */
	bool announced;
	/* The outstanding lookups are confirming lookups only, so a different
	 * answer is a correction (also invalidate/marks.c). */
	bool looking;
	/* Destinations that the confirming lookup has corrected, not yet in the
	 * counters. */
	uint32_t corrections;
	/* The kernel may not have carried out the last announcement before this
	 * time. */
	int64_t until;
	/* Time of the confirming lookup; INT64_MAX if none is pending.
	 * invalidate/marks.c makes the lookup and clears this. */
	int64_t look;
	/* Limit of `look`, however many events come before it. */
	int64_t latest;
};

/* Records an event that the kernel announces before it acts, or a loss of
 * events. A barrier precedes the next lookups, and a confirming lookup follows
 * them. */
void reach_confirmation_announce(struct reach_engine *engine);

/* Called when a batch is written; @asks: it has lookups. Sets the time of the
 * confirming lookup if their answers may be older than the last
 * announcement. */
void reach_confirmation_prepare(struct reach_engine *engine, bool asks);

/* Records an event, so that different answers from now on count as its effect,
 * not as corrections. */
void reach_confirmation_disregard(struct reach_engine *engine);

/* Counts @count corrections if a confirming lookup is under way and found
 * another route for @count destinations, @after instead of @before. */
void reach_confirmation_answered(struct reach_engine *engine,
				 const struct reach_path_key *before,
				 const struct reach_path_key *after,
				 uint32_t count);

/*
 * Dirty state: which destinations to look up again, and whether to recompute
 * verdicts. Single destinations are on the dirty list; struct reach_dirty has
 * the rest.
 */

struct reach_dirty {
	/* All destinations of a family are dirty, but not on the list yet. Set
	 * and, once listed, cleared by invalidate/marks.c. */
	bool families[2];
	/* Set when links, addresses, evidence, or facts have changed and
	 * verdicts must be recomputed. evaluate.c clears it. */
	bool recompute;
	/* Facts have changed, so every target must be evaluated then: not all
	 * are in a verdict, and a name that lacks a network is on no path.
	 * evaluate.c clears it. */
	bool facts;
	/* The next lookups need a barrier before them: the kernel has announced
	 * a change that it may not have carried out. Cleared by
	 * query/lookups.c. */
	bool barrier;
	/* Head of the list of marked aggregates; also taken off by targets.c. */
	struct reach_marked marked;
	/* Groups marked since witnesses were last chosen (paths.c). */
	size_t groups;
};

/* Whether the parts of @aggregate are probes, as in a pending name. Not all of
 * these need a lookup (verdict/verdict.h). */
bool reach_aggregate_has_probes(const struct reach_aggregate *aggregate);

/* User @use needs destination @number, which is stale: it is listed, or the
 * aggregate that may do without it is marked. @return whether it is listed. */
bool reach_mark_for(struct reach_engine *engine, uint32_t number, uint32_t use);

/* Marks a destination for a lookup of its own. */
void reach_mark(struct reach_engine *engine, uint32_t number);

/* Marks a path: a witness will be looked up for all of its destinations. */
void reach_mark_group(struct reach_engine *engine, uint32_t path);

/* Marks an aggregate, so that its parts are looked up where that is needed, or
 * it is evaluated. */
void reach_mark_aggregate(struct reach_engine *engine,
			  struct reach_aggregate *aggregate);
void reach_unmark_aggregate(struct reach_aggregate *aggregate);

/* Requests that all verdicts be recomputed before the next batch. */
void reach_recompute_later(struct reach_engine *engine);

/* Requests that everything be dumped and looked up again in one second, after
 * memory ran out or answers were lost too often. */
void reach_retry_later(struct reach_engine *engine);

/* What the caller knows about interfaces (reach/interface.h). Searched from the
 * start, since there are few. */

struct reach_facts {
	/* Owned. */
	struct reach_interface_facts *items;
	size_t count;
};

/*
 * Whether the policy rules (ip-rule(8)) and settings of the host are the stock
 * ones. If so,
 * the prefix of a route event shows which lookups it can change, and destinations
 * that matched one route can share a lookup. Also whether anything selects by
 * source (query/query.h). An unknown policy counts as not stock, and as
 * selecting by source.
 */

enum reach_knowledge {
	/* Never dumped, or changed since. */
	REACH_UNKNOWN,
	/* The dump is the next request. */
	REACH_WANTED,
	/* The dump is outstanding. */
	REACH_RUNNING,
	REACH_KNOWN
};

/* What policy rules there are; the first three are the stock ones. */
enum reach_policy_bits {
	REACH_POLICY_LOCAL = 1 << 0,
	REACH_POLICY_MAIN = 1 << 1,
	REACH_POLICY_DEFAULT = 1 << 2,
	REACH_POLICY_OTHER = 1 << 3,
	REACH_POLICY_BY_SOURCE = 1 << 4,
	/* Routes over links of a group are suppressed. */
	REACH_POLICY_BY_GROUP = 1 << 5,
	/* Of `known`: all of it is. */
	REACH_POLICY_KNOWN = 1 << 6
};

/* The policy of one family. */
struct reach_policy {
	/* enum reach_knowledge of `source_routes`. */
	uint8_t routes;
	/* enum reach_policy_bits of the running dump, and of the last whole one;
	 * `known` is 0 if the policy has changed since. */
	uint8_t seen;
	uint8_t known;
	/* IPv6: a route selects, or selected, by source (`default from
	 * PREFIX`). */
	bool source_routes;
	/* IPv4: table default has routes, or had some. */
	bool default_used;
	/* ignore_routes_with_linkdown is or was set on an interface: lookups
	 * may change with the carrier of links. */
	bool carrier;
};

/* The bit of a stock rule, 0 for others. The stock rules are priority 0 to table
 * local, 32766 to main, and 32767 to default, which IPv6 does not have
 * (net/ipv4/fib_rules.c and net/ipv6/fib6_rules.c). */
uint8_t reach_policy_stock_bit(const struct reach_rule_message *rule);

/* Whether lookups of @family are known not to depend on the groups of links. */
bool reach_policy_ignore_groups(const struct reach_engine *engine,
				uint8_t family);

/* Whether lookups of @family are known not to depend on the carrier of
 * links. */
bool reach_policy_ignore_carrier(const struct reach_engine *engine,
				 uint8_t family);

/* Whether a destination without a route in local and main is known to have none
 * in any table: stock policy, and nothing in IPv4's table default. */
bool reach_policy_use_main_only(const struct reach_engine *engine,
				uint8_t family);

/* Whether lookups of @family are known not to depend on the source. */
bool reach_policy_ignore_source(const struct reach_engine *engine,
				uint8_t family);

/* How many IPv6 routes the caller should read at most, before it supplies
 * sources, to find out whether one selects by source; or 0. No dump of the
 * engine shows that, since there may be a million routes. */
size_t reach_policy_want_source_routes(const struct reach_engine *engine);
/* Records whether there are such routes. */
void reach_policy_set_source_routes(struct reach_engine *engine, bool any);
/* An event of @route came: one by source, or of IPv4's table default. */
void reach_policy_route_seen(struct reach_engine *engine,
			     const struct reach_route_message *route);

/* A policy rule of @family came or went: makes its policy unknown. */
void reach_policy_changed(struct reach_engine *engine, uint8_t family);

/* No answer and no event waits for a dump but that of IPv4's policy, if it may
 * make a second lookup unnecessary. The others come 1 ms after the last lookup
 * or event. An event puts them off. */
/* Nothing else is to be sent. */
void reach_policy_idle(struct reach_engine *engine);
/* The time of the dumps has come. */
void reach_policy_want(struct reach_engine *engine);

/* The dump of @kind, an enum reach_request_kind, is sent. */
void reach_policy_dump_begin(struct reach_engine *engine, uint8_t kind);
/* Takes one message of the dump. */
void reach_policy_dump_take(struct reach_engine *engine, uint8_t kind,
			    const struct reach_message *message);
/* The dump has ended. @whole: it was neither interrupted nor refused; else the
 * worst case is assumed. */
void reach_policy_dump_end(struct reach_engine *engine, uint8_t kind,
			   bool whole);

/* Second lookups that are due (query/second_lookups.c). */

enum reach_second_lookup_state {
	/* The caller must supply the source. */
	REACH_SECOND_WANTS_SOURCE,
	/* To be sent, or sent. With `has_route`, `source` may be none. */
	REACH_SECOND_HAS_SOURCE,
	/* There is no source: the first answer stands, except for `error`. */
	REACH_SECOND_FAILED,
	/* Other links are being asked; then one of the states above. */
	REACH_SECOND_OTHER_LINKS,
	/* Outstanding or answered. */
	REACH_SECOND_SENT
};

/* A host has one other default route, or a few. */
#define REACH_WAYS_MAX 8

/* Ways: the links that have a route to take instead of a default route of table
 * main. They are the same for all destinations, so that one of them asks for all
 * links, which may be those of many containers. */
struct reach_ways {
	/* They are known until then, while `events` is the number of events and
	 * overruns. */
	int64_t end;
	uint64_t events;
	/* Above REACH_WAYS_MAX: unknown. */
	uint32_t count;
	uint32_t links[REACH_WAYS_MAX];
};

struct reach_second_lookup {
	/* The request with its answers. */
	struct reach_request first;
	struct reach_address source;
	/* Positive errno of the caller's socket. Replaces the first answer's
	 * error unless it is 0. */
	uint16_t error;
	/* enum reach_second_lookup_state. */
	uint8_t state;
	/* IPv4: send it even if no policy rule selects by source. `by_legs`: since the
	 * leg depends on the source. */
	bool whatever_the_policy;
	bool by_legs;
	/* The first answer is a route without the socket's source. */
	bool has_route;
	/* The interface that IPv6 looks through without the source of the pair,
	 * or 0. */
	uint32_t strict_link;
	/* The VRF that the route leads to, and which looks up again, or 0; and
	 * how many have before. */
	uint32_t vrf;
	uint8_t vrf_count;
	/* REACH_SECOND_OTHER_LINKS: the link asked last; and, if `has_other`,
	 * the best answer so far, with its metric. */
	bool has_other;
	uint32_t link;
	uint32_t priority;
	struct reach_path_key other;
	struct reach_ways ways;
};

/* Owner: query/second_lookups.c, and of `ways` query/change_over.c. */
struct reach_second_lookups {
	size_t count;
	/* The items before this one have been handed to the caller. */
	size_t handed;
	/* What was found last; IPv4 comes first. */
	struct reach_ways ways[2];
	struct reach_second_lookup items[REACH_BATCH];
};

/*
 * Selectors: the properties of a lookup besides the destination (oif, mark,
 * uid, source, scope id), interned (store/store.h). Targets that differ only in the
 * address share them.
 */

/* Key of the pool, so without padding. Members as in struct reach_target. */
struct reach_selector_key {
	uint32_t interface_index;
	/* RTA_MARK; 0 is not sent. */
	uint32_t mark;
	/* RTA_UID; REACH_UID_CALLER is not sent. */
	uint32_t uid;
	/* Interface index of a link-local IPv6 destination. */
	uint32_t scope_id;
	/* Interface by name, if `interface_index` is 0. */
	char interface_name[REACH_INTERFACE_NAME_SIZE];
	/* Address pair: the local address. */
	struct reach_address local;
	/* Whether `local` is sent as RTA_SRC. */
	uint16_t with_source;
	/* Whether the destination needs an interface, and nothing names one. */
	uint16_t lacks_scope_id;
	/* Whether the destination is an IPv4 multicast group. */
	uint16_t is_group;
	/* Zero: the pool hashes keys 8 bytes at a time. */
	uint16_t reserved;
};

struct reach_selectors {
	struct reach_record record;
	struct reach_selector_key key;
	/* Index of the existing interface that the key names, or 0. Also 0 for
	 * a VRF if the destination is a group: a socket ignores its VRF then
	 * (__ip4_datagram_connect, net/ipv4/datagram.c). */
	uint32_t bound;
	/* The key names an interface that does not exist, or lacks one that it
	 * needs. Nothing is looked up, and the verdict is "no interface". */
	bool missing;
	/* The key names a VRF. */
	bool is_vrf;
	/* `bound`, `missing`, `is_vrf`, or the local address changed, so the
	 * destinations must be marked. invalidate/events.c also sets this, and
	 * marks.c clears it. */
	bool moved;
};

/* Finds or creates the selectors of lookups of @destination for @target, and
 * takes a reference. @return their number, or 0 if memory is out. */
uint32_t reach_selectors_hold(struct reach_engine *engine,
			      const struct reach_target *target,
			      const struct reach_address *destination);

/* Whether the lookups are bound to an interface (oif). */
bool reach_selectors_are_bound(const struct reach_selectors *selectors);

/* Resolves all interfaces again after links changed, and sets `moved` where the
 * result differs. */
void reach_selectors_resolve(struct reach_engine *engine);

/*
 * struct reach_engine: all state of an engine, in parts. Each part has one
 * owner, the file that writes it. If other files write a member as well, its
 * comment names them. engine.c creates all of it zeroed and sets the few
 * initial values that are not 0.
 */

/* The running dump. Owner: query/requests.c. */
struct reach_dumps {
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
	/* Time at which everything is looked up again. Set by state.c, cleared
	 * by engine.c. */
	int64_t retry;
	/* Time at which policy and settings that aren't known are dumped. Events
	 * put it off until @rules_latest. Owner: policy.c. */
	int64_t policy;
	int64_t policy_latest;
};

/* Settings that the kernel doesn't announce, and that routing depends on where
 * a route has a choice. Set by the monitor; without it, all are 0. */
struct reach_settings {
	/* net.ipv6.conf.all.forwarding: a router leaves no gateway. */
	bool forwards;
	/* IPv4 leaves legs whose gateway has failed (net.ipv4.
	 * fib_multipath_use_neigh). */
	bool leaves_legs;
	/* The leg depends on ports (fib_multipath_hash_policy), so that no
	 * lookup shows it. IPv4 comes first. */
	bool hides_legs[2];
};

/* Addresses that stand for the internet. Owner: engine.c. */
struct reach_probes {
	struct reach_address addresses[REACH_PROBES_MAX];
	size_t count;
};

/* In arrays of two, IPv4 comes first, then IPv6. */
struct reach_engine {
	/* Links and own addresses of the host: host/links.c and addresses.c,
	 * called by invalidate/events.c and query/requests.c. The evidence of a
	 * link is written by verdict/facts.c. */
	struct reach_links links;
	struct reach_own_addresses addresses;
	/* Targets: store/tables.c, called by targets/targets.c. */
	struct reach_entries entries;
	/* What is looked up: store/tables.c, called by
	 * targets/targets.c. */
	struct reach_destinations destinations;
	/* Destinations, sorted: store/index.c, called by
	 * targets/targets.c. Empty in a one-shot engine. */
	struct reach_index indices[2];
	/* Counts destinations that came. Owner: targets/targets.c. */
	uint64_t destinations_added;
	/* Owner: policy.c. */
	struct reach_policy policy[2];
	/* enum reach_knowledge of what each dump tells, by enum
	 * reach_request_kind. Owner: policy.c and query/requests.c; engine.c wants
	 * links and addresses. */
	uint8_t known[REACH_REQUEST_DEFAULTS + 1];
	/* Records are struct reach_selectors. Owner: state.c; the holders
	 * of references are destinations and aggregates (targets/). */
	struct reach_pool selectors;
	/* Records are struct reach_path. Owner: paths.c. */
	struct reach_pool paths;
	/* Counts destinations that got another path. A changed count tells a
	 * one-shot engine that routes changed between two passes. Owner:
	 * paths.c. */
	uint64_t path_changes;
	/* Index of the first link that may lack evidence; 0 if none does.
	 * Owner: verdict/facts.c. */
	uint32_t evidence_from;
	struct reach_probes probes;
	/* Owner: verdict/facts.c. */
	struct reach_facts facts;
	/* Owner: state.c and invalidate/marks.c. */
	struct reach_dirty dirty;
	struct reach_dumps dumps;
	/* Owner: state.c and invalidate/marks.c. */
	struct reach_confirmation confirmation;
	struct reach_clock clock;
	/* An answer may change with a neighbor. Set by verdict/evaluate.c and
	 * invalidate/events.c; cleared by invalidate/marks.c. */
	bool uncertain;
	struct reach_settings settings;
	/* One-shot engine: links and addresses that the verdict needs, each
	 * requested on its own. Owned by query/oneshot.c; NULL in a monitor. */
	struct reach_oneshot *oneshot;
	/* Counts events that may make a name resolve to something else. Written
	 * by invalidate/events.c, route_events.c and engine.c. */
	uint64_t network_changes;
	/* Nothing was added to the list of entries since the last publication.
	 * Written by changes.c and verdict/evaluate.c. */
	bool is_published;
	/* Counters, each written where the counted event happens. */
	struct reach_stats stats;
	/* Owner: state.c and query/. Its `requests`, and the items of
	 * `seconds`, are not cleared when the engine is created. */
	struct reach_batch batch;
	/* Owner: query/. */
	struct reach_second_lookups second_lookups;
};

/* Whether an answer that comes now is unconfirmed: a confirming lookup is
 * pending. */
static inline bool reach_unconfirmed(const struct reach_engine *engine)
{
	return engine->confirmation.look != INT64_MAX;
}

/* Whether lookups of @family are known to search only the tables local, main
 * and default, in that order. */
static inline bool reach_policy_are_stock(const struct reach_engine *engine,
					  uint8_t family)
{
	const uint8_t inet6 = REACH_POLICY_KNOWN | REACH_POLICY_LOCAL |
			      REACH_POLICY_MAIN;

	return family == AF_INET6 ? engine->policy[1].known == inet6
				  : engine->policy[0].known ==
					    (inet6 | REACH_POLICY_DEFAULT);
}

/* Whether all destinations of @family are dirty. */
static inline bool reach_mark_is_family(const struct reach_engine *engine,
					uint8_t family)
{
	return engine->dirty.families[family == AF_INET6];
}

static inline struct reach_destination *
reach_destination_of(const struct reach_engine *engine, uint32_t number)
{
	return REACH_RECORD(&engine->destinations.table,
			    struct reach_destination, number);
}

/* Destinations of @family. */
static inline const struct reach_index *
reach_index_of(const struct reach_engine *engine, unsigned int family)
{
	return &engine->indices[family == AF_INET6];
}

/* Selectors @number, until the next reach_selectors_hold(). */
static inline struct reach_selectors *
reach_selectors_at(const struct reach_engine *engine, uint32_t number)
{
	return (struct reach_selectors *)engine->selectors.records + number;
}

/* Path @number, until the next reach_path_attach(). */
static inline struct reach_path *
reach_path_at(const struct reach_engine *engine, uint32_t number)
{
	return (struct reach_path *)engine->paths.records + number;
}

/* Whether no lookup of @destination, or of its group, is due or outstanding. */
static inline bool
reach_destination_is_known(const struct reach_engine *engine,
			   const struct reach_destination *destination)
{
	return !(destination->bits &
		 (REACH_DESTINATION_STALE | REACH_DESTINATION_ASKED)) &&
	       !(destination->path &&
		 reach_path_at(engine, destination->path)->waits);
}

#pragma GCC visibility pop

#endif
