/* SPDX-License-Identifier: MIT */
/* Marked targets to requests, and answers to lookups. */
#include "core.h"

#include <errno.h>
#include <sys/socket.h>

#include <linux/rtnetlink.h>

/* A route is looked up again this long after it should be over: the kernel
 * counts in jiffies, up to 10 ms each. In nanoseconds. */
#define EXPIRY_SLACK INT64_C(20000000)

#define MILLISECOND INT64_C(1000000)

static struct reach_question *ask(struct reach_engine *engine, uint8_t kind)
{
	struct reach_question *question =
		&engine->questions[engine->question_count++];

	*question = (struct reach_question){ .kind = kind };
	return question;
}

static uint32_t next_sequence(const struct reach_engine *engine)
{
	return engine->sequence + (uint32_t)engine->question_count;
}

static size_t write_dump(struct reach_engine *engine, void *buffer,
			 uint8_t kind)
{
	const size_t size = reach_request_dump(
		buffer,
		kind == REACH_QUESTION_LINKS ? RTM_GETLINK : RTM_GETADDR,
		next_sequence(engine));

	reach_dump_begin(engine, kind);
	ask(engine, kind);
	return size;
}

/* IPv6 tells a route's expiry only when it is asked for the route itself,
 * and an interface-bound IPv4 lookup invents an on-link route where there is
 * none (net/ipv4/route.c, ip_route_output_key_hash_rcu). */
static bool wants_match(const struct reach_lookup *lookup, uint32_t scope)
{
	return scope || lookup->destination.family == AF_INET6;
}

static size_t write_question(struct reach_engine *engine, uint8_t *buffer,
			     struct reach_entry *entry, uint32_t lookup,
			     uint32_t scope, bool match)
{
	const uint32_t sequence = next_sequence(engine);
	struct reach_question *question = ask(
		engine, match ? REACH_QUESTION_MATCH : REACH_QUESTION_PLAIN);

	question->id = entry->id;
	question->epoch = entry->epoch;
	question->lookup = lookup;
	entry->outstanding++;
	engine->stats.lookups++;
	return reach_request_route(buffer, sequence, &entry->target,
				   &entry->lookups[lookup].destination, scope,
				   match);
}

static size_t write_entry(struct reach_engine *engine, uint8_t *buffer,
			  struct reach_entry *entry)
{
	uint32_t scope = 0, i;
	size_t used = 0;

	entry->outstanding = 0;
	if (reach_verdict_scope(engine, &entry->target, &scope)) {
		for (i = 0; i < entry->lookup_count; i++) {
			struct reach_lookup *lookup = &entry->lookups[i];

			lookup->match_error = 0;
			lookup->deadline = INT64_MAX;
			used += write_question(engine, buffer + used, entry, i,
					       scope, false);
			if (wants_match(lookup, scope))
				used += write_question(engine, buffer + used,
						       entry, i, scope, true);
		}
	}
	if (!entry->outstanding)
		reach_evaluate(engine, entry);
	return used;
}

static size_t write_batch(struct reach_engine *engine, uint8_t *buffer)
{
	size_t used = 0;

	reach_mark_flush(engine);
	if (reach_list_empty(&engine->dirty))
		return 0;
	if (engine->barrier) {
		used = reach_request_barrier(buffer, next_sequence(engine));
		ask(engine, REACH_QUESTION_BARRIER);
		engine->barrier = false;
		engine->stats.barriers++;
	}
	while (!reach_list_empty(&engine->dirty)) {
		struct reach_entry *entry =
			REACH_CONTAINER(engine->dirty.next, dirty);

		if (engine->question_count + 2 * (size_t)entry->lookup_count >
		    REACH_BATCH)
			break;
		reach_list_remove(&entry->dirty);
		used += write_entry(engine, buffer + used, entry);
	}
	return used;
}

size_t reach_questions_write(struct reach_engine *engine, void *buffer,
			     size_t size)
{
	size_t used;

	_Static_assert((size_t)REACH_BATCH * REACH_REQUEST_MAX <=
			       REACH_REQUESTS_SIZE,
		       "a batch fits the buffer");
	if (engine->outstanding || size < REACH_REQUESTS_SIZE)
		return 0;
	engine->sequence += (uint32_t)engine->question_count;
	engine->question_count = 0;
	if (engine->want_links) {
		engine->want_links = false;
		used = write_dump(engine, buffer, REACH_QUESTION_LINKS);
	} else if (engine->want_addresses) {
		engine->want_addresses = false;
		used = write_dump(engine, buffer, REACH_QUESTION_ADDRESSES);
	} else {
		used = write_batch(engine, buffer);
	}
	engine->outstanding = engine->question_count;
	return used;
}

static void take_plain(struct reach_lookup *lookup,
		       const struct reach_message *message)
{
	const struct reach_route_message *route = &message->u.route;

	memset(&lookup->gateway, 0, sizeof(lookup->gateway));
	memset(&lookup->source, 0, sizeof(lookup->source));
	lookup->output = 0;
	lookup->type = RTN_UNSPEC;
	lookup->error = EPROTO;
	if (message->kind == REACH_MESSAGE_ERROR && message->u.error.error)
		lookup->error = (uint16_t)message->u.error.error;
	if (message->kind != REACH_MESSAGE_ROUTE)
		return;
	lookup->error = 0;
	lookup->type = route->type;
	lookup->output = route->output;
	lookup->gateway = route->gateway;
	lookup->source = route->preferred_source;
}

/* When to ask again. The kernel tells what is left in ticks of 10 ms, and in
 * the last of them what it tells of routes that never expire, 0: one that has
 * been expiring is looked at once more after that. A route that is over
 * already waits for the kernel's collector, which reports what it removes; a
 * second keeps us from spinning. */
static int64_t expiry(const struct reach_engine *engine,
		      const struct reach_lookup *lookup,
		      const struct reach_route_message *route)
{
	if (route->present & REACH_ROUTE_EXPIRES)
		return engine->now + EXPIRY_SLACK +
		       (route->expires > 0 ? route->expires : 1000) *
			       MILLISECOND;
	return lookup->expiring ? engine->now + EXPIRY_SLACK : INT64_MAX;
}

static void take_match(struct reach_engine *engine, struct reach_lookup *lookup,
		       const struct reach_message *message)
{
	const struct reach_route_message *route = &message->u.route;

	lookup->match_error = EPROTO;
	if (message->kind == REACH_MESSAGE_ERROR && message->u.error.error)
		lookup->match_error = (uint16_t)message->u.error.error;
	if (message->kind != REACH_MESSAGE_ROUTE)
		return;
	lookup->match_error = 0;
	lookup->deadline = expiry(engine, lookup, route);
	lookup->expiring = route->present & REACH_ROUTE_EXPIRES;
}

static void take_lookup(struct reach_engine *engine,
			const struct reach_question *question,
			const struct reach_message *message)
{
	struct reach_entry *entry = reach_targets_find(engine, question->id);

	/* Removed, or resolved anew, while the question was on its way. */
	if (!entry || entry->epoch != question->epoch)
		return;
	if (question->kind == REACH_QUESTION_PLAIN)
		take_plain(&entry->lookups[question->lookup], message);
	else
		take_match(engine, &entry->lookups[question->lookup], message);
	if (--entry->outstanding == 0)
		reach_evaluate(engine, entry);
}

int reach_questions_answer(struct reach_engine *engine,
			   const struct reach_message *message)
{
	const uint32_t at = message->sequence - engine->sequence;
	struct reach_question question;

	if (at >= engine->question_count || !engine->outstanding)
		return 0;
	question = engine->questions[at];
	if (question.kind == REACH_QUESTION_NONE)
		return 0;
	engine->losses = 0;
	if (question.kind == REACH_QUESTION_LINKS ||
	    question.kind == REACH_QUESTION_ADDRESSES)
		return reach_dump_take(engine, question.kind, message);
	engine->questions[at].kind = REACH_QUESTION_NONE;
	engine->outstanding--;
	if (question.kind != REACH_QUESTION_BARRIER)
		take_lookup(engine, &question, message);
	return 0;
}

static void give_up(struct reach_engine *engine,
		    const struct reach_question *question)
{
	const struct reach_message refused = {
		.kind = REACH_MESSAGE_ERROR,
		.u.error.error = EIO,
	};

	if (question->kind == REACH_QUESTION_PLAIN ||
	    question->kind == REACH_QUESTION_MATCH)
		take_lookup(engine, question, &refused);
}

static void ask_again(struct reach_engine *engine,
		      const struct reach_question *question)
{
	struct reach_entry *entry;

	switch (question->kind) {
	case REACH_QUESTION_BARRIER:
		engine->barrier = true;
		break;
	case REACH_QUESTION_LINKS:
		engine->want_links = true;
		break;
	case REACH_QUESTION_ADDRESSES:
		engine->want_addresses = true;
		break;
	case REACH_QUESTION_PLAIN:
	case REACH_QUESTION_MATCH:
		entry = reach_targets_find(engine, question->id);
		if (entry)
			reach_mark(engine, entry);
		break;
	default:
		break;
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
	engine->sequence += (uint32_t)engine->question_count;
	engine->question_count = 0;
	engine->outstanding = 0;
	if (enough)
		engine->losses = 0;
}
