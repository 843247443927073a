/* SPDX-License-Identifier: MIT */
#include "engine/state/state.h"

#include <errno.h>
#include <search.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/rtnetlink.h>

/* Pause before everything is looked up again, in nanoseconds. Bounds the load
 * while memory is short or the socket drops answers. */
#define RETRY_DELAY REACH_SECOND

bool reach_aggregate_has_probes(const struct reach_aggregate *aggregate)
{
	return aggregate->target.kind == REACH_TARGET_INTERNET ||
	       aggregate->resolution == REACH_RESOLUTION_PENDING;
}

void reach_mark_aggregate(struct reach_engine *engine,
			  struct reach_aggregate *aggregate)
{
	if (aggregate->is_marked)
		return;
	aggregate->is_marked = true;
	insque(aggregate, &engine->dirty.marked);
}

void reach_unmark_aggregate(struct reach_aggregate *aggregate)
{
	if (aggregate->is_marked)
		remque(aggregate);
	aggregate->is_marked = false;
}

bool reach_mark_for(struct reach_engine *engine, uint32_t number, uint32_t use)
{
	const struct reach_entry *entry =
		reach_entry_at(&engine->entries, reach_use_entry(use));

	if (entry->kind == REACH_ENTRY_AGGREGATE &&
	    reach_aggregate_has_probes(entry->aggregate)) {
		reach_mark_aggregate(engine, entry->aggregate);
		return false;
	}
	reach_list_put(&engine->destinations.table, number);
	return true;
}

void reach_mark(struct reach_engine *engine, uint32_t number)
{
	struct reach_destination *destination =
		reach_destination_of(engine, number);
	uint32_t use = destination->users;

	if (destination->bits & REACH_DESTINATION_STALE)
		return;
	destination->bits |= REACH_DESTINATION_STALE;
	/* Its group waits for its answer, even if no user needs it. */
	if (destination->path &&
	    reach_path_at(engine, destination->path)->waits &&
	    reach_path_at(engine, destination->path)->witness == number)
		reach_list_put(&engine->destinations.table, number);
	while (use && !reach_mark_for(engine, number, use))
		use = reach_use_at(&engine->entries, use)->next;
}

void reach_mark_group(struct reach_engine *engine, uint32_t path)
{
	struct reach_path *group = reach_path_at(engine, path);

	/* The lookup of a witness is due already. */
	if (group->waits && group->witness &&
	    reach_destination_of(engine, group->witness)->bits &
		    REACH_DESTINATION_STALE)
		return;
	group->witness = 0;
	group->waits = true;
	engine->dirty.groups++;
}

void reach_recompute_later(struct reach_engine *engine)
{
	engine->dirty.recompute = true;
	engine->stats.interface_changes++;
}

void reach_retry_later(struct reach_engine *engine)
{
	engine->clock.retry = reach_after(engine->clock.now, RETRY_DELAY);
}

/* ---- batch ------------------------------------------------------------- */

uint32_t reach_batch_add(struct reach_engine *engine, uint8_t kind,
			 uint32_t subject)
{
	struct reach_batch *batch = &engine->batch;
	const bool is_lookup = reach_request_is_lookup(kind);
	struct reach_request *request = &batch->requests[batch->count];

	request->kind = kind;
	request->subject = subject;
	request->missing = is_lookup ? (1 << REACH_REPLIES) - 1 : 0;
	batch->outstanding += is_lookup ? REACH_REPLIES : 1;
	return batch->sequence + REACH_REPLIES * (uint32_t)batch->count++;
}

void reach_requests_cancel(struct reach_engine *engine, uint32_t number)
{
	size_t i;

	for (i = 0; i < engine->batch.count; i++) {
		struct reach_request *request = &engine->batch.requests[i];

		if (request->subject == number &&
		    reach_request_is_lookup(request->kind))
			request->subject = 0;
	}
	for (i = 0; i < engine->second_lookups.count; i++)
		if (engine->second_lookups.items[i].first.subject == number)
			engine->second_lookups.items[i].first.subject = 0;
}

void reach_batch_begin(struct reach_engine *engine)
{
	/* Late answers to the old batch are outside of the new range. */
	engine->batch.sequence += REACH_REPLIES * (uint32_t)engine->batch.count;
	engine->batch.count = 0;
	engine->batch.outstanding = 0;
}

/* ---- errors ------------------------------------------------------------ */

/* Members of an answer to RTM_GETROUTE: its errno, its prefix. */

/* Error of an answer that is a route of @type, 0 for a type that forwards, as
 * in fib_props (net/ipv4/fib_semantics.c). RTN_THROW: the lookup continues in
 * the next table, and this answer means that there was none. */
static int error_of_type(uint8_t type)
{
	switch (type) {
	case RTN_UNREACHABLE:
		return EHOSTUNREACH;
	case RTN_PROHIBIT:
		return EACCES;
	case RTN_BLACKHOLE:
		return EINVAL;
	case RTN_THROW:
		return ENETUNREACH;
	default:
		return 0;
	}
}

int reach_path_error(const struct reach_path_key *key)
{
	return key->error ? key->error : error_of_type(key->type);
}

bool reach_error_is_of_route(uint16_t error)
{
	return error == ENETUNREACH || error == EHOSTUNREACH ||
	       error == EACCES || error == EINVAL;
}

void reach_path_key_set_prefix(struct reach_path_key *key, const uint8_t *bytes,
			       uint8_t length)
{
	reach_prefix_cut(key->prefix, bytes, length);
	key->extent = length;
}

void reach_path_key_end_group(struct reach_path_key *key)
{
	if (!(key->bits & REACH_PATH_GROUP))
		return;
	key->bits &= (uint8_t)~REACH_PATH_GROUP;
	reach_path_key_set_prefix(key, key->prefix, 0);
}

/* ---- confirmation ------------------------------------------------------ */

/*
 * When the confirming lookup is due, and its corrections.
 *
 * The kernel announces the removal of a route, and a change of a link or an
 * address, before it carries it out. A lookup sent after the event was received
 * may therefore still return the old route. A barrier, a request that waits for
 * RTNL (query/requests.c), makes the lookups wait as well. But each kernel
 * release answers more requests without RTNL (RTNL_FLAG_DOIT_UNLOCKED,
 * net/core/rtnetlink.c), so today's barrier may not be one in a later kernel.
 *
 * Answers to lookups sent within DELAY of such an event are therefore
 * unconfirmed, and all destinations with their paths are looked up once more when
 * DELAY is over (invalidate/marks.c).
 * If the barrier works, nothing changes. A change without another cause is
 * counted in reach_stats.corrections.
 */

/* Nanoseconds from an announcement to its confirming lookup. Bounds how long
 * the kernel may hold RTNL for one change. A link with 30,000 routes that goes
 * down holds it for up to 64 ms. 1,200,000 routes take 1.2 s, but lookups
 * return the new answer early in that time (fib_sync_down_dev precedes
 * fib_flush, net/ipv4/fib_frontend.c). */
#define DELAY INT64_C(500000000)

/* Nanoseconds from the first announcement to the confirming lookup while events
 * never pause for DELAY. */
#define DELAY_MAX INT64_C(2000000000)

void reach_confirmation_announce(struct reach_engine *engine)
{
	engine->dirty.barrier = true;
	engine->confirmation.announced = true;
}

void reach_confirmation_prepare(struct reach_engine *engine, bool asks)
{
	struct reach_confirmation *confirmation = &engine->confirmation;

	/* The clock was set after the events were received, so `now` is no
	 * earlier than any of them. */
	if (confirmation->announced)
		confirmation->until = reach_after(engine->clock.now, DELAY);
	confirmation->announced = false;
	/* Nothing left to look up: the confirming lookup is complete. */
	if (!asks) {
		confirmation->looking = false;
		return;
	}
	if (engine->clock.now >= confirmation->until)
		return;
	if (confirmation->look == INT64_MAX)
		confirmation->latest =
			reach_after(engine->clock.now, DELAY_MAX);
	confirmation->look = confirmation->until < confirmation->latest
				     ? confirmation->until
				     : confirmation->latest;
}

void reach_confirmation_disregard(struct reach_engine *engine)
{
	engine->confirmation.looking = false;
	engine->confirmation.corrections = 0;
}

/* Whether the two answers are different routes. One route may have two keys: a
 * match answer (REACH_PATH_GROUP) and a plain one have different gateways and
 * sources, and the deadline moves with each answer. */
static bool is_other_route(const struct reach_path_key *a,
			   const struct reach_path_key *b)
{
	if (a->error != b->error || a->type != b->type ||
	    a->output != b->output)
		return true;
	if (a->bits != b->bits)
		return false;
	return a->gateway.family != b->gateway.family ||
	       memcmp(&a->source, &b->source, sizeof(a->source)) != 0;
}

void reach_confirmation_answered(struct reach_engine *engine,
				 const struct reach_path_key *before,
				 const struct reach_path_key *after,
				 uint32_t count)
{
	/* A route expires and revives without an event. */
	if (engine->confirmation.looking &&
	    !(before->bits & REACH_PATH_EXPIRING) && !before->rechecks &&
	    is_other_route(before, after))
		engine->confirmation.corrections += count;
}

/* ---- selectors --------------------------------------------------------- */

static bool names_interface(const struct reach_selector_key *key)
{
	return key->interface_index || key->interface_name[0];
}

bool reach_selectors_are_bound(const struct reach_selectors *selectors)
{
	return names_interface(&selectors->key) &&
	       !(selectors->is_vrf && selectors->key.is_group);
}

/* Whether connect() fails with EINVAL because no interface is named
 * (__ip6_datagram_connect, net/ipv6/datagram.c). */
static bool lacks_scope_id(const struct reach_selector_key *key,
			   const struct reach_address *destination)
{
	return reach_address_needs_scope_id(destination) && !key->scope_id &&
	       !names_interface(key) && !key->local.scope_id;
}

/* Sets `bound`, `missing`, and `is_vrf` from the table of links. @return
 * whether any of them changed. */
static bool resolve(struct reach_engine *engine,
		    struct reach_selectors *selectors)
{
	const struct reach_selector_key *key = &selectors->key;
	const struct reach_link *link;
	uint32_t bound;
	bool is_vrf;

	if (!names_interface(key))
		return false;
	link = key->interface_index
		       ? reach_links_find(&engine->links, key->interface_index)
		       : reach_links_find_name(&engine->links,
					       key->interface_name);
	is_vrf = link && reach_link_is_vrf(link);
	bound = link && !(is_vrf && key->is_group) ? link->index : 0;
	if (selectors->bound == bound && selectors->missing == !link &&
	    selectors->is_vrf == is_vrf)
		return false;
	selectors->bound = bound;
	selectors->missing = !link;
	selectors->is_vrf = is_vrf;
	return true;
}

uint32_t reach_selectors_hold(struct reach_engine *engine,
			      const struct reach_target *target,
			      const struct reach_address *destination)
{
	struct reach_selector_key key = {
		.interface_index = target->interface_index,
		.mark = target->mark,
		.uid = target->uid,
		.scope_id = destination->scope_id,
		.is_group = destination->family == AF_INET &&
			    reach_address_is_group(destination->bytes),
	};
	uint32_t number;
	bool created;

	/* Zeroed after the name: keys are compared as bytes. */
	memcpy(key.interface_name, target->interface_name,
	       strnlen(target->interface_name, sizeof(key.interface_name)));
	if (target->kind == REACH_TARGET_ADDRESS_PAIR) {
		key.local = target->local;
		/* A source of the other family is no RTA_SRC for this
		 * destination. */
		key.with_source = target->remote.family &&
				  target->local.family == destination->family;
	}
	key.lacks_scope_id = lacks_scope_id(&key, destination);
	number = reach_pool_hold(&engine->selectors, &key, &created);
	if (number && created) {
		struct reach_selectors *selectors =
			reach_selectors_at(engine, number);

		selectors->missing = key.lacks_scope_id;
		resolve(engine, selectors);
	}
	return number;
}

void reach_selectors_resolve(struct reach_engine *engine)
{
	uint32_t i;

	for (i = 0; (i = reach_pool_next(&engine->selectors, i));)
		reach_selectors_at(engine, i)->moved |=
			resolve(engine, reach_selectors_at(engine, i));
}
