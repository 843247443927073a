/* SPDX-License-Identifier: MIT */
/*
 * Dumps of policy rules, netconf and IPv4's table default, reduced to a few
 * bits. Events either keep the bits true, or make them unknown, which causes
 * another dump.
 */
#include "engine/state/state.h"

#include <string.h>
#include <sys/socket.h>

#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>

/* Nanoseconds from the last lookup or event to the dumps. They take 20 to 60 us
 * in all, and the first socket filter (monitor/event_filter.c) waits for them,
 * so both share a wake-up. */
#define IDLE 1000000

/* Nanoseconds after which they come although events don't pause for IDLE: a
 * host that takes a full table would else have no groups and no filter's help
 * until it has all routes. */
#define LATEST 20000000

/* Kinds of dumps, from REACH_REQUEST_RULES on. */
#define DUMPS (REACH_REQUEST_DEFAULTS - REACH_REQUEST_RULES + 1)

/* Returned by reach_rule_stock_bit(). */
#define STOCK_LOCAL   (1 << 0)
#define STOCK_MAIN    (1 << 1)
#define STOCK_DEFAULT (1 << 2)

void reach_rules_put_off(struct reach_engine *engine)
{
	engine->clock.rules = engine->clock.rules_latest;
}

void reach_rules_idle(struct reach_engine *engine)
{
	struct reach_clock *clock = &engine->clock;

	if (clock->rules != clock->rules_latest ||
	    !engine->destinations.count || engine->oneshot ||
	    !memchr(&engine->known[REACH_REQUEST_RULES], REACH_UNKNOWN, DUMPS))
		return;
	if (clock->rules_latest == INT64_MAX)
		clock->rules_latest = clock->now + LATEST;
	if (clock->now < clock->rules_latest - IDLE)
		clock->rules = clock->now + IDLE;
}

void reach_rules_want(struct reach_engine *engine)
{
	uint8_t *known = &engine->known[REACH_REQUEST_RULES];
	size_t i;

	engine->clock.rules = INT64_MAX;
	engine->clock.rules_latest = INT64_MAX;
	for (i = 0; i < DUMPS; i++)
		if (known[i] == REACH_UNKNOWN)
			known[i] = REACH_WANTED;
	if (engine->rules[1].routes == REACH_UNKNOWN)
		engine->rules[1].routes = REACH_WANTED;
}

bool reach_rules_are_stock(const struct reach_engine *engine, uint8_t family)
{
	return engine->rules[family == AF_INET6].stock;
}

bool reach_rules_ignore_carrier(const struct reach_engine *engine,
				uint8_t family)
{
	const bool inet6 = family == AF_INET6;

	return engine->known[REACH_REQUEST_SETTINGS + inet6] == REACH_KNOWN &&
	       !engine->rules[inet6].carrier;
}

bool reach_rules_ignore_groups(const struct reach_engine *engine,
			       uint8_t family)
{
	return engine->rules[family == AF_INET6].no_group_rules;
}

bool reach_rules_use_main_only(const struct reach_engine *engine,
			       uint8_t family)
{
	if (!reach_rules_are_stock(engine, family))
		return false;
	/* Table main is the last one that IPv6 searches. */
	return family == AF_INET6 ||
	       (engine->known[REACH_REQUEST_DEFAULTS] == REACH_KNOWN &&
		!engine->rules[0].default_used);
}

bool reach_rules_ignore_source(const struct reach_engine *engine,
			       uint8_t family)
{
	const struct reach_rules *rules = &engine->rules[family == AF_INET6];

	return rules->no_source_rules &&
	       (family == AF_INET ||
		(rules->routes == REACH_KNOWN && !rules->source_routes));
}

bool reach_rules_are_unknown(const struct reach_engine *engine, uint8_t family)
{
	return engine->known[REACH_REQUEST_RULES + (family == AF_INET6)] <
	       REACH_RUNNING;
}

/* Whether a second lookup has not been sent. */
static bool are_second_lookups_due(const struct reach_engine *engine)
{
	const struct reach_second_lookups *lookups = &engine->second_lookups;
	size_t i;

	for (i = 0; i < lookups->count; i++)
		if (lookups->items[i].state != REACH_SECOND_SENT)
			return true;
	return false;
}

bool reach_rules_want_source_routes(const struct reach_engine *engine)
{
	const struct reach_rules *rules = &engine->rules[1];

	if (!rules->no_source_rules || rules->routes == REACH_KNOWN)
		return false;
	return rules->routes == REACH_WANTED
		       ? reach_index_of(engine, AF_INET6)->count
		       : are_second_lookups_due(engine);
}

void reach_rules_set_source_routes(struct reach_engine *engine, bool any)
{
	engine->rules[1].routes = REACH_KNOWN;
	engine->rules[1].source_routes = any;
}

void reach_rules_route_seen(struct reach_engine *engine,
			    const struct reach_route_message *route)
{
	if (route->family == AF_INET6 && route->source_length)
		reach_rules_set_source_routes(engine, true);
}

void reach_rules_table_default_used(struct reach_engine *engine)
{
	engine->rules[0].default_used = true;
}

void reach_rules_forget(struct reach_engine *engine)
{
	memset(engine->rules, 0, sizeof(engine->rules));
	memset(engine->known, REACH_UNKNOWN, sizeof(engine->known));
}

void reach_rules_changed(struct reach_engine *engine, uint8_t family)
{
	const bool inet6 = family == AF_INET6;

	if (family != AF_INET && family != AF_INET6)
		return;
	engine->known[REACH_REQUEST_RULES + inet6] = REACH_UNKNOWN;
	engine->rules[inet6].stock = false;
	engine->rules[inet6].no_source_rules = false;
	engine->rules[inet6].no_group_rules = false;
}

void reach_rules_heed_carrier(struct reach_engine *engine, uint8_t family)
{
	if (family == AF_INET || family == AF_INET6)
		engine->rules[family == AF_INET6].carrier = true;
}

/* State of the family that a dump of @kind is about. */
static struct reach_rules *rules_of(struct reach_engine *engine, uint8_t kind)
{
	const bool inet6 = kind == REACH_REQUEST_RULES6 ||
			   kind == REACH_REQUEST_SETTINGS6;

	return &engine->rules[inet6];
}

uint8_t reach_rules_next_dump(struct reach_engine *engine)
{
	const uint8_t *known = &engine->known[REACH_REQUEST_RULES];
	const uint8_t *first;

	/* One dump at a time, in the order of enum reach_request_kind. */
	first = memchr(known, REACH_WANTED, DUMPS);
	return first ? (uint8_t)(first - engine->known) : REACH_REQUEST_NONE;
}

void reach_rules_dump_begin(struct reach_engine *engine, uint8_t kind)
{
	struct reach_rules *rules = rules_of(engine, kind);

	engine->known[kind] = REACH_RUNNING;
	if (kind != REACH_REQUEST_RULES && kind != REACH_REQUEST_RULES6)
		return;
	rules->stock_seen = 0;
	rules->other_seen = false;
	rules->source_seen = false;
	rules->group_seen = false;
}

void reach_rules_dump_again(struct reach_engine *engine, uint8_t kind)
{
	engine->known[kind] = REACH_WANTED;
}

/* Whether the rule has no selector and no suppressor, and its action is a
 * table. */
static bool is_plain(const struct reach_rule_message *rule)
{
	const uint32_t numbers = rule->destination_length |
				 rule->source_length | rule->mark |
				 rule->mark_mask | rule->tos | rule->protocol |
				 rule->vrf | rule->others | rule->first_uid;

	return rule->action == FR_ACT_TO_TBL && !numbers &&
	       rule->last_uid == UINT32_MAX && !rule->input[0] &&
	       !rule->output[0] && rule->suppress_prefix_length == -1 &&
	       rule->suppress_group == -1 && !(rule->flags & FIB_RULE_INVERT);
}

uint8_t reach_rule_stock_bit(const struct reach_rule_message *rule)
{
	if (!is_plain(rule))
		return 0;
	if (rule->priority == 0 && rule->table == RT_TABLE_LOCAL)
		return STOCK_LOCAL;
	if (rule->priority == 32766 && rule->table == RT_TABLE_MAIN)
		return STOCK_MAIN;
	if (rule->priority == 32767 && rule->table == RT_TABLE_DEFAULT)
		return STOCK_DEFAULT;
	return 0;
}

/* A stock rule that appears twice counts as another rule. */
static void take_rule(struct reach_rules *rules,
		      const struct reach_rule_message *rule)
{
	const uint8_t bit = reach_rule_stock_bit(rule);

	if (!bit || rules->stock_seen & bit)
		rules->other_seen = true;
	rules->stock_seen |= bit;
	rules->source_seen |= rule->source_length > 0;
	rules->group_seen |= rule->suppress_group != -1;
}

void reach_rules_dump_take(struct reach_engine *engine, uint8_t kind,
			   const struct reach_message *message)
{
	struct reach_rules *rules = rules_of(engine, kind);

	switch (message->kind) {
	case REACH_MESSAGE_RULE:
		take_rule(rules, &message->u.rule);
		break;
	case REACH_MESSAGE_NETCONF:
		if (message->u.netconf.ignore_routes_with_linkdown > 0)
			rules->carrier = true;
		break;
	case REACH_MESSAGE_ROUTE:
		rules->default_used = true;
		break;
	default:
		break;
	}
}

void reach_rules_dump_end(struct reach_engine *engine, uint8_t kind, bool whole)
{
	struct reach_rules *rules = rules_of(engine, kind);
	const uint8_t inet6 = STOCK_LOCAL | STOCK_MAIN;
	const uint8_t wanted =
		kind == REACH_REQUEST_RULES6 ? inet6 : inet6 | STOCK_DEFAULT;

	/* An event during the dump has made it unknown; the dump is sent
	 * again. */
	if (engine->known[kind] != REACH_RUNNING)
		return;
	engine->known[kind] = REACH_KNOWN;
	/* A dump that was refused or interrupted allows no shortcut. */
	if (kind == REACH_REQUEST_RULES || kind == REACH_REQUEST_RULES6) {
		rules->stock = whole && !rules->other_seen &&
			       rules->stock_seen == wanted;
		rules->no_source_rules = whole && !rules->source_seen;
		rules->no_group_rules = whole && !rules->group_seen;
	} else if (kind == REACH_REQUEST_DEFAULTS) {
		rules->default_used |= !whole;
	} else {
		rules->carrier |= !whole;
	}
}
