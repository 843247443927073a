/* SPDX-License-Identifier: MIT */
/*
 * What is known of policy rules, netconf and IPv4's table default: dumps, reduced
 * to a few bits. Events either keep the bits true, or make them unknown, which
 * causes another dump.
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

/* Nanoseconds after which they come although events don't pause for IDLE. Until
 * then nothing is grouped: on a host that takes a full table, each change of a
 * route to 100 targets would cost 100 lookups until the table is complete. */
#define LATEST 20000000

/* Number of routes to read once, even for very few destinations. Reading them costs
 * as much as the second lookups of two or three errors, which it may save. */
#define ROUTES_MIN 64

/* Kinds of dumps, from REACH_REQUEST_POLICY on. */
#define DUMPS (REACH_REQUEST_DEFAULTS - REACH_REQUEST_POLICY + 1)

void reach_policy_idle(struct reach_engine *engine)
{
	struct reach_clock *clock = &engine->clock;

	if (clock->policy != clock->policy_latest ||
	    !engine->destinations.count || engine->oneshot ||
	    !memchr(&engine->known[REACH_REQUEST_POLICY], REACH_UNKNOWN, DUMPS))
		return;
	if (clock->policy_latest == INT64_MAX)
		clock->policy_latest = clock->now + LATEST;
	if (clock->now < clock->policy_latest - IDLE)
		clock->policy = clock->now + IDLE;
}

void reach_policy_want(struct reach_engine *engine)
{
	uint8_t *known = &engine->known[REACH_REQUEST_POLICY];
	size_t i;

	engine->clock.policy = INT64_MAX;
	engine->clock.policy_latest = INT64_MAX;
	for (i = 0; i < DUMPS; i++)
		if (known[i] == REACH_UNKNOWN)
			known[i] = REACH_WANTED;
	if (engine->policy[1].routes == REACH_UNKNOWN)
		engine->policy[1].routes = REACH_WANTED;
}

/* Whether the policy is known, and no rule is like @bit. */
static bool has_none(const struct reach_policy *policy, uint8_t bit)
{
	return (policy->known & (REACH_POLICY_KNOWN | bit)) ==
	       REACH_POLICY_KNOWN;
}

bool reach_policy_ignore_carrier(const struct reach_engine *engine,
				 uint8_t family)
{
	const bool inet6 = family == AF_INET6;

	return engine->known[REACH_REQUEST_SETTINGS + inet6] == REACH_KNOWN &&
	       !engine->policy[inet6].carrier;
}

bool reach_policy_ignore_groups(const struct reach_engine *engine,
				uint8_t family)
{
	return has_none(&engine->policy[family == AF_INET6],
			REACH_POLICY_BY_GROUP);
}

bool reach_policy_use_main_only(const struct reach_engine *engine,
				uint8_t family)
{
	if (!reach_policy_are_stock(engine, family))
		return false;
	/* Table main is the last one that IPv6 searches. */
	return family == AF_INET6 ||
	       (engine->known[REACH_REQUEST_DEFAULTS] == REACH_KNOWN &&
		!engine->policy[0].default_used);
}

bool reach_policy_ignore_source(const struct reach_engine *engine,
				uint8_t family)
{
	const struct reach_policy *policy = &engine->policy[family == AF_INET6];

	return has_none(policy, REACH_POLICY_BY_SOURCE) &&
	       (family == AF_INET ||
		(policy->routes == REACH_KNOWN && !policy->source_routes));
}

size_t reach_policy_want_source_routes(const struct reach_engine *engine)
{
	const struct reach_policy *policy = &engine->policy[1];
	const size_t count = engine->destinations.count;

	if (!has_none(policy, REACH_POLICY_BY_SOURCE) ||
	    policy->routes != REACH_WANTED ||
	    !reach_index_of(engine, AF_INET6)->count)
		return 0;
	/* A route takes less to read than a destination to look up. */
	return count > ROUTES_MIN ? count : ROUTES_MIN;
}

void reach_policy_set_source_routes(struct reach_engine *engine, bool any)
{
	engine->policy[1].routes = REACH_KNOWN;
	engine->policy[1].source_routes = any;
}

void reach_policy_route_seen(struct reach_engine *engine,
			     const struct reach_route_message *route)
{
	if (route->family == AF_INET6 && route->source_length)
		reach_policy_set_source_routes(engine, true);
	if (route->family == AF_INET && route->table == RT_TABLE_DEFAULT)
		engine->policy[0].default_used = true;
}

void reach_policy_changed(struct reach_engine *engine, uint8_t family)
{
	const bool inet6 = family == AF_INET6;

	if (family != AF_INET && family != AF_INET6)
		return;
	engine->known[REACH_REQUEST_POLICY + inet6] = REACH_UNKNOWN;
	engine->policy[inet6].known = 0;
}

/* State of the family that a dump of @kind is about. */
static struct reach_policy *policy_of(struct reach_engine *engine, uint8_t kind)
{
	const bool inet6 = kind == REACH_REQUEST_POLICY6 ||
			   kind == REACH_REQUEST_SETTINGS6;

	return &engine->policy[inet6];
}

static bool is_of_policy(uint8_t kind)
{
	return kind == REACH_REQUEST_POLICY || kind == REACH_REQUEST_POLICY6;
}

void reach_policy_dump_begin(struct reach_engine *engine, uint8_t kind)
{
	policy_of(engine, kind)->seen = 0;
}

/* Whether the policy rule has no selector and no suppressor, and its action is a
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

uint8_t reach_policy_stock_bit(const struct reach_rule_message *rule)
{
	if (!is_plain(rule))
		return 0;
	if (rule->priority == 0 && rule->table == RT_TABLE_LOCAL)
		return REACH_POLICY_LOCAL;
	if (rule->priority == 32766 && rule->table == RT_TABLE_MAIN)
		return REACH_POLICY_MAIN;
	if (rule->priority == 32767 && rule->table == RT_TABLE_DEFAULT)
		return REACH_POLICY_DEFAULT;
	return 0;
}

/* A stock policy rule that appears twice counts as another one. */
static void take_rule(struct reach_policy *policy,
		      const struct reach_rule_message *rule)
{
	const uint8_t bit = reach_policy_stock_bit(rule);

	policy->seen |= !bit || policy->seen & bit ? REACH_POLICY_OTHER : bit;
	policy->seen |= rule->source_length > 0 ? REACH_POLICY_BY_SOURCE : 0;
	policy->seen |= rule->suppress_group != -1 ? REACH_POLICY_BY_GROUP : 0;
}

void reach_policy_dump_take(struct reach_engine *engine, uint8_t kind,
			    const struct reach_message *message)
{
	struct reach_policy *policy = policy_of(engine, kind);

	switch (message->kind) {
	case REACH_MESSAGE_RULE:
		take_rule(policy, &message->u.rule);
		break;
	case REACH_MESSAGE_NETCONF:
		if (message->u.netconf.ignore_routes_with_linkdown > 0)
			policy->carrier = true;
		break;
	case REACH_MESSAGE_ROUTE:
		policy->default_used = true;
		break;
	default:
		break;
	}
}

void reach_policy_dump_end(struct reach_engine *engine, uint8_t kind,
			   bool whole)
{
	struct reach_policy *policy = policy_of(engine, kind);

	/* An event during the dump has made it unknown; the dump is sent
	 * again. */
	if (engine->known[kind] != REACH_RUNNING)
		return;
	engine->known[kind] = REACH_KNOWN;
	/* A dump that was refused or interrupted allows no shortcut. */
	if (is_of_policy(kind))
		policy->known = whole ? REACH_POLICY_KNOWN | policy->seen : 0;
	else if (kind == REACH_REQUEST_DEFAULTS)
		policy->default_used |= !whole;
	else
		policy->carrier |= !whole;
}
