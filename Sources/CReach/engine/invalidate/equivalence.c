/* SPDX-License-Identifier: MIT */
/*
 * One answer for many.
 *
 * With the stock rules, and nothing in IPv4's table default, destinations whose
 * longest match is the same route share all shorter covering prefixes too. So
 * whatever becomes of that route, and whatever route comes that covers them
 * all, they get one and the same answer: one of them, the leader, is asked, the
 * others follow. IPv6 chooses the source by the destination
 * (ip6_route_get_saddr, include/net/ip6_route.h), so that there only an error
 * is an answer for all.
 *
 * The answer may be younger than the event. If it comes from a prefix that
 * does not cover them all, each is asked. If it does, what else happened to
 * one of them has an event of its own that is still to come, and finds it by
 * the prefix that matched. Only an error tells no prefix: the paths that
 * followers got for an error are asked again as soon as a route of such a
 * kind comes (routes.c); and when the filter of events is to forget who is no
 * target any more (attach.c), since the leader may be among them.
 */
#include "engine/invalidate/equivalence.h"

#include <errno.h>
#include <sys/socket.h>

#include <linux/rtnetlink.h>

#include "engine/state/state.h"
#include "engine/state/verdict.h"
#include "engine/store/lists.h"

void reach_class_begin(struct reach_engine *engine)
{
	engine->stamp++;
}

/* Whether all with this path are told of one and the same route, if their
 * prefixes are the same. */
static bool has_one_route(const struct reach_path_key *key)
{
	return key->family == AF_INET ? key->bits == REACH_PATH_SHARED
				      : !(key->bits & ~(REACH_PATH_EXPIRING |
							REACH_PATH_EXPIRED));
}

static bool is_classable(const struct reach_engine *engine,
			 const struct reach_path *path, uint8_t length)
{
	const struct reach_path_key *key = &path->key;

	/* What marks a family may come from what nobody is told of, for each
	 * another. */
	if (!reach_assume_main_only(engine, key->family) ||
	    reach_mark_is_family(engine, key->family))
		return false;
	if (key->class)
		return true;
	return has_one_route(key) && key->type == RTN_UNICAST &&
	       key->table == RT_TABLE_MAIN && !key->error &&
	       key->length <= length;
}

static bool can_follow(const struct reach_entries *entries, uint32_t number)
{
	const struct reach_entry *entry = reach_entry_at(entries, number);

	return entry->kind == REACH_ENTRY_ADDRESS && entry->path &&
	       !entry->outstanding &&
	       !(entry->bits & (REACH_BIT_PLAIN | REACH_BIT_LEADS)) &&
	       !reach_list_has(entries, number, REACH_HOOK_DIRTY);
}

/* 0 if memory is out. */
static uint32_t create(struct reach_engine *engine, uint32_t leader,
		       uint8_t length)
{
	const uint32_t number =
		reach_entry_create(&engine->entries, REACH_ENTRY_CLASS);
	struct reach_entry *entry = reach_entry_at(&engine->entries, leader);
	struct reach_entry *class;

	if (number == REACH_NO_ENTRY)
		return 0;
	class = reach_entry_at(&engine->entries, number);
	class->v.owner = leader;
	class->family = length;
	reach_list_put(&engine->entries, REACH_LIST_CLASSES, number,
		       REACH_HOOK_CHANGED);
	entry->bits |= REACH_BIT_LEADS;
	return number;
}

void reach_class_mark(struct reach_engine *engine, uint32_t number,
		      uint8_t length)
{
	struct reach_path *path;

	if (!can_follow(&engine->entries, number)) {
		reach_mark(engine, number);
		return;
	}
	path = reach_path_at(engine,
			     reach_entry_at(&engine->entries, number)->path);
	if (path->stamp != engine->stamp) {
		if (path->class || !is_classable(engine, path, length)) {
			reach_mark(engine, number);
			return;
		}
		path->stamp = engine->stamp;
		path->leader = number;
		reach_mark(engine, number);
		return;
	}
	if (!path->class)
		path->class = create(engine, path->leader, length);
	if (!path->class)
		reach_mark(engine, number);
	else
		reach_list_put(&engine->entries, path->class, number,
			       REACH_HOOK_DIRTY);
}

uint32_t reach_class_take(struct reach_engine *engine, uint32_t leader)
{
	struct reach_entry *entry = reach_entry_at(&engine->entries, leader);
	struct reach_path *path;
	uint32_t class;

	if (!(entry->bits & REACH_BIT_LEADS))
		return 0;
	path = reach_path_at(engine, entry->path);
	class = path->class;
	path->class = 0;
	entry->bits &= (uint16_t)~REACH_BIT_LEADS;
	return class;
}

void reach_class_ask_each(struct reach_engine *engine, uint32_t class)
{
	if (!class)
		return;
	reach_list_splice(&engine->entries, REACH_LIST_DIRTY, class,
			  REACH_HOOK_DIRTY);
	reach_entry_destroy(&engine->entries, class);
}

void reach_class_dissolve(struct reach_engine *engine, uint32_t leader)
{
	reach_class_ask_each(engine, reach_class_take(engine, leader));
}

void reach_class_dissolve_family(struct reach_engine *engine, uint8_t family)
{
	const struct reach_entries *entries = &engine->entries;
	uint32_t number = reach_list_next(entries, REACH_LIST_CLASSES,
					  REACH_HOOK_CHANGED);
	uint32_t next;

	for (; number != REACH_LIST_CLASSES; number = next) {
		const uint32_t leader =
			reach_entry_at(entries, number)->v.owner;

		next = reach_list_next(entries, number, REACH_HOOK_CHANGED);
		if (reach_entry_at(entries, leader)->family == family)
			reach_class_dissolve(engine, leader);
	}
}

/* Makes the leader's path one that followers may have. */
static bool can_lead(struct reach_engine *engine, uint32_t leader,
		     uint8_t length)
{
	const struct reach_entry *entry =
		reach_entry_at(&engine->entries, leader);
	struct reach_path_key key = reach_path_at(engine, entry->path)->key;

	if (!key.error)
		return key.family == AF_INET && has_one_route(&key) &&
		       key.type == RTN_UNICAST && key.length <= length;
	if (!reach_error_is_of_route(key.error))
		return false;
	key.class = ++engine->class_serial;
	if (!key.class)
		key.class = ++engine->class_serial;
	return reach_path_attach(engine, leader, &key) == 0;
}

void reach_class_answered(struct reach_engine *engine, uint32_t class,
			  uint32_t leader)
{
	struct reach_entries *entries = &engine->entries;

	if (!class)
		return;
	if (!can_lead(engine, leader, reach_entry_at(entries, class)->family)) {
		reach_class_ask_each(engine, class);
		return;
	}
	reach_path_follow(engine, class, leader);
	reach_entry_destroy(entries, class);
}
