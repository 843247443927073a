/* SPDX-License-Identifier: MIT */
/* Answers to paths. */
#include "core.h"

#include <errno.h>
#include <sys/socket.h>

#include <linux/rtnetlink.h>

/* A route is looked up again this long after it should be over: the kernel
 * counts in jiffies, up to 10 ms each. In nanoseconds. */
#define EXPIRY_SLACK INT64_C(20000000)

#define MILLISECOND INT64_C(1000000)

/* Deadlines are a multiple of this, so that those of one route's answers are
 * the same. In nanoseconds. */
#define EXPIRY_GRAIN INT64_C(20000000)

bool reach_question_is_current(const struct reach_engine *engine,
			       const struct reach_question *question)
{
	if (question->kind == REACH_QUESTION_SOURCE) {
		const struct reach_path *path =
			reach_path_at(engine, question->subject);

		return path->record.references &&
		       path->record.serial == question->serial;
	}
	return reach_entry_at(&engine->entries, question->subject)
		       ->generation == question->serial;
}

/* When to look again at what is over in @left milliseconds. */
static int64_t deadline_of(const struct reach_engine *engine, int64_t left)
{
	const int64_t deadline =
		engine->now + left * MILLISECOND + EXPIRY_SLACK;

	return (deadline + EXPIRY_GRAIN - 1) / EXPIRY_GRAIN * EXPIRY_GRAIN;
}

static void take_reply(const struct reach_engine *engine,
		       struct reach_reply *reply,
		       const struct reach_message *message)
{
	const struct reach_route_message *route = &message->u.route;

	*reply = (struct reach_reply){ .asked = true,
				       .deadline = INT64_MAX,
				       .error = EPROTO };
	if (message->kind == REACH_MESSAGE_ERROR && message->u.error.error)
		reply->error = (uint16_t)message->u.error.error;
	if (message->kind != REACH_MESSAGE_ROUTE)
		return;
	reply->error = 0;
	reply->type = route->type;
	reply->scope = route->scope;
	reply->table = route->table;
	reply->length = route->destination_length;
	reply->output = route->output;
	reply->gateway = route->gateway;
	reply->source = route->preferred_source;
	/* What is over already waits for the kernel's collector, which reports
	 * what it removes; a second keeps us from spinning. */
	if (route->present & REACH_ROUTE_EXPIRES)
		reply->deadline = deadline_of(
			engine, route->expires > 0 ? route->expires : 1000);
	reply->legs = route->leg_count || route->nexthop_id ||
		      route->present & REACH_ROUTE_MULTIPATH;
}

static struct reach_path_key begin_key(const struct reach_entry *entry)
{
	return (struct reach_path_key){
		.deadline = INT64_MAX,
		.profile = entry->profile,
		.family = entry->family,
		.length = REACH_LENGTH_UNKNOWN,
	};
}

static void set_path(struct reach_path_key *key,
		     const struct reach_entry *entry,
		     const struct reach_reply *reply)
{
	struct reach_address destination = { .family = entry->family };

	memcpy(destination.bytes, entry->u.bytes, sizeof(destination.bytes));
	key->reach = (uint8_t)reach_address_scope(&destination);
	key->type = reply->type;
	key->output = reply->output;
	key->gateway_family = (uint8_t)reply->gateway.family;
	memcpy(key->gateway, reply->gateway.bytes, sizeof(key->gateway));
	key->source_family = (uint8_t)reply->source.family;
	memcpy(key->source, reply->source.bytes, sizeof(key->source));
	if (key->type == RTN_LOCAL)
		memcpy(key->destination, entry->u.bytes,
		       sizeof(key->destination));
}

/* The kernel tells what is left in ticks of 10 ms, and in the last of them what
 * it tells of routes that never expire, 0: one that has been expiring keeps its
 * deadline, and is looked at once more after that. */
static void keep_deadline(const struct reach_engine *engine,
			  struct reach_path_key *key,
			  const struct reach_entry *entry)
{
	const struct reach_path_key *last;

	if (!entry->path)
		return;
	last = &reach_path_at(engine, entry->path)->key;
	if (!(last->bits & REACH_PATH_EXPIRING))
		return;
	if (engine->now < last->deadline) {
		key->deadline = last->deadline;
		key->bits |= REACH_PATH_EXPIRING;
	} else {
		key->deadline = deadline_of(engine, 0);
	}
}

static void set_match(const struct reach_engine *engine,
		      struct reach_path_key *key,
		      const struct reach_entry *entry,
		      const struct reach_reply *match)
{
	key->length = match->length;
	key->table = match->table;
	key->deadline = match->deadline;
	if (match->deadline != INT64_MAX)
		key->bits |= REACH_PATH_EXPIRING;
	else
		keep_deadline(engine, key, entry);
	if (match->legs)
		key->bits |= REACH_PATH_LEGS;
}

/* The key of two answers, or of the plain one alone. */
static struct reach_path_key make_key(const struct reach_engine *engine,
				      const struct reach_entry *entry,
				      const struct reach_reply *plain,
				      const struct reach_reply *match)
{
	struct reach_path_key key = begin_key(entry);

	key.error = plain->error;
	/* Asked through an interface, only the match tells the truth. */
	if (match->asked && match->error &&
	    reach_profile_is_scoped(reach_profile_at(engine, entry->profile)))
		key.error = match->error;
	if (key.error)
		return key;
	set_path(&key, entry, plain);
	if (match->asked && !match->error)
		set_match(engine, &key, entry, match);
	return key;
}

/* The key of a match alone; false if it does not tell the path: each
 * destination has a leg of its own, and is local in its own way. */
static bool make_shared_key(const struct reach_engine *engine,
			    const struct reach_entry *entry,
			    const struct reach_reply *match,
			    struct reach_path_key *ret)
{
	*ret = begin_key(entry);
	ret->error = match->error;
	if (match->error)
		return true;
	if (match->type == RTN_LOCAL || match->legs)
		return false;
	set_path(ret, entry, match);
	set_match(engine, ret, entry, match);
	ret->scope = match->scope;
	ret->bits |= REACH_PATH_SHARED;
	return true;
}

/* The entry is to be asked once more. */
static void again(struct reach_engine *engine, uint32_t number)
{
	reach_class_dissolve(engine, number);
	reach_mark(engine, number);
}

/* Evaluates the entry, or its owner when that was its last part. */
static void finish(struct reach_engine *engine, uint32_t number)
{
	struct reach_entry *entry = reach_entry_at(&engine->entries, number);

	if (entry->kind == REACH_ENTRY_PART) {
		struct reach_entry *owner =
			reach_entry_at(&engine->entries, entry->v.owner);

		if (owner->outstanding)
			owner->outstanding--;
	}
	reach_evaluate(engine, number);
}

/* Whether the source of a shared path is in @plain: the route may have gone
 * between match and lookup. */
static bool fits(const struct reach_path_key *key,
		 const struct reach_reply *plain)
{
	return plain->asked && !plain->error && plain->output == key->output &&
	       plain->type == key->type;
}

static int take_lookup(struct reach_engine *engine,
		       const struct reach_question *question)
{
	const struct reach_reply *match = &question->replies[REACH_REPLY_MATCH];
	const struct reach_reply *plain = &question->replies[REACH_REPLY_PLAIN];
	const uint32_t number = question->subject;
	struct reach_entry *entry = reach_entry_at(&engine->entries, number);
	struct reach_path_key key;
	bool shared = false;
	uint32_t class;
	int err;

	entry->outstanding = 0;
	entry->bits &= (uint8_t)~REACH_BIT_PLAIN;
	if (question->by_path)
		shared = make_shared_key(engine, entry, match, &key);
	if (!shared && question->by_path)
		entry->bits |= REACH_BIT_PLAIN;
	if (!shared && plain->asked)
		key = make_key(engine, entry, plain, match);
	else if (!shared) {
		again(engine, number);
		return 0;
	}
	class = reach_class_take(engine, number);
	err = reach_path_attach(engine, number, &key);
	if (err) {
		reach_class_ask_each(engine, class);
		again(engine, number);
		return err;
	}
	if (shared && fits(&key, plain))
		reach_path_settle(engine, entry->path, number, plain);
	reach_class_answered(engine, class, number);
	finish(engine, number);
	return 0;
}

/* @reply: what the plain lookup of one who has the path brought. */
static void take_source(struct reach_engine *engine,
			const struct reach_question *question)
{
	const struct reach_reply *reply = &question->replies[REACH_REPLY_PLAIN];
	struct reach_path *path = reach_path_at(engine, question->subject);

	/* It is known by another answer. */
	if (!path->wanted)
		return;
	path->wanted = false;
	if (path->inquiry == question->inquiry &&
	    (fits(&path->key, reply) || path->tries >= REACH_PATIENCE)) {
		reach_path_settle(engine, question->subject, path->wanted_by,
				  reply);
		return;
	}
	/* The route went in between, or the addresses changed: whoever still
	 * gets this path when it is asked again brings up the question. */
	path->tries++;
	reach_mark_path(engine, question->subject);
}

static int take(struct reach_engine *engine, struct reach_question *question,
		enum reach_reply_use use, const struct reach_message *message)
{
	const uint8_t kind = question->kind;

	engine->outstanding--;
	if (kind == REACH_QUESTION_BARRIER) {
		question->kind = REACH_QUESTION_NONE;
		return 0;
	}
	take_reply(engine, &question->replies[use], message);
	question->missing &= (uint8_t)~(1U << use);
	if (question->missing)
		return 0;
	/* Removed, or resolved anew, while the question was on its way. */
	if (!reach_question_is_current(engine, question)) {
		question->kind = REACH_QUESTION_NONE;
		return 0;
	}
	question->kind = REACH_QUESTION_NONE;
	if (kind == REACH_QUESTION_LOOKUP)
		return take_lookup(engine, question);
	take_source(engine, question);
	return 0;
}

int reach_questions_answer(struct reach_engine *engine,
			   const struct reach_message *message)
{
	const uint32_t at = message->sequence - engine->sequence;
	const enum reach_reply_use use = at & 1;
	struct reach_question *question;

	if (at / 2 >= engine->question_count || !engine->outstanding)
		return 0;
	question = &engine->questions[at / 2];
	if (question->kind == REACH_QUESTION_NONE)
		return 0;
	if (question->kind == REACH_QUESTION_NEED)
		return reach_needs_take(engine, question, message);
	if (question->kind >= REACH_QUESTION_LINKS) {
		engine->losses = 0;
		return reach_dump_take(engine, question->kind, message);
	}
	if (question->kind != REACH_QUESTION_BARRIER &&
	    !(question->missing & 1U << use))
		return 0;
	engine->losses = 0;
	return take(engine, question, use, message);
}

static void give_up(struct reach_engine *engine,
		    struct reach_question *question)
{
	const struct reach_message refused = {
		.kind = REACH_MESSAGE_ERROR,
		.u.error.error = EIO,
	};
	unsigned int use;

	if (question->kind >= REACH_QUESTION_RULES)
		reach_assume_end(engine, question->kind, false);
	if (question->kind != REACH_QUESTION_LOOKUP &&
	    question->kind != REACH_QUESTION_SOURCE)
		return;
	for (use = 0; use < REACH_REPLIES; use++)
		if (question->missing & 1U << use)
			(void)take(engine, question, use, &refused);
}

static void ask_again(struct reach_engine *engine,
		      const struct reach_question *question)
{
	switch (question->kind) {
	case REACH_QUESTION_NONE:
		return;
	case REACH_QUESTION_BARRIER:
		engine->barrier = true;
		return;
	case REACH_QUESTION_LOOKUP:
		if (!reach_question_is_current(engine, question))
			return;
		reach_entry_at(&engine->entries, question->subject)
			->outstanding = 0;
		reach_mark(engine, question->subject);
		return;
	case REACH_QUESTION_SOURCE:
		if (!reach_question_is_current(engine, question))
			return;
		reach_path_at(engine, question->subject)->wanted = false;
		reach_mark_path(engine, question->subject);
		return;
	default:
		reach_dump_want(engine, question->kind);
		return;
	}
}

void reach_questions_lost(struct reach_engine *engine)
{
	const bool enough = ++engine->losses >= REACH_PATIENCE;
	size_t i;

	for (i = 0; i < engine->question_count; i++) {
		if (enough)
			give_up(engine, &engine->questions[i]);
		else
			ask_again(engine, &engine->questions[i]);
	}
	engine->sequence += 2 * (uint32_t)engine->question_count;
	engine->question_count = 0;
	engine->outstanding = 0;
	if (!enough)
		return;
	engine->losses = 0;
	reach_engine_retry_later(engine);
}
