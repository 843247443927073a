/* SPDX-License-Identifier: MIT */
/*
 * Equivalence groups: one lookup for many entries.
 *
 * Under the stock rules, and with IPv4's table default empty, destinations
 * whose longest match is the same route share all shorter matches, too. When
 * that route goes, or a route comes that covers all of them, all get the same
 * answer. So one of them, the leader, is looked up, and the others follow it.
 * IPv6 selects the source by the destination (ip6_route_get_saddr,
 * include/net/ip6_route.h), so there only an error holds for the whole group.
 *
 * The answer may be younger than the event that formed the group. If its prefix
 * does not cover the whole group, each follower is looked up. If it does, any
 * other change for a single follower has an event of its own. That event is
 * still to come, and finds the follower by the matched prefix of its path.
 *
 * RTM_GETROUTE reports no prefix for errors. So paths that followers took over
 * with an error (`key.group`) are looked up again in two cases: when a route of
 * an error type comes (route_events.c), and before the socket filter drops
 * events of removed targets (event_filter.c), since the leader may be one of
 * those.
 */
#include "engine/invalidate/invalidate.h"

#include <errno.h>
#include <sys/socket.h>

#include <linux/rtnetlink.h>

#include "engine/state/state.h"
#include "engine/store/store.h"
#include "engine/verdict/verdict.h"

void reach_equivalence_begin(struct reach_engine *engine)
{
	engine->stamp++;
}

/* Whether entries with this path and the same matched prefix have the same
 * route: not with several legs or a nexthop object, of which an answer shows
 * one leg. */
static bool has_single_route(const struct reach_path_key *key)
{
	return key->family == AF_INET ? key->bits == REACH_PATH_SHARED
				      : !(key->bits & ~(REACH_PATH_EXPIRING |
							REACH_PATH_EXPIRED));
}

static bool can_form_group(const struct reach_engine *engine,
			   const struct reach_path *path, uint8_t length)
{
	const struct reach_path_key *key = &path->key;

	/* A marked family may have lost any number of routes without an event:
	 * entries that shared a route may have different ones now. */
	if (!reach_rules_use_main_only(engine, key->family) ||
	    reach_mark_is_family(engine, key->family))
		return false;
	if (key->group)
		return true;
	return has_single_route(key) && key->type == RTN_UNICAST &&
	       key->table == RT_TABLE_MAIN && !key->error &&
	       key->length <= length;
}

/* A part is never a follower: its mark is a bit, and its hook is not used. */
static bool can_follow(const struct reach_entries *entries, uint32_t number)
{
	const struct reach_entry *entry = reach_entry_at(entries, number);

	return entry->kind == REACH_ENTRY_ADDRESS && entry->path &&
	       !entry->outstanding &&
	       !(entry->bits & (REACH_BIT_PLAIN | REACH_BIT_LEADS)) &&
	       !reach_list_has(entries, number, REACH_HOOK_DIRTY);
}

/* @return the group, or 0 if memory is out. */
static uint32_t create_group(struct reach_engine *engine, uint32_t leader,
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
	/* The first entry of the path in this event. A group formed by an
	 * earlier event stays as it is. */
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
		path->group = create_group(engine, path->leader, length);
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

void reach_equivalence_mark_each(struct reach_engine *engine, uint32_t group)
{
	if (!group)
		return;
	reach_list_splice(&engine->entries, REACH_LIST_DIRTY, group,
			  REACH_HOOK_DIRTY);
	reach_entry_destroy(&engine->entries, group);
}

void reach_equivalence_dissolve(struct reach_engine *engine, uint32_t leader)
{
	reach_equivalence_mark_each(engine,
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

/* Whether the leader's answer holds for its followers, which lie in a prefix of
 * @length. The path of an error gets a unique `group` number above 0.
 * reach_engine_recheck_errors() finds it by that number. */
static bool can_share_answer(struct reach_engine *engine, uint32_t leader,
			     uint8_t length)
{
	const struct reach_entry *entry =
		reach_entry_at(&engine->entries, leader);
	struct reach_path_key key = reach_path_at(engine, entry->path)->key;

	if (!key.error)
		return key.family == AF_INET && has_single_route(&key) &&
		       key.type == RTN_UNICAST && key.length <= length;
	if (!reach_error_is_of_route(key.error) ||
	    !reach_rules_ignore_source(engine, key.family))
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
	if (!can_share_answer(engine, leader,
			      reach_entry_at(entries, group)->prefix_length)) {
		reach_equivalence_mark_each(engine, group);
		return;
	}
	reach_path_follow(engine, group, leader);
	reach_entry_destroy(entries, group);
}
