/* SPDX-License-Identifier: MIT */
/*
 * Matches the kernel's answers with the requests of the outstanding batch, by
 * sequence number. A destination that has all its answers gets its path, with
 * its group if it is the witness.
 */
#include "engine/query/query.h"

#include <errno.h>
#include <sys/socket.h>

#include <linux/rtnetlink.h>

#include "engine/invalidate/invalidate.h"
#include "engine/verdict/verdict.h"

/* Devices that a packet passes before it is lost (XMIT_RECURSION_LIMIT,
 * linux/netdevice.h). */
#define VRFS_MAX 8

/* Takes @key, the answer about @number. An answer to a destination that was marked
 * since is dropped. @return 0 or -ENOMEM. */
static int conclude(struct reach_engine *engine, uint32_t number,
		    const struct reach_path_key *key)
{
	struct reach_destination *destination =
		reach_destination_of(engine, number);
	int err;

	destination->bits &= (uint8_t)~REACH_DESTINATION_ASKED;
	if (destination->bits & REACH_DESTINATION_STALE)
		return 0;
	err = reach_path_answered(engine, number, key);
	if (err)
		reach_mark(engine, number);
	return err;
}

/* A route to the device of a VRF leaks packets into it. The device looks up again
 * through itself, with the packet's source (vrf_process_v4_outbound(),
 * drivers/net/vrf.c). Hosts that share a service among VRFs have such routes.
 * @return whether that lookup is due for the answer @key about @number. */
static bool leaks(struct reach_engine *engine, uint32_t number,
		  const struct reach_path_key *key)
{
	const struct reach_request request = { .subject = number };
	const struct reach_selectors *selectors;
	const struct reach_address *source;
	const struct reach_link *link;
	struct reach_second_lookup *second;

	if (key->error || key->type != RTN_UNICAST ||
	    key->bits & REACH_PATH_MULTICAST)
		return false;
	link = reach_links_find(&engine->links, key->output);
	if (!link || !reach_link_is_vrf(link))
		return false;
	selectors = reach_selectors_at(engine, key->selectors);
	source = selectors->key.local.family ? &selectors->key.local
					     : &key->source;
	if (!source->family || selectors->bound == key->output)
		return false;
	second = reach_second_lookups_add(engine, &request);
	second->state = REACH_SECOND_HAS_SOURCE;
	second->whatever_the_policy = true;
	second->source = *source;
	second->vrf = key->output;
	return true;
}

/* As conclude(), once the VRF that @key leads to has looked up. */
static int conclude_sent(struct reach_engine *engine, uint32_t number,
			 const struct reach_path_key *key)
{
	return leaks(engine, number, key) ? 0 : conclude(engine, number, key);
}

static struct reach_path_key key_of(const struct reach_engine *engine,
				    const struct reach_request *request)
{
	return reach_reply_key(engine,
			       reach_destination_of(engine, request->subject),
			       &request->replies[REACH_REPLY_PLAIN],
			       &request->replies[REACH_REPLY_MATCH]);
}

/* A destination has both answers. @return 0 or -ENOMEM. */
static int take_lookup(struct reach_engine *engine,
		       const struct reach_request *request)
{
	const struct reach_reply *plain = &request->replies[REACH_REPLY_PLAIN];
	const struct reach_path_key key = key_of(engine, request);
	struct reach_path_key first = key;

	/* For an IPv4 socket bound to an interface, each destination without a
	 * route is on the link. So the socket has a source, and a route by that
	 * source may exist. */
	if (key.family == AF_INET && key.error)
		first.source = plain->source;
	if (reach_change_over_is_due(engine, request, &key))
		reach_second_lookups_add(engine, request)->state =
			REACH_SECOND_OTHER_LINKS;
	else if (!reach_second_lookup_is_needed(engine, &first))
		return conclude_sent(engine, request->subject, &key);
	else
		reach_second_lookup_begin(
			engine, reach_second_lookups_add(engine, request),
			&first);
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
		reach_links_set_left(
			&engine->links,
			second->first.replies[REACH_REPLY_PLAIN].output,
			key.family, true);
	second->state = REACH_SECOND_SENT;
	(void)conclude_sent(engine, second->first.subject, &key);
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
	(void)conclude_sent(engine, second->first.subject, &key);
}

/* The VRF of a leak has answered. It may leak into another one, which looks up as
 * well. If it leads to itself, the packet comes back to the host
 * (vrf_local_xmit(), drivers/net/vrf.c), and in a circle it is lost. @return 0 or
 * -ENOMEM. */
static int take_leak(struct reach_engine *engine,
		     const struct reach_request *request,
		     struct reach_path_key *key)
{
	struct reach_second_lookup *second =
		&engine->second_lookups.items[request->position];
	const struct reach_link *link =
		reach_links_find(&engine->links, key->output);

	if (!key->error && key->type == RTN_UNICAST && link &&
	    reach_link_is_vrf(link)) {
		if (key->output != second->vrf &&
		    ++second->vrf_count < VRFS_MAX) {
			second->vrf = key->output;
			second->state = REACH_SECOND_HAS_SOURCE;
			return 0;
		}
		key->error = ENETUNREACH;
	}
	key->bits |= REACH_PATH_INDIRECT;
	return conclude(engine, request->subject, key);
}

/* The answers to a second lookup are complete. @return 0 or -ENOMEM. */
static int take_second(struct reach_engine *engine,
		       const struct reach_request *request)
{
	struct reach_path_key key = key_of(engine, request);
	const struct reach_second_lookup *second =
		&engine->second_lookups.items[request->position];

	/* If only the legs depend on the source, the match is the same. */
	if (second->by_legs && reach_policy_ignore_source(engine, AF_INET))
		reach_reply_set_source(&key, &second->source);
	else
		reach_reply_second_key(engine, &key, second);
	if (second->vrf)
		return take_leak(engine, request, &key);
	reach_change_over_from(engine, second, request, &key);
	return conclude_sent(engine, request->subject, &key);
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
	if (request->missing)
		return 0;
	request->kind = REACH_REQUEST_NONE;
	/* Its last user was removed meanwhile. */
	if (!reach_request_is_current(request))
		return 0;
	if (kind == REACH_REQUEST_LOOKUP)
		return take_lookup(engine, request);
	if (kind == REACH_REQUEST_SECOND)
		return take_second(engine, request);
	reach_change_over_take(engine, request);
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

	if (request->kind >= REACH_REQUEST_POLICY)
		reach_policy_dump_end(engine, request->kind, false);
	if (!reach_request_is_lookup(request->kind))
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
		engine->dirty.barrier = true;
		return;
	case REACH_REQUEST_LOOKUP:
	case REACH_REQUEST_SECOND:
	case REACH_REQUEST_OTHER_LINK:
		if (!reach_request_is_current(request))
			return;
		reach_destination_of(engine, request->subject)->bits &=
			(uint8_t)~REACH_DESTINATION_ASKED;
		reach_mark(engine, request->subject);
		return;
	default:
		engine->known[request->kind] = REACH_WANTED;
		return;
	}
}

/* After REACH_PATIENCE losses in a row, missing answers count as errors (EIO). */
void reach_engine_answers_lost(struct reach_engine *engine)
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
