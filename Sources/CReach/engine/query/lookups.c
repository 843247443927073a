/* SPDX-License-Identifier: MIT */
/*
 * Turns dirty entries into a batch of requests. First come second lookups for
 * the answers of the last batch, then dumps, one per batch. A batch after these
 * has the barrier (if an event needs one), sources of paths, and
 * lookups of dirty entries. The kernel answers a batch in this order, so it
 * answers the barrier before the first lookup.
 */
#include "engine/query/query.h"

#include <sys/socket.h>

#include "engine/invalidate/invalidate.h"
#include "engine/state/state.h"
#include "engine/store/store.h"
#include "engine/verdict/verdict.h"

/* Up to SHORT dirty entries make a short batch. It looks up the source of an
 * IPv4 path together with the path, even if the source is known. Longer batches
 * leave unknown sources to the next one, with one lookup per path. */
#define SHORT 4

/* With up to FEW addresses, a batch is sent after the first event: a further
 * receive costs as much as a lookup and rarely finds anything. With more, it
 * can save more lookups than it costs. */
#define FEW 16

static size_t write_dump(struct reach_engine *engine, void *buffer,
			 uint8_t kind)
{
	const uint32_t sequence =
		reach_batch_sequence(engine, REACH_REPLY_MATCH);

	reach_dump_begin(engine, kind);
	reach_batch_ask(engine, kind);
	return reach_request_dump(buffer, kind, sequence);
}

/* 0.0.0.0/8, 127.0.0.0/8, multicast, and above have rules of their own. */
static bool is_special(const struct reach_entry *entry)
{
	return entry->bytes[0] == 0 || entry->bytes[0] == 127 ||
	       entry->bytes[0] >= 224;
}

/*
 * Whether the match (RTM_F_FIB_MATCH) alone gives the path of @entry.
 *
 * For IPv4 the match has everything but the source, which is the same for the
 * whole path (fib_result_prefsrc, net/ipv4/fib_semantics.c).
 *
 * IPv6 entries need both lookups. Only the match has the expiry. The source
 * depends on the destination (ip6_route_get_saddr, include/net/ip6_route.h) and
 * on settings, address labels and redirects, which the kernel doesn't announce.
 * With an interface, IPv4's plain lookup invents an on-link route where there
 * is none (ip_route_output_key_hash_rcu, net/ipv4/route.c), so both are needed
 * there, too. A second lookup (state/state.h) needs the source, and the passes
 * of a one-shot engine compare it.
 */
static bool match_suffices(const struct reach_engine *engine,
			   const struct reach_entry *entry,
			   const struct reach_selectors *selectors)
{
	return entry->family == AF_INET && !engine->oneshot &&
	       reach_rules_ignore_source(engine, AF_INET) &&
	       !(entry->bits & REACH_BIT_PLAIN) &&
	       !reach_selectors_are_scoped(selectors) &&
	       !selectors->key.local.family && !is_special(entry);
}

/* The lookups to send, as bits 1 << enum reach_reply_use. Only the match has the
 * prefix, the expiry, and the legs of the route. */
static uint8_t replies_needed(const struct reach_engine *engine, bool by_path)
{
	const uint8_t match = 1 << REACH_REPLY_MATCH;
	const uint8_t plain = 1 << REACH_REPLY_PLAIN;

	return by_path && !engine->batch.with_plain ? match : match | plain;
}

/* Whether at most SHORT entries are dirty. Then a lookup of a source that may
 * be known already costs less than another round trip. */
static bool is_short(const struct reach_entries *entries)
{
	uint32_t number = REACH_LIST_DIRTY;
	int i;

	for (i = 0; i <= SHORT; i++) {
		number = reach_list_next(entries, number, REACH_HOOK_DIRTY);
		if (number == REACH_LIST_DIRTY)
			return true;
	}
	return false;
}

bool reach_engine_asks_little(const struct reach_engine *engine)
{
	if (engine->entries.destinations <= FEW)
		return true;
	return !engine->dirty.all && !engine->dirty.inet &&
	       !engine->dirty.inet6 && !engine->dirty.recompute &&
	       is_short(&engine->entries);
}

/* Without the interface of the selectors, no lookup is needed. */
static void attach_no_interface(struct reach_engine *engine, uint32_t number)
{
	const struct reach_entry *entry =
		reach_entry_at(&engine->entries, number);
	const struct reach_path_key key = {
		.deadline = INT64_MAX,
		.selectors = entry->selectors,
		.family = entry->family,
		.length = REACH_LENGTH_UNKNOWN,
		.bits = REACH_PATH_NO_INTERFACE,
	};

	if (reach_path_attach(engine, number, &key) == 0)
		return;
	reach_path_detach(engine, number);
	reach_retry_later(engine);
}

/* Writes one or both lookups of an address target or a part. */
static size_t write_lookup(struct reach_engine *engine, uint8_t *buffer,
			   uint32_t number)
{
	struct reach_entry *entry = reach_entry_at(&engine->entries, number);
	const struct reach_selectors *selectors =
		reach_selectors_at(engine, entry->selectors);
	const uint32_t match = reach_batch_sequence(engine, REACH_REPLY_MATCH);
	const uint32_t plain = reach_batch_sequence(engine, REACH_REPLY_PLAIN);
	struct reach_request *request;
	size_t used = 0;

	entry->bits &= (uint16_t)~REACH_BIT_DIRTY;
	if (selectors->missing) {
		reach_equivalence_dissolve(engine, number);
		attach_no_interface(engine, number);
		return 0;
	}
	request = reach_batch_ask(engine, REACH_REQUEST_LOOKUP);
	request->subject = number;
	request->serial = entry->generation;
	request->by_path = match_suffices(engine, entry, selectors);
	request->missing = replies_needed(engine, request->by_path);
	request->replies[REACH_REPLY_MATCH].asked = false;
	request->replies[REACH_REPLY_PLAIN].asked = false;
	if (request->missing & 1 << REACH_REPLY_MATCH)
		used = reach_request_route(buffer, match, selectors, entry,
					   NULL, true);
	if (request->missing & 1 << REACH_REPLY_PLAIN)
		used += reach_request_route(buffer + used, plain, selectors,
					    entry, NULL, false);
	/* reach_batch_ask() counted one. */
	if (request->missing == 3)
		engine->batch.outstanding++;
	engine->stats.lookups += request->missing == 3 ? 2 : 1;
	entry->outstanding = 1;
	if (entry->bits & REACH_BIT_DUPLICATE)
		reach_duplicates_join(engine, number);
	return used;
}

/* Writes the lookups of an entry from the dirty list: its own, or those of its
 * marked, deciding parts. Without any, evaluates it at once. */
static size_t write_entry(struct reach_engine *engine, uint8_t *buffer,
			  uint32_t number)
{
	struct reach_entry *entry = reach_entry_at(&engine->entries, number);
	const struct reach_aggregate *aggregate = entry->aggregate;
	uint32_t needs;
	size_t used = 0, i;

	if (entry->kind == REACH_ENTRY_ADDRESS) {
		used = write_lookup(engine, buffer, number);
	} else {
		entry->outstanding = 0;
		needs = reach_parts_needed(engine, aggregate);
		for (i = 0; i < aggregate->part_count; i++) {
			const struct reach_entry *part = reach_entry_at(
				&engine->entries, aggregate->parts[i]);

			if (part->bits & REACH_BIT_DIRTY &&
			    needs & UINT32_C(1) << i)
				used += write_lookup(engine, buffer + used,
						     aggregate->parts[i]);
			entry->outstanding += part->outstanding;
		}
	}
	if (!entry->outstanding)
		reach_evaluate(engine, number);
	return used;
}

/* Looks up the source of path @number, with a plain lookup of any entry on
 * it. */
static size_t write_source(struct reach_engine *engine, uint8_t *buffer,
			   uint32_t number)
{
	struct reach_path *path = reach_path_at(engine, number);
	const uint32_t sequence =
		reach_batch_sequence(engine, REACH_REPLY_PLAIN);
	const struct reach_entry *entry =
		reach_entry_at(&engine->entries, path->source_entry);
	struct reach_request *request;

	if (entry->kind == REACH_ENTRY_FREE || entry->path != number) {
		path->source_entry = path->first;
		entry = reach_entry_at(&engine->entries, path->first);
	}
	request = reach_batch_ask(engine, REACH_REQUEST_SOURCE);
	request->subject = number;
	request->serial = path->record.serial;
	request->source_generation = path->source_generation;
	request->missing = 1 << REACH_REPLY_PLAIN;
	engine->stats.lookups++;
	return reach_request_route(buffer, sequence,
				   reach_selectors_at(engine, entry->selectors),
				   entry, NULL, false);
}

/* Requests that write_entry() writes at most. */
static size_t requests_max(const struct reach_entry *entry)
{
	return entry->kind == REACH_ENTRY_AGGREGATE
		       ? 2 * (size_t)entry->aggregate->part_count
		       : 2;
}

static size_t write_barrier(struct reach_engine *engine, uint8_t *buffer)
{
	const uint32_t sequence =
		reach_batch_sequence(engine, REACH_REPLY_MATCH);

	engine->dirty.barrier = false;
	engine->stats.barriers++;
	reach_batch_ask(engine, REACH_REQUEST_BARRIER);
	return reach_request_barrier(buffer, sequence);
}

/* Requests that precede those of entries. */
static size_t write_prelude(struct reach_engine *engine, uint8_t *buffer)
{
	size_t used = 0;

	if (engine->dirty.barrier)
		used = write_barrier(engine, buffer);
	while (engine->source_queue && engine->batch.outstanding < REACH_BATCH)
		used += write_source(engine, buffer + used,
				     reach_path_next_source_lookup(engine));
	return used;
}

/* A batch has at most REACH_BATCH answers, which must fit the receive buffer.
 * An aggregate is looked up as a whole, or waits for the next batch. */
static size_t write_batch(struct reach_engine *engine, uint8_t *buffer)
{
	struct reach_entries *entries = &engine->entries;
	const bool any =
		!reach_list_empty(entries, REACH_LIST_DIRTY, REACH_HOOK_DIRTY);
	const bool sends = engine->source_queue ||
			   (any && !engine->batch.winding_up);
	size_t used = 0;

	reach_confirmation_prepare(engine, sends);
	if (!sends)
		return 0;
	engine->batch.with_plain = is_short(entries);
	used = write_prelude(engine, buffer);
	for (;;) {
		const uint32_t number = reach_list_next(
			entries, REACH_LIST_DIRTY, REACH_HOOK_DIRTY);

		if (number == REACH_LIST_DIRTY || engine->batch.winding_up ||
		    engine->batch.outstanding + requests_max(reach_entry_at(
							entries, number)) >
			    REACH_BATCH)
			return used;
		reach_list_remove(entries, number, REACH_HOOK_DIRTY);
		used += write_entry(engine, buffer + used, number);
	}
}

size_t reach_lookups_write(struct reach_engine *engine, void *buffer,
			   size_t size)
{
	size_t used = 0;
	uint8_t dump;

	_Static_assert((size_t)REACH_BATCH * REACH_REQUEST_MAX <=
			       REACH_REQUESTS_SIZE,
		       "a batch fits the buffer");
	if (engine->batch.outstanding || size < REACH_REQUESTS_SIZE)
		return 0;
	reach_batch_begin(engine);
	if (engine->second_lookups.count) {
		if (reach_second_lookups_want_rules(engine))
			return write_dump(engine, buffer, REACH_REQUEST_RULES);
		used = reach_second_lookups_write(engine, buffer);
		if (used)
			return used;
	}
	dump = engine->batch.winding_up ? REACH_REQUEST_NONE
					: reach_dump_next(engine);
	if (dump)
		return write_dump(engine, buffer, dump);
	if (engine->oneshot) {
		used = reach_oneshot_write(engine, buffer);
		if (reach_oneshot_has_more(engine))
			return used;
	}
	if (engine->batch.winding_up)
		return used + write_batch(engine, (uint8_t *)buffer + used);
	reach_mark_flush(engine);
	used += write_batch(engine, (uint8_t *)buffer + used);
	if (!used)
		reach_rules_idle(engine);
	return used;
}
