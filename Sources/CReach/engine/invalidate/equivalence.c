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
 * kind comes (route_events.c); and when the filter of events is to forget who
 * is no target any more (event_filter.c), since the leader may be among them.
 */
#include "engine/invalidate/equivalence.h"

#include <errno.h>
#include <sys/socket.h>

#include <linux/rtnetlink.h>

#include "engine/state/state.h"
#include "engine/state/verdict.h"
#include "engine/store/lists.h"

void reach_equivalence_begin(struct reach_engine *engine)
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

static bool can_form_group(const struct reach_engine *engine,
			   const struct reach_path *path, uint8_t length)
{
	const struct reach_path_key *key = &path->key;

	/* What marks a family may come from what nobody is told of, for each
	 * another. */
	if (!reach_rules_use_main_only(engine, key->family) ||
	    reach_mark_is_family(engine, key->family))
		return false;
	if (key->group)
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
		reach_entry_create(&engine->entries, REACH_ENTRY_GROUP);
	struct reach_entry *entry = reach_entry_at(&engine->entries, leader);
	struct reach_entry *group;

	if (number == REACH_NO_ENTRY)
		return 0;
	group = reach_entry_at(&engine->entries, number);
	group->leader = leader;
	group->prefix_length = length;
	reach_list_put(&engine->entries, REACH_LIST_GROUPS, number,
		       REACH_HOOK_CHANGED);
	entry->bits |= REACH_BIT_LEADS;
	return number;
}

void reach_equivalence_mark(struct reach_engine *engine, uint32_t number,
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
		if (path->group || !can_form_group(engine, path, length)) {
			reach_mark(engine, number);
			return;
		}
		path->stamp = engine->stamp;
		path->leader = number;
		reach_mark(engine, number);
		return;
	}
	if (!path->group)
		path->group = create(engine, path->leader, length);
	if (!path->group)
		reach_mark(engine, number);
	else
		reach_list_put(&engine->entries, path->group, number,
			       REACH_HOOK_DIRTY);
}

uint32_t reach_equivalence_take(struct reach_engine *engine, uint32_t leader)
{
	struct reach_entry *entry = reach_entry_at(&engine->entries, leader);
	struct reach_path *path;
	uint32_t group;

	if (!(entry->bits & REACH_BIT_LEADS))
		return 0;
	path = reach_path_at(engine, entry->path);
	group = path->group;
	path->group = 0;
	entry->bits &= (uint16_t)~REACH_BIT_LEADS;
	return group;
}

void reach_equivalence_ask_each(struct reach_engine *engine, uint32_t group)
{
	if (!group)
		return;
	reach_list_splice(&engine->entries, REACH_LIST_DIRTY, group,
			  REACH_HOOK_DIRTY);
	reach_entry_destroy(&engine->entries, group);
}

void reach_equivalence_dissolve(struct reach_engine *engine, uint32_t leader)
{
	reach_equivalence_ask_each(engine,
				   reach_equivalence_take(engine, leader));
}

void reach_equivalence_dissolve_family(struct reach_engine *engine,
				       uint8_t family)
{
	const struct reach_entries *entries = &engine->entries;
	uint32_t number =
		reach_list_next(entries, REACH_LIST_GROUPS, REACH_HOOK_CHANGED);
	uint32_t next;

	for (; number != REACH_LIST_GROUPS; number = next) {
		const uint32_t leader = reach_entry_at(entries, number)->leader;

		next = reach_list_next(entries, number, REACH_HOOK_CHANGED);
		if (reach_entry_at(entries, leader)->family == family)
			reach_equivalence_dissolve(engine, leader);
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
	key.group = ++engine->group_serial;
	if (!key.group)
		key.group = ++engine->group_serial;
	return reach_path_attach(engine, leader, &key) == 0;
}

void reach_equivalence_answered(struct reach_engine *engine, uint32_t group,
				uint32_t leader)
{
	struct reach_entries *entries = &engine->entries;

	if (!group)
		return;
	if (!can_lead(engine, leader,
		      reach_entry_at(entries, group)->prefix_length)) {
		reach_equivalence_ask_each(engine, group);
		return;
	}
	reach_path_follow(engine, group, leader);
	reach_entry_destroy(entries, group);
}
