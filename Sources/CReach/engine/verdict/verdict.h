/* SPDX-License-Identifier: MIT */
/*
 * Door of engine/verdict/: from the kernel's answers to verdicts, and to the
 * targets whose verdict changed.
 */
#ifndef REACH_ENGINE_VERDICT_VERDICT_H
#define REACH_ENGINE_VERDICT_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include <reach/explanation.h>
#include <reach/interface.h>
#include <reach/internal/engine.h>

#include "base/base.h"
#include "engine/state/state.h"
#include "engine/store/store.h"

#pragma GCC visibility push(hidden)

struct reach_engine;

/* Aggregates: targets with several addresses, or none, and one verdict. */

/* Verdict of @aggregate from those of its parts. */
struct reach_verdict
reach_aggregate_verdict(const struct reach_engine *engine,
			const struct reach_aggregate *aggregate);

/*
 * Evaluation: the verdict of a target, and whether it differs from the last
 * report. Verdicts are compared by a 64-bit digest, which fits in the entry.
 * Inline where one event may evaluate a hundred thousand targets.
 */

/* Digest of a target that reports its path (REACH_REPORT_PATH): a hash of all
 * members that a state has. */
static inline uint64_t reach_report_path(const struct reach_verdict *verdict)
{
	struct reach_verdict shown = *verdict;

	_Static_assert(sizeof(shown) % 8 == 0, "hashed in words of 8 bytes");
	shown.rule = 0;
	return reach_hash(&shown, sizeof(shown));
}

/* Evaluates target @number: computes its verdict and lists it if that differs
 * from the last report. No effect while a destination that it needs is stale or
 * waits for an answer. */
void reach_evaluate(struct reach_engine *engine, uint32_t number);

/* If the group of @destination waits for its witness's answer, all its users are
 * evaluated after that: call it for one that needs the answer. */
void reach_destination_await(struct reach_engine *engine,
			     const struct reach_destination *destination);

/* Evaluates the users of destination @number. */
void reach_evaluate_users(struct reach_engine *engine, uint32_t number);

/* Current verdict of a target; no route before its first answer. */
const struct reach_verdict *
reach_entry_verdict(const struct reach_engine *engine,
		    const struct reach_entry *entry);

/* Makes the current state of a target the reported one. @return whether it
 * differed. */
bool reach_entry_report(const struct reach_engine *engine,
			struct reach_entry *entry);

/* The destination of the part at @position. */
static inline struct reach_destination *
reach_part_destination(const struct reach_engine *engine,
		       const struct reach_aggregate *aggregate,
		       uint32_t position)
{
	return reach_destination_of(engine,
				    aggregate->parts[position].destination);
}

/* Address of a destination. */
struct reach_address
reach_destination_full(const struct reach_engine *engine,
		       const struct reach_destination *destination);

/*
 * Which links need evidence from sysfs, since netlink doesn't show their class.
 * The engine's caller reads sysfs.
 */

/* Link @index is new, or may be another device now. Checks it for missing
 * evidence, with all unchecked links of a higher index. */
void reach_want_evidence(struct reach_engine *engine, uint32_t index);

/* What the caller knows about interfaces. */

/* enum reach_metered of the interface @name with this class. */
uint32_t reach_facts_metered(const struct reach_engine *engine,
			     const char *name, uint32_t class);

/* The verdict of a target without a usable route, with the help of a modem. */

/* The first modem of the highest rank for targets with these selectors, or
 * NULL. */
const struct reach_interface_facts *
reach_modem_best(const struct reach_engine *engine, uint32_t selectors);

/* Verdict of a target with these selectors and no usable route: that of the
 * best modem, or @verdict if there is none. */
struct reach_verdict reach_verdict_by_modem(const struct reach_engine *engine,
					    uint32_t selectors,
					    struct reach_verdict verdict);

/* The parts of an aggregate: which one decides, and which to look up for
 * that. */

#define REACH_NO_PART UINT32_MAX

/* Whether @target may be reached over an interface of @class. */
bool reach_target_allows(const struct reach_target *target, uint32_t class);

/* The verdict on the part at @position. If the target doesn't allow its
 * interface, the verdict keeps the path, to show which interface that is.
 * Without a part (REACH_NO_PART) there is no route at all. */
struct reach_verdict reach_part_verdict(const struct reach_engine *engine,
					const struct reach_aggregate *aggregate,
					uint32_t position);

/* The first part with the best verdict; REACH_NO_PART if there are no parts. */
uint32_t reach_parts_best(const struct reach_engine *engine,
			  const struct reach_aggregate *aggregate);
/* The probe that decides for the better of the two families, or for the one
 * that the target is limited to. */
uint32_t reach_parts_internet(const struct reach_engine *engine,
			      const struct reach_aggregate *aggregate);

/* Index of the part that decides the verdict; REACH_NO_PART if there is none.
 * No part decides for a name without addresses, local Wi-Fi, or a pair whose
 * local address is not of this host. */
uint32_t reach_parts_deciding(const struct reach_engine *engine,
			      const struct reach_aggregate *aggregate);

/* Adds to @asked the number of parts whose verdict is known
 * (reach_parts_lacking()). Adds to @reachable how many of them are reachable,
 * perhaps after a connection is made. */
void reach_parts_count(const struct reach_engine *engine,
		       const struct reach_aggregate *aggregate, uint32_t *asked,
		       uint32_t *reachable);

/* Parts to look up before @aggregate has a verdict, as bits 1 << position. For
 * probes this is at first a majority of the IPv4 ones. If these are reachable, the
 * others decide nothing, and stay marked (REACH_DESTINATION_STALE) without a lookup:
 * the first answer of a process takes 35 us more with all of them. */
uint32_t reach_parts_lacking(const struct reach_engine *engine,
			     const struct reach_aggregate *aggregate);

/* Which destinations have which path. */

/* Attaches the path of @key, an answer of its own, to destination @number; does
 * not evaluate its users. @return 0, or -ENOMEM, after which the
 * destination has its old path. */
int reach_path_attach(struct reach_engine *engine, uint32_t number,
		      const struct reach_path_key *key);

/* Takes destination @number off its path, if it has one. The last one frees the
 * path. */
void reach_path_detach(struct reach_engine *engine, uint32_t number);

/* Groups: one lookup for all destinations of a path (state/state.h). */

/* Ends the wait for a witness: each destination is looked up itself. */
static inline void reach_group_end(struct reach_path *path)
{
	path->witness = 0;
	path->waits = false;
}

/* Whether one lookup is enough for all destinations of the path of @key. */
bool reach_path_is_group(const struct reach_engine *engine,
			 const struct reach_path_key *key);

/* Before a batch: chooses the witnesses of marked groups. */
void reach_groups_ask(struct reach_engine *engine);

/* Moves @number from its group to that of those inside its prefix of @length.
 * @return false if memory is out. */
bool reach_group_narrow(struct reach_engine *engine, uint32_t number,
			uint8_t length);

/* Marks each destination of @path but @except (0: none). */
void reach_path_mark_each(struct reach_engine *engine, uint32_t path,
			  uint32_t except);

/* Takes @key, the answer about @number, and evaluates the users: of @number, or
 * of all of its group if @number is the witness and the answer holds for all. If it
 * doesn't, marks the others. @return 0 or -ENOMEM. */
int reach_path_answered(struct reach_engine *engine, uint32_t number,
			const struct reach_path_key *key);

/* Verdicts of paths, computed from the path and the tables of links and
 * addresses. */

/* Computes `verdict` of @path; evaluates nothing. */
void reach_path_compute(const struct reach_engine *engine,
			struct reach_path *path);

/* Evaluates the users of the first @most destinations of path number @path. */
void reach_path_evaluate(struct reach_engine *engine, uint32_t path,
			 uint32_t most);

/* Recomputes all verdicts if reach_recompute_later() was called, and evaluates
 * the users of those that changed. */
void reach_paths_recompute(struct reach_engine *engine);

/* The source of the packets to a target, and whether packets can use it. */

/* The source address of @path: the one in the request, which the answer doesn't
 * repeat, or else the kernel's choice. */
const struct reach_address *reach_source_of(const struct reach_engine *engine,
					    const struct reach_path *path);

/* Whether packets on @path, a route that is not RTN_LOCAL, can use its
 * source. */
enum reach_source_state reach_source_judge(const struct reach_engine *engine,
					   const struct reach_path *path);

static inline bool reach_source_is_usable(enum reach_source_state state)
{
	return state <= REACH_SOURCE_DEPRECATED;
}

/* Whether the answer is of type multicast or broadcast. */
bool reach_source_is_of_many(const struct reach_path_key *key);

/* From the kernel's answer to a verdict. */

/* Whether @key is a default route, as far as its length is known. */
static inline bool reach_path_is_default(const struct reach_path_key *key)
{
	return !key->length || key->length == REACH_LENGTH_UNKNOWN;
}

/* Whether packets of the route @key leave by @link, its output. */
bool reach_path_passes(const struct reach_engine *engine,
		       const struct reach_path_key *key,
		       const struct reach_link *link);

/* Whether @key is a route over an unplugged link which the kernel leaves once
 * its gateway has failed (query/change_over.c). */
bool reach_path_may_change_over(const struct reach_engine *engine,
				const struct reach_path_key *key);

/* Whether the kernel may change the answer @key with a neighbor: it is such a
 * route, or IPv4 multicast over such a link, and another link is usable; it is
 * the predicted one; or nothing leaves by it, and a route of IPv6 with a failed
 * gateway may come first. */
bool reach_path_is_uncertain(const struct reach_engine *engine,
			     const struct reach_path_key *key);

/* Verdict of @path, computed from the tables of links and own addresses: flags,
 * interface, source, gateway, reason, but no interface name (evaluate.c). */
struct reach_verdict reach_path_verdict(const struct reach_engine *engine,
					const struct reach_path *path);

#pragma GCC visibility pop

#endif
