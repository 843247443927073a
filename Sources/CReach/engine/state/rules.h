/* SPDX-License-Identifier: MIT */
/* What rules and settings allow to assume of routes. */
#ifndef REACH_ENGINE_STATE_RULES_H
#define REACH_ENGINE_STATE_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include <reach/message.h>

#pragma GCC visibility push(hidden)

struct reach_engine;

enum reach_knowledge {
	REACH_UNKNOWN,
	/* The dump is on its way. */
	REACH_RUNNING,
	REACH_KNOWN
};

/* Of a family. Asked for only when there are many to be asked. */
struct reach_rules {
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

struct reach_rules *reach_rules_of(struct reach_engine *engine, uint8_t family);

/* Whether routes are looked up in local, main and default, in that order. */
bool reach_rules_are_stock(const struct reach_engine *engine, uint8_t family);
/* Whether no route comes or goes with the carrier. */
bool reach_rules_ignore_carrier(const struct reach_engine *engine,
				uint8_t family);

/* Whether all that table main does not know is not known. */
bool reach_rules_use_main_only(const struct reach_engine *engine,
			       uint8_t family);

/* Forgets all, or the rules of a family. */
void reach_rules_forget(struct reach_engine *engine);
void reach_rules_changed(struct reach_engine *engine, uint8_t family);

/* A setting makes routes come and go with the carrier. */
void reach_rules_heed_carrier(struct reach_engine *engine, uint8_t family);

/* Whether there are so many to be asked that knowing more pays. */
bool reach_rules_are_worth_knowing(const struct reach_engine *engine);

/* A route came into table default. */
void reach_rules_table_default_used(struct reach_engine *engine);

/* The dump failed, and is to be asked for once more. */
void reach_rules_dump_again(struct reach_engine *engine, uint8_t kind);

/* Which dump to ask for next, if any. */
uint8_t reach_rules_next_dump(struct reach_engine *engine);
void reach_rules_dump_begin(struct reach_engine *engine, uint8_t kind);
/* Takes a message of the dump. */
void reach_rules_dump_take(struct reach_engine *engine, uint8_t kind,
			   const struct reach_message *message);
/* @whole: nothing was interrupted or refused. */
void reach_rules_dump_end(struct reach_engine *engine, uint8_t kind,
			  bool whole);

#pragma GCC visibility pop

#endif
