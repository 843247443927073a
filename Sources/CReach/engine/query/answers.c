/* SPDX-License-Identifier: MIT */
/*
 * Matches the kernel's answers with the requests of the batch in flight, by
 * sequence number. When an entry has all its answers, it gets its path,
 * together with its duplicates and the followers of its equivalence group. A
 * generation counter detects answers about an entry or path that is gone.
 */
#include "engine/query/query.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/rtnetlink.h>

#include "engine/invalidate/invalidate.h"
#include "engine/state/state.h"
#include "engine/verdict/verdict.h"

/* Marks the entry, its duplicates and its followers for another lookup. */
static void retry_lookup(struct reach_engine *engine, uint32_t number)
{
	reach_equivalence_dissolve(engine, number);
	reach_mark(engine, number);
	reach_duplicates_mark(engine, number);
}

/* Evaluates the entry; for a part, its aggregate once no answer is missing. */
static void evaluate_answered(struct reach_engine *engine, uint32_t number)
{
	struct reach_entry *entry = reach_entry_at(&engine->entries, number);

	if (entry->kind == REACH_ENTRY_PART) {
		struct reach_entry *owner =
			reach_entry_at(&engine->entries, entry->owner);

		if (owner->outstanding)
			owner->outstanding--;
	}
	reach_evaluate(engine, number);
}

/* Attaches the path @key to @number, which was looked up or is a duplicate of
 * such an entry, and to its followers. @plain has the source of a shared path,
 * or is NULL. @return 0 or -ENOMEM, after which all are marked. */
static inline int attach_answer(struct reach_engine *engine, uint32_t number,
				const struct reach_path_key *key,
				const struct reach_reply *plain)
{
	const uint32_t group = reach_equivalence_take(engine, number);
	const int err = reach_path_attach(engine, number, key);

	if (err) {
		reach_equivalence_mark_each(engine, group);
		retry_lookup(engine, number);
		return err;
	}
	if (plain)
		reach_path_settle(
			engine, reach_entry_at(&engine->entries, number)->path,
			number, &plain->source, !plain->gateway.family);
	reach_equivalence_answered(engine, group, number);
	evaluate_answered(engine, number);
	return 0;
}

/* Attaches the path @key to entry @number, and to its duplicates. @plain as in
 * attach_answer(). @return 0 or -ENOMEM. */
static int conclude(struct reach_engine *engine, uint32_t number,
		    const struct reach_path_key *key,
		    const struct reach_reply *plain)
{
	struct reach_cursor cursor;
	uint32_t duplicate;
	int err = 0;

	for (duplicate = reach_duplicates_first(engine, number, &cursor);
	     duplicate != REACH_NO_ENTRY;
	     duplicate = reach_duplicates_next(engine, number, &cursor)) {
		reach_entry_at(&engine->entries, duplicate)->outstanding = 0;
		if (attach_answer(engine, duplicate, key, plain))
			err = -ENOMEM;
	}
	return err;
}

/* The key of the answers to @request, which don't make a shared path. */
static struct reach_path_key key_of(const struct reach_engine *engine,
				    const struct reach_request *request)
{
	return reach_reply_key(
		engine, reach_entry_at(&engine->entries, request->subject),
		&request->replies[REACH_REPLY_PLAIN],
		&request->replies[REACH_REPLY_MATCH]);
}

/* Attaches @key to the entry of @request. @return 0 or -ENOMEM. */
static int conclude_plain(struct reach_engine *engine,
			  const struct reach_request *request,
			  const struct reach_path_key *key)
{
	return conclude(engine, request->subject, key, NULL);
}

/* An entry has all its answers, which make no shared path. @return 0 or
 * -ENOMEM. */
static int take_own(struct reach_engine *engine,
		    const struct reach_request *request)
{
	const struct reach_reply *plain = &request->replies[REACH_REPLY_PLAIN];
	const struct reach_path_key key = key_of(engine, request);
	struct reach_path_key first = key;

	/* For an IPv4 socket bound to an interface, each destination without a
	 * route is on the link. So the socket has a source, and a route by that
	 * source may exist. */
	if (key.family == AF_INET && key.error && plain->asked) {
		first.source_family = (uint8_t)plain->source.family;
		memcpy(first.source, plain->source.bytes, sizeof(first.source));
	}
	if (reach_change_over_is_due(engine, request, &key))
		reach_second_lookups_add(engine, request)->state =
			REACH_SECOND_OTHER_LINKS;
	else if (!reach_second_lookup_is_needed(engine, &first))
		return conclude_plain(engine, request, &key);
	else
		reach_second_lookup_begin(
			engine, reach_second_lookups_add(engine, request),
			&first);
	return 0;
}

/* An entry has all its answers. A match suffices for a shared path. If it shows
 * that the path can't be shared, the entry gets a plain lookup, too, from now
 * on (REACH_BIT_PLAIN). @return 0 or -ENOMEM. */
static int take_lookup(struct reach_engine *engine,
		       const struct reach_request *request)
{
	const struct reach_reply *match = &request->replies[REACH_REPLY_MATCH];
	const struct reach_reply *plain = &request->replies[REACH_REPLY_PLAIN];
	const uint32_t number = request->subject;
	struct reach_entry *entry = reach_entry_at(&engine->entries, number);
	struct reach_path_key key;
	bool is_shared;

	is_shared = request->by_path &&
		    reach_reply_shared_key(engine, entry, match, &key);
	entry->bits &= (uint16_t)~REACH_BIT_PLAIN;
	if (request->by_path && !is_shared)
		entry->bits |= REACH_BIT_PLAIN;
	if (is_shared)
		return conclude(engine, number, &key,
				reach_reply_fits(&key, plain) ? plain : NULL);
	if (plain->asked)
		return take_own(engine, request);
	/* The match didn't suffice, and was the only lookup. */
	retry_lookup(engine, number);
	return 0;
}

bool reach_answers_end_change_over(struct reach_engine *engine,
				   struct reach_second_lookup *second)
{
	struct reach_path_key key = second->has_other
					    ? second->other
					    : key_of(engine, &second->first);

	/* Without carrier, the source of a VRF's socket doesn't matter. */
	if (key.family == AF_INET &&
	    reach_second_lookup_is_needed(engine, &key)) {
		reach_second_lookup_begin(engine, second, &key);
		return false;
	}
	if (key.predicted)
		reach_links_leave(
			&engine->links,
			second->first.replies[REACH_REPLY_PLAIN].output);
	second->state = REACH_SECOND_SENT;
	(void)conclude_plain(engine, &second->first, &key);
	return true;
}

void reach_answers_stand(struct reach_engine *engine,
			 const struct reach_second_lookup *second)
{
	struct reach_path_key key = key_of(engine, &second->first);

	if (second->has_route && second->state == REACH_SECOND_HAS_SOURCE)
		reach_reply_set_source(&key, &second->source);
	else if (second->error)
		key.error = second->error;
	(void)conclude_plain(engine, &second->first, &key);
}

/* The answers to a second lookup are complete. @return 0 or -ENOMEM. */
static int take_second(struct reach_engine *engine,
		       const struct reach_request *request)
{
	struct reach_path_key key = key_of(engine, request);

	const struct reach_second_lookup *second =
		&engine->second_lookups.items[request->source_generation];

	reach_reply_second_key(engine, &key, &second->source);
	/* The same route without carrier, which the kernel leaves. */
	if (second->has_other && reach_path_may_change_over(engine, &key))
		key = second->other;
	return conclude_plain(engine, request, &key);
}

/* Takes the answer to a source lookup, the plain lookup of one entry. Its
 * source holds for all entries of the path. */
static void take_source(struct reach_engine *engine,
			const struct reach_request *request)
{
	const struct reach_reply *reply = &request->replies[REACH_REPLY_PLAIN];
	struct reach_path *path = reach_path_at(engine, request->subject);

	/* Another answer has brought the source already. */
	if (!path->source_pending)
		return;
	path->source_pending = false;
	if (path->source_generation == request->source_generation &&
	    (reach_reply_fits(&path->key, reply) ||
	     path->mismatches >= REACH_PATIENCE)) {
		reach_path_settle(engine, request->subject, path->source_entry,
				  &reply->source, !reply->gateway.family);
		return;
	}
	/* The route disappeared between the match and this lookup, or the
	 * addresses changed. The next entry that gets this path looks its
	 * source up again. */
	path->mismatches++;
	reach_mark_path(engine, request->subject);
}

/* Takes one of the replies that @request waits for. @return 0 or -ENOMEM. */
static int take(struct reach_engine *engine, struct reach_request *request,
		enum reach_reply_use use, const struct reach_message *message)
{
	struct reach_reply *reply = &request->replies[use];
	const uint8_t kind = request->kind;

	engine->batch.outstanding--;
	if (kind == REACH_REQUEST_BARRIER) {
		request->kind = REACH_REQUEST_NONE;
		return 0;
	}
	reach_reply_take(engine, reply, message);
	request->missing &= (uint8_t)~(1U << use);
	/* The target was removed meanwhile, or its name resolved again. */
	if (!reach_request_is_current(engine, request)) {
		if (!request->missing)
			request->kind = REACH_REQUEST_NONE;
		return 0;
	}
	if (request->missing)
		return 0;
	request->kind = REACH_REQUEST_NONE;
	if (kind == REACH_REQUEST_LOOKUP)
		return take_lookup(engine, request);
	if (kind == REACH_REQUEST_SECOND)
		return take_second(engine, request);
	if (kind == REACH_REQUEST_OTHER_LINK) {
		reach_change_over_take(engine, request);
		return 0;
	}
	take_source(engine, request);
	return 0;
}

int reach_lookups_answer(struct reach_engine *engine,
			 const struct reach_message *message)
{
	const uint32_t at = message->sequence - engine->batch.sequence;
	/* A request has two sequence numbers, one for each lookup. */
	const enum reach_reply_use use = at & 1;
	struct reach_request *request;

	/* Late answers to earlier batches are below the range, so `at`
	 * wraps. */
	if (at / 2 >= engine->batch.count || !engine->batch.outstanding)
		return 0;
	request = &engine->batch.requests[at / 2];
	if (request->kind == REACH_REQUEST_NONE)
		return 0;
	if (request->kind == REACH_REQUEST_NEED)
		return reach_oneshot_take(engine, request, message);
	if (request->kind >= REACH_REQUEST_LINKS) {
		engine->batch.losses = 0;
		return reach_dump_take(engine, request->kind, message);
	}
	/* A second answer to the same request. */
	if (request->kind != REACH_REQUEST_BARRIER &&
	    !(request->missing & 1U << use))
		return 0;
	engine->batch.losses = 0;
	return take(engine, request, use, message);
}

/* Ends @request as if the kernel had refused it. */
static void answer_refused(struct reach_engine *engine,
			   struct reach_request *request)
{
	const struct reach_message refused = {
		.kind = REACH_MESSAGE_ERROR,
		.u.error.error = EIO,
	};
	unsigned int use;

	if (request->kind >= REACH_REQUEST_RULES)
		reach_rules_dump_end(engine, request->kind, false);
	if (request->kind < REACH_REQUEST_LOOKUP ||
	    request->kind > REACH_REQUEST_SOURCE)
		return;
	for (use = 0; use < REACH_REPLIES; use++)
		if (request->missing & 1U << use)
			(void)take(engine, request, use, &refused);
}

/* The answer to @request was lost: marks its subject for another lookup. */
static void mark_again(struct reach_engine *engine,
		       const struct reach_request *request)
{
	switch (request->kind) {
	case REACH_REQUEST_NONE:
		return;
	case REACH_REQUEST_BARRIER:
		reach_barrier_later(engine);
		return;
	case REACH_REQUEST_LOOKUP:
	case REACH_REQUEST_SECOND:
	case REACH_REQUEST_OTHER_LINK:
		if (!reach_request_is_current(engine, request))
			return;
		reach_mark(engine, request->subject);
		reach_duplicates_mark(engine, request->subject);
		return;
	case REACH_REQUEST_SOURCE:
		if (!reach_request_is_current(engine, request))
			return;
		reach_path_at(engine, request->subject)->source_pending = false;
		reach_mark_path(engine, request->subject);
		return;
	default:
		reach_dump_want(engine, request->kind);
		return;
	}
}

void reach_lookups_lost(struct reach_engine *engine)
{
	const bool give_up = ++engine->batch.losses >= REACH_PATIENCE;
	size_t i;

	for (i = 0; i < engine->batch.count; i++) {
		if (give_up)
			answer_refused(engine, &engine->batch.requests[i]);
		else
			mark_again(engine, &engine->batch.requests[i]);
	}
	reach_batch_begin(engine);
	if (!give_up)
		return;
	engine->batch.losses = 0;
	/* These errors don't come from routing: look everything up again in one
	 * second. */
	reach_retry_later(engine);
}
