/* SPDX-License-Identifier: MIT */
/* Dumps of links and addresses into their tables. */
#include "core.h"

#include <linux/rtnetlink.h>

void reach_dump_begin(struct reach_engine *engine, uint8_t kind)
{
	if (kind == REACH_QUESTION_LINKS)
		reach_links_dump_begin(&engine->links);
	else
		reach_own_addresses_dump_begin(&engine->addresses);
	engine->interrupted = false;
	engine->dump_changed = false;
	engine->stats.dumps++;
}

static void want_again(struct reach_engine *engine, uint8_t kind)
{
	if (kind == REACH_QUESTION_LINKS)
		engine->want_links = true;
	else
		engine->want_addresses = true;
}

/* Takes out what the dump did not show. */
static void sweep(struct reach_engine *engine, uint8_t kind)
{
	const int changed =
		kind == REACH_QUESTION_LINKS
			? reach_links_dump_end(&engine->links)
			: reach_own_addresses_dump_end(&engine->addresses);

	if (changed)
		engine->dump_changed = true;
}

/* @whole: it ended with DONE. One that was refused (a sandbox may do that)
 * leaves what is known. */
static void end(struct reach_engine *engine, uint8_t kind, bool whole)
{
	const bool again = engine->interrupted &&
			   ++engine->interruptions < REACH_PATIENCE;

	engine->outstanding = 0;
	if (again)
		want_again(engine, kind);
	else
		engine->interruptions = 0;
	if (whole && !again)
		sweep(engine, kind);
	if (engine->dump_changed)
		reach_mark_all(engine);
}

static int apply_link(struct reach_engine *engine,
		      const struct reach_message *message)
{
	int delta;

	if (message->type != RTM_NEWLINK)
		return 0;
	delta = reach_links_apply(&engine->links, &message->u.link, false);
	if (delta > 0 && delta & REACH_LINK_DELTA_IDENTITY)
		engine->want_evidence = true;
	return delta;
}

static int apply_address(struct reach_engine *engine,
			 const struct reach_message *message)
{
	if (message->type != RTM_NEWADDR)
		return 0;
	return reach_own_addresses_apply(&engine->addresses,
					 &message->u.address, false);
}

int reach_dump_take(struct reach_engine *engine, uint8_t kind,
		    const struct reach_message *message)
{
	int changed = 0;

	if (message->flags & NLM_F_DUMP_INTR)
		engine->interrupted = true;
	if (message->kind == REACH_MESSAGE_DONE ||
	    message->kind == REACH_MESSAGE_ERROR)
		end(engine, kind, message->kind == REACH_MESSAGE_DONE);
	else if (message->kind == REACH_MESSAGE_LINK &&
		 kind == REACH_QUESTION_LINKS)
		changed = apply_link(engine, message);
	else if (message->kind == REACH_MESSAGE_ADDRESS &&
		 kind == REACH_QUESTION_ADDRESSES)
		changed = apply_address(engine, message);
	if (changed > 0)
		engine->dump_changed = true;
	return changed < 0 ? changed : 0;
}
