/* SPDX-License-Identifier: MIT */
/*
 * Whether the policy rules and settings of the host are the stock ones. If so,
 * the prefix of a route event shows which lookups it can change, and entries
 * that matched one route can share a lookup. Also whether anything selects by
 * source (query/second_lookup.h). Unknown rules count as not stock, and as
 * selecting by source.
 */
#ifndef REACH_ENGINE_STATE_RULES_H
#define REACH_ENGINE_STATE_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include <reach/message.h>

#pragma GCC visibility push(hidden)

struct reach_engine;

enum reach_knowledge {
	/* Never dumped, or changed since. */
	REACH_UNKNOWN,
	/* The dump is outstanding. */
	REACH_RUNNING,
	REACH_KNOWN
};

/* The rules of one family. */
struct reach_rules {
	/* enum reach_knowledge of `source_routes`. */
	uint8_t routes;
	/* Running dump of rules: the stock rules that it has shown, as bits,
	 * and whether it has shown any other rule, and any rule by source. */
	uint8_t stock_seen;
	bool other_seen;
	bool source_seen;
	/* The rules are known to be exactly those that a kernel starts with. */
	bool stock;
	/* The rules are known, and none selects by source. */
	bool no_source_rules;
	/* IPv6: a route selects, or selected, by source (`default from
	 * PREFIX`). */
	bool source_routes;
	/* IPv4: table default has routes, or had some. */
	bool default_used;
	/* ignore_routes_with_linkdown is or was set on an interface: lookups
	 * may change with the carrier of links. */
	bool carrier;
};

/* One bit per stock rule, 0 for others. The stock rules are priority 0 to table
 * local, 32766 to main, and 32767 to default, which IPv6 does not have
 * (net/ipv4/fib_rules.c and net/ipv6/fib6_rules.c). */
uint8_t reach_rule_stock_bit(const struct reach_rule_message *rule);

/* Whether lookups of @family are known to search only the tables local, main
 * and default, in that order. */
bool reach_rules_are_stock(const struct reach_engine *engine, uint8_t family);
/* Whether lookups of @family are known not to depend on the carrier of
 * links. */
bool reach_rules_ignore_carrier(const struct reach_engine *engine,
				uint8_t family);

/* Whether a destination without a route in local and main is known to have none
 * in any table: stock rules, and nothing in IPv4's table default. */
bool reach_rules_use_main_only(const struct reach_engine *engine,
			       uint8_t family);

/* Whether lookups of @family are known not to depend on the source. */
bool reach_rules_ignore_source(const struct reach_engine *engine,
			       uint8_t family);

/* Whether the rules must be dumped to know that. */
bool reach_rules_are_unknown(const struct reach_engine *engine, uint8_t family);

/* Whether it pays to find out if IPv6 has routes by source. No dump of the
 * engine shows that, since there may be a million routes. */
bool reach_rules_want_source_routes(const struct reach_engine *engine);
/* Records whether there are such routes. */
void reach_rules_set_source_routes(struct reach_engine *engine, bool any);
/* An event of @route came. */
void reach_rules_route_seen(struct reach_engine *engine,
			    const struct reach_route_message *route);

/* Makes everything unknown, so that it is dumped again. */
void reach_rules_forget(struct reach_engine *engine);
/* A rule of @family came or went: makes its rules unknown. */
void reach_rules_changed(struct reach_engine *engine, uint8_t family);

/* ignore_routes_with_linkdown was set: lookups of @family depend on the carrier
 * from now on. */
void reach_rules_heed_carrier(struct reach_engine *engine, uint8_t family);

/* An event came, and others may follow. From now on the dumps pay, even with
 * few entries. */
void reach_rules_want(struct reach_engine *engine);

/* Whether dumps and match lookups pay at once, since there are enough
 * entries. */
bool reach_rules_are_worth_knowing(const struct reach_engine *engine);

/* A route event of IPv4's table default came. */
void reach_rules_table_default_used(struct reach_engine *engine);

/* The dump of @kind failed and must be sent again. */
void reach_rules_dump_again(struct reach_engine *engine, uint8_t kind);

/* Kind of the next dump to be sent, or REACH_REQUEST_NONE. */
uint8_t reach_rules_next_dump(struct reach_engine *engine);
/* The dump of @kind, an enum reach_request_kind, is sent. */
void reach_rules_dump_begin(struct reach_engine *engine, uint8_t kind);
/* Takes one message of the dump. */
void reach_rules_dump_take(struct reach_engine *engine, uint8_t kind,
			   const struct reach_message *message);
/* The dump has ended. @whole: it was neither interrupted nor refused; else the
 * worst case is assumed. */
void reach_rules_dump_end(struct reach_engine *engine, uint8_t kind,
			  bool whole);

#pragma GCC visibility pop

#endif
