/* SPDX-License-Identifier: MIT */
/*
 * Puts dumps into their tables. At the end of a dump, links and addresses that
 * it didn't show are removed. A change marks all destinations. The kernel flags
 * interrupted dumps of links and addresses (NLM_F_DUMP_INTR), but not those of
 * policy rules and routes (nl_dump_check_consistent, include/net/netlink.h, is not
 * called there): a change during those comes as an event.
 */
#include "engine/query/query.h"

#include <errno.h>
#include <string.h>

#include <linux/rtnetlink.h>

#include "engine/invalidate/invalidate.h"
#include "engine/state/state.h"
#include "engine/verdict/verdict.h"

void reach_dump_begin(struct reach_engine *engine, uint8_t kind)
{
	if (kind == REACH_REQUEST_LINKS)
		reach_links_dump_begin(&engine->links);
	else if (kind == REACH_REQUEST_ADDRESSES)
		reach_own_addresses_dump_begin(&engine->addresses);
	else
		reach_policy_dump_begin(engine, kind);
	engine->known[kind] = REACH_RUNNING;
	engine->dumps.interrupted = false;
	engine->dumps.changed = false;
	if (kind <= REACH_REQUEST_ADDRESSES)
		engine->stats.dumps++;
}

uint8_t reach_dump_next(const struct reach_engine *engine)
{
	const uint8_t *first =
		memchr(&engine->known[REACH_REQUEST_LINKS], REACH_WANTED,
		       sizeof(engine->known) - REACH_REQUEST_LINKS);

	return first ? (uint8_t)(first - engine->known) : REACH_REQUEST_NONE;
}

/* Ends the dump of @kind. @complete: it was neither refused nor cut short.
 * After a refusal (a sandbox may refuse) the table stays as it is. */
static void end_dump(struct reach_engine *engine, uint8_t kind, bool complete)
{
	const bool again = engine->dumps.interrupted &&
			   ++engine->dumps.interruptions < REACH_PATIENCE;

	engine->batch.outstanding = 0;
	/* An interrupted dump may lack links that exist: remove none. */
	if (again) {
		engine->known[kind] = REACH_WANTED;
	} else {
		engine->dumps.interruptions = 0;
		if (kind > REACH_REQUEST_ADDRESSES)
			reach_policy_dump_end(
				engine, kind,
				complete && !engine->dumps.interrupted);
		else if (complete && kind == REACH_REQUEST_LINKS)
			engine->dumps.changed |=
				reach_links_dump_end(&engine->links);
		else if (complete)
			engine->dumps.changed |= reach_own_addresses_dump_end(
				&engine->addresses);
	}
	if (!engine->dumps.changed)
		return;
	/* A dump may show a change that the kernel has not carried out in the
	 * FIB yet. Its event then changes nothing in the table and requests no
	 * barrier, so request it here. */
	engine->dirty.barrier = true;
	reach_recompute_later(engine);
	reach_mark_all(engine);
}

/* Whether the dump ended by @message was complete. */
static bool is_complete(uint8_t kind, const struct reach_message *message)
{
	const int error = message->u.error.error;

	if (message->kind != REACH_MESSAGE_DONE)
		return false;
	/* The kernel creates table default with its first route. */
	if (kind == REACH_REQUEST_DEFAULTS && error == ENOENT)
		return true;
	return kind <= REACH_REQUEST_ADDRESSES || !error;
}

int reach_dump_apply(struct reach_engine *engine,
		     const struct reach_message *message)
{
	int delta;

	if (message->type == RTM_NEWADDR)
		return reach_own_addresses_apply(&engine->addresses,
						 &message->u.address, false);
	if (message->type != RTM_NEWLINK)
		return 0;
	delta = reach_links_apply(&engine->links, &message->u.link, false);
	if (delta > 0 && delta & REACH_LINK_DELTA_IDENTITY)
		reach_want_evidence(engine, message->u.link.index);
	return delta;
}

int reach_dump_take(struct reach_engine *engine, uint8_t kind,
		    const struct reach_message *message)
{
	int changed = 0;

	if (message->flags & NLM_F_DUMP_INTR)
		engine->dumps.interrupted = true;
	if (message->kind == REACH_MESSAGE_DONE ||
	    message->kind == REACH_MESSAGE_ERROR)
		end_dump(engine, kind, is_complete(kind, message));
	else if ((message->kind == REACH_MESSAGE_LINK &&
		  kind == REACH_REQUEST_LINKS) ||
		 (message->kind == REACH_MESSAGE_ADDRESS &&
		  kind == REACH_REQUEST_ADDRESSES))
		changed = reach_dump_apply(engine, message);
	else if (kind > REACH_REQUEST_ADDRESSES)
		reach_policy_dump_take(engine, kind, message);
	if (changed > 0)
		engine->dumps.changed = true;
	if (changed >= 0)
		return 0;
	/* Out of memory: a missing link may have no further event, so repeat
	 * the dump. */
	engine->dumps.interrupted = true;
	reach_retry_later(engine);
	return changed;
}
