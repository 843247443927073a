/* SPDX-License-Identifier: MIT */
/*
 * Door of engine/query/: the dirty list to requests, answers to paths, dumps,
 * the one-shot answer.
 */
#ifndef REACH_ENGINE_QUERY_QUERY_H
#define REACH_ENGINE_QUERY_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <reach/internal/message.h>

#include "engine/state/state.h"
#include "engine/store/store.h"

#pragma GCC visibility push(hidden)

/* Turns the kernel's answers into the paths of destinations. */

/* Takes @message if it answers a request of the outstanding batch, wholly or in
 * part. Ignores any other. @return 0 or -ENOMEM. */
int reach_lookups_answer(struct reach_engine *engine,
			 const struct reach_message *message);

/* Ends @second without a second lookup: the first answer stands, with the
 * source or the error that the caller supplied. */
void reach_answers_stand(struct reach_engine *engine,
			 const struct reach_second_lookup *second);

/* All other links have answered: ends @second with the successor, or with the
 * first answer. @return false if a second lookup with its source must follow. */
bool reach_answers_end_change_over(struct reach_engine *engine,
				   struct reach_second_lookup *second);

/* Dumps of links, addresses, policy, settings and IPv4 table default. */

/* How often in a row a dump may be interrupted, or a batch lost, before the last result is used. A host that changes all the time
 * may never give a better one. */
#define REACH_PATIENCE 8

/* The dump of @kind (enum reach_request_kind) is about to be requested. One
 * runs at a time. */
void reach_dump_begin(struct reach_engine *engine, uint8_t kind);

/* Puts a link or an address from a dump or from the answer to a single request
 * into its table. @return positive if that changed the table, 0, or -ENOMEM. */
int reach_dump_apply(struct reach_engine *engine,
		     const struct reach_message *message);

/* Takes a message of the running dump. @return 0 or -ENOMEM. */
int reach_dump_take(struct reach_engine *engine, uint8_t kind,
		    const struct reach_message *message);

/* The engine of reach_check() without a monitor: it requests the links and
 * addresses that one verdict needs, and takes no events. */

enum reach_need_kind {
	/* The link `index`. */
	REACH_NEED_LINK,
	/* The link that is named by the selectors with number `index`. */
	REACH_NEED_NAMED,
	/* The links whose master has `index`; 0 for all links. A dump. */
	REACH_NEED_PORTS,
	/* The addresses of the interface `index`; 0 for all. A dump. */
	REACH_NEED_ADDRESSES
};

/* Something to read before the verdict can be computed. */
struct reach_need {
	/* enum reach_need_kind. */
	uint8_t kind;
	/* Address family of REACH_NEED_ADDRESSES; AF_UNSPEC for both. */
	uint8_t family;
	uint32_t index;
};

/* Bounds the requests of a pass, whose answers must fit a receive buffer of the
 * default size. A verdict that needs more takes a monitor. */
#define REACH_NEEDS_MAX 32

struct reach_oneshot {
	/* A dump of this pass was interrupted (NLM_F_DUMP_INTR). */
	bool interrupted;
	/* Links or addresses differ from those of the pass before. */
	bool changed;
	/* `path_changes` of the engine when the pass began. If the number is
	 * the same at its end, the routes are the same. */
	uint64_t path_changes;
	/* Another pass has to follow. */
	bool unfinished;
	/* Number of `items`, and the next one to request in this pass. `count`
	 * grows while passes show further needs. */
	uint8_t count;
	uint8_t next;
	/* Passes begun. */
	uint8_t passes;
	struct reach_need items[REACH_NEEDS_MAX];
};

/* Writes requests for links and addresses, which precede the lookups of a pass,
 * and begins the next pass when one is over. @return the bytes written. */
size_t reach_oneshot_write(struct reach_engine *engine, uint8_t *buffer);

/* Takes a message of the answer to @request, a REACH_REQUEST_NEED. @return 0 or
 * -ENOMEM. */
int reach_oneshot_take(struct reach_engine *engine,
		       struct reach_request *request,
		       const struct reach_message *message);

/* Whether an engine that writes no more requests has a verdict. If not, it gave
 * up. */
bool reach_oneshot_is_complete(const struct reach_engine *engine);

/* Requests to the kernel, built with libmnl. */

/* Upper bound of the length of a request, in bytes. An IPv6 lookup with source,
 * interface, mark, and uid has 100. */
#define REACH_REQUEST_MAX 112

/*
 * Each function writes one request with @sequence as nlmsg_seq to @buffer,
 * which is aligned to 4 bytes and has room for REACH_REQUEST_MAX. @return its
 * length.
 */

/* @kind: of enum reach_request_kind, from REACH_REQUEST_LINKS on. */
size_t reach_request_dump(void *buffer, uint8_t kind, uint32_t sequence);

/* One link, by its index or, if that is 0, by @name. */
size_t reach_request_link(void *buffer, uint32_t sequence, uint32_t index,
			  const char *name);

/* A dump of the links whose master has index @master, and of the addresses of
 * @family on the interface @index; 0 for all. */
size_t reach_request_links(void *buffer, uint32_t sequence, uint32_t master);
size_t reach_request_addresses(void *buffer, uint32_t sequence, uint8_t family,
			       uint32_t index);

/* A request that takes RTNL and fails. The kernel holds RTNL from the
 * announcement of a change until it has carried out the change. So when the
 * answer comes, everything announced before the request has been carried
 * out. */
size_t reach_request_barrier(void *buffer, uint32_t sequence);

/* A lookup of @destination with @selectors: with their source, or else with
 * @source (NULL for none), and through their interface, or through @link unless
 * that is 0. Through a link, IPv6 gets no source of the selectors: with one, the
 * lookup isn't limited to the link (any_src in ip6_route_output_flags_noref(),
 * net/ipv6/route.c). @match: with RTM_F_FIB_MATCH, which returns the matching
 * route of the FIB. */
size_t reach_request_route(void *buffer, uint32_t sequence,
			   const struct reach_selectors *selectors,
			   const struct reach_destination *destination,
			   const struct reach_address *source, uint32_t link,
			   bool match);

/*
 * Writes both lookups of destination @number as a request of @kind; @source and
 * @link as in reach_request_route(). Only the match (RTM_F_FIB_MATCH) has the
 * prefix, the expiry, and the legs of the route. Only the plain lookup has the
 * source that the kernel chooses, and exceptions for the destination. With an
 * interface, IPv4's plain lookup invents an on-link route where there is none
 * (ip_route_output_key_hash_rcu, net/ipv4/route.c).
 */
size_t reach_lookup_write(struct reach_engine *engine, uint8_t *buffer,
			  uint8_t kind, uint32_t number,
			  const struct reach_address *source, uint32_t link);

/* Turns replies into keys of paths. */

/* Sets @reply from @message, a route or an error. */
void reach_reply_take(const struct reach_engine *engine,
		      struct reach_reply *reply,
		      const struct reach_message *message);

/* The key of the path of @destination, from both lookups. */
struct reach_path_key
reach_reply_key(const struct reach_engine *engine,
		const struct reach_destination *destination,
		const struct reach_reply *plain,
		const struct reach_reply *match);

void reach_reply_set_source(struct reach_path_key *key,
			    const struct reach_address *source);

/* Turns @key into the key of @second, whose source the answers don't repeat. */
void reach_reply_second_key(const struct reach_engine *engine,
			    struct reach_path_key *key,
			    const struct reach_second_lookup *second);

/* The route that the kernel changes over to from one over a link without
 * carrier. */

/* Whether the other links must be asked after the answers to @request, whose
 * key is @key. */
bool reach_change_over_is_due(const struct reach_engine *engine,
			      const struct reach_request *request,
			      const struct reach_path_key *key);

/* Writes lookups through the other links for the second lookup at @position, as
 * many as the batch has room for. @return the bytes written; 0 when all have
 * answered. */
size_t reach_change_over_write(struct reach_engine *engine, uint8_t *buffer,
			       uint32_t position);

/* Changes @key, the answer to @request, the second lookup @second, if the kernel
 * leaves it, or if no lookup shows the leg. */
void reach_change_over_from(const struct reach_engine *engine,
			    const struct reach_second_lookup *second,
			    const struct reach_request *request,
			    struct reach_path_key *key);

/* Takes the answers to @request, a REACH_REQUEST_OTHER_LINK. */
void reach_change_over_take(struct reach_engine *engine,
			    const struct reach_request *request);

/* Second lookups. */

/* Whether the answer @key to a lookup without a source of its own
 * calls for a second lookup. */
bool reach_second_lookup_is_needed(const struct reach_engine *engine,
				   const struct reach_path_key *key);

/* Makes the destination of @request wait. The request has all its answers. @return
 * the item, which has no state yet. */
struct reach_second_lookup *
reach_second_lookups_add(struct reach_engine *engine,
			 const struct reach_request *request);

/* Makes @second due after the answer @key, which for IPv4 has the source. */
void reach_second_lookup_begin(const struct reach_engine *engine,
			       struct reach_second_lookup *second,
			       const struct reach_path_key *key);

#pragma GCC visibility pop

#endif
