/* SPDX-License-Identifier: MIT */
#include "engine/verdict/verdict.h"

#include <string.h>

#include <linux/rtnetlink.h>

struct reach_address
reach_destination_full(const struct reach_engine *engine,
		       const struct reach_destination *destination)
{
	struct reach_address address = reach_destination_address(destination);

	address.scope_id = reach_selectors_at(engine, destination->selectors)
				   ->key.scope_id;
	return address;
}

/* Digest of the addresses of a resolved name, 0 for other aggregates. For a
 * target that reports its verdict it doesn't depend on their order, since DNS
 * servers rotate it. For a target that reports its path it does. */
static uint64_t digest(const struct reach_engine *engine,
		       const struct reach_entry *entry)
{
	const struct reach_aggregate *aggregate = entry->aggregate;
	/* Prime of FNV-1a; 1 makes the sum independent of the order. */
	const uint64_t weight =
		entry->bits & REACH_BIT_PATH ? UINT64_C(0x100000001b3) : 1;
	uint64_t sum = 0;
	uint32_t i;

	if (aggregate->resolution < REACH_RESOLUTION_DONE)
		return 0;
	for (i = 0; i < aggregate->part_count; i++) {
		const struct reach_address address = reach_destination_full(
			engine, reach_part_destination(engine, aggregate, i));

		sum = sum * weight + reach_hash(&address, sizeof(address));
	}
	return sum;
}

const struct reach_verdict *
reach_entry_verdict(const struct reach_engine *engine,
		    const struct reach_entry *entry)
{
	/* An address without a path: no answer yet, or no memory. */
	static const struct reach_verdict none = {
		.reason = REACH_REASON_NO_ROUTE,
	};
	uint32_t path;

	if (entry->kind == REACH_ENTRY_AGGREGATE)
		return &entry->aggregate->verdict;
	path = reach_destination_of(engine, entry->use.destination)->path;
	return path ? &reach_path_at(engine, path)->verdict : &none;
}

/* Digest of a target that reports its verdict. The interface is 0 while there are
 * no flags, since Apple's SCNetworkReachability reports no change of it then. */
static uint64_t report_verdict(const struct reach_verdict *verdict)
{
	const uint32_t interface = verdict->flags ? verdict->interface_index
						  : 0;

	return (uint64_t)interface << 32 | verdict->flags;
}

/* Digest of the current verdict or path, whichever the target reports. */
static uint64_t report_of(const struct reach_engine *engine,
			  const struct reach_entry *entry)
{
	const struct reach_verdict *verdict =
		reach_entry_verdict(engine, entry);
	uint32_t path = 0;

	if (!(entry->bits & REACH_BIT_PATH))
		return report_verdict(verdict);
	/* Hashed once for all destinations of a path. */
	if (entry->kind == REACH_ENTRY_ADDRESS)
		path = reach_destination_of(engine, entry->use.destination)
			       ->path;
	return (path ? reach_path_at(engine, path)->report
		     : reach_report_path(verdict)) +
	       reach_facts_metered(engine, verdict->interface_name,
				   verdict->interface_class);
}

/* What is compared with the last report. */
struct report {
	uint64_t verdict;
	uint64_t addresses;
	uint8_t resolution;
};

static struct report report_now(const struct reach_engine *engine,
				const struct reach_entry *entry)
{
	struct report now = { .verdict = report_of(engine, entry) };

	if (entry->kind == REACH_ENTRY_AGGREGATE) {
		now.addresses = digest(engine, entry);
		now.resolution = entry->aggregate->resolution;
	}
	return now;
}

static bool differs(const struct reach_entry *entry, const struct report *now)
{
	const struct reach_aggregate *aggregate = entry->aggregate;

	return !(entry->bits & REACH_BIT_REPORTED) ||
	       entry->reported != now->verdict ||
	       (entry->kind == REACH_ENTRY_AGGREGATE &&
		(aggregate->reported_resolution != now->resolution ||
		 aggregate->reported_addresses != now->addresses));
}

void reach_destination_await(struct reach_engine *engine,
			     const struct reach_destination *destination)
{
	if (destination->path)
		reach_path_at(engine, destination->path)->is_awaited |=
			reach_path_at(engine, destination->path)->waits;
}

/* Whether the answer is known. */
static bool is_known(struct reach_engine *engine,
		     const struct reach_destination *destination)
{
	reach_destination_await(engine, destination);
	return reach_destination_is_known(engine, destination);
}

/* Whether an aggregate can have a verdict. If that takes lookups of more parts,
 * lists it. */
static bool is_aggregate_ready(struct reach_engine *engine,
			       struct reach_aggregate *aggregate)
{
	uint32_t i;

	if (aggregate->is_marked)
		return false;
	if (reach_parts_lacking(engine, aggregate)) {
		reach_mark_aggregate(engine, aggregate);
		return false;
	}
	for (i = 0; i < aggregate->part_count; i++) {
		const struct reach_destination *part =
			reach_part_destination(engine, aggregate, i);

		if (!(part->bits & REACH_DESTINATION_STALE) &&
		    !is_known(engine, part))
			return false;
	}
	return true;
}

/* Records that target @number was evaluated. Lists it for the next publication
 * if it @differs from the last report, else removes it from that list. */
static void list_changed(struct reach_engine *engine, uint32_t number,
			 bool differs)
{
	struct reach_table *table = &engine->entries.table;

	reach_entry_at(&engine->entries, number)->bits |= REACH_BIT_EVALUATED;
	if (!differs) {
		reach_list_remove(table, number);
	} else if (!reach_list_has(table, number)) {
		reach_list_put(table, number);
		engine->is_published = false;
		engine->stats.changes++;
	}
}

void reach_evaluate(struct reach_engine *engine, uint32_t number)
{
	struct reach_entry *entry = reach_entry_at(&engine->entries, number);
	struct report now;

	/* Wait for the outstanding answer. A verdict now would mix two
	 * moments. */
	if (entry->kind == REACH_ENTRY_AGGREGATE) {
		if (!is_aggregate_ready(engine, entry->aggregate))
			return;
		entry->aggregate->verdict =
			reach_aggregate_verdict(engine, entry->aggregate);
	} else if (!is_known(engine, reach_destination_of(
					     engine, entry->use.destination))) {
		return;
	}
	now = report_now(engine, entry);
	list_changed(engine, number, differs(entry, &now));
}

void reach_evaluate_users(struct reach_engine *engine, uint32_t number)
{
	uint32_t use = reach_destination_of(engine, number)->users;

	for (; use; use = reach_use_at(&engine->entries, use)->next)
		reach_evaluate(engine, reach_use_entry(use));
}

bool reach_entry_report(const struct reach_engine *engine,
			struct reach_entry *entry)
{
	const struct report now = report_now(engine, entry);
	const bool ret = differs(entry, &now);

	entry->reported = now.verdict;
	entry->bits |= REACH_BIT_REPORTED;
	if (entry->kind == REACH_ENTRY_AGGREGATE) {
		entry->aggregate->reported_addresses = now.addresses;
		entry->aggregate->reported_resolution = now.resolution;
	}
	return ret;
}

/* ---- recompute --------------------------------------------------------- */

static void set_legs(const struct reach_engine *engine, struct reach_path *path)
{
	const struct reach_path_key *key = &path->key;
	const struct reach_link *link;

	if (reach_path_error(key) || !key->output || key->type == RTN_LOCAL)
		return;
	link = reach_links_find(&engine->links, key->output);
	path->verdict.legs = key->legs ? key->legs : 1;
	path->verdict.usable_legs =
		key->legs ? key->usable_legs
		: link && reach_path_passes(engine, key, link) ? 1
							       : 0;
}

void reach_path_compute(const struct reach_engine *engine,
			struct reach_path *path)
{
	const struct reach_link *link;

	path->verdict = reach_path_verdict(engine, path);
	set_legs(engine, path);
	/* Links begin with 1. */
	link = reach_links_find(&engine->links, path->verdict.interface_index);
	if (link)
		memcpy(path->verdict.interface_name, link->name,
		       sizeof(link->name));
	path->report = reach_report_path(&path->verdict);
}

void reach_path_evaluate(struct reach_engine *engine, uint32_t path,
			 uint32_t most)
{
	uint32_t number = reach_path_at(engine, path)->first;

	for (; number && most--;
	     number = reach_destination_of(engine, number)->path_next)
		reach_evaluate_users(engine, number);
}

/* Whether the verdict depends on links or addresses that are in no path. */
static bool is_sensitive(const struct reach_engine *engine,
			 const struct reach_entry *entry)
{
	uint32_t kind;

	if (entry->kind != REACH_ENTRY_AGGREGATE)
		return false;
	kind = entry->aggregate->target.kind;
	return kind == REACH_TARGET_LOCAL_WIFI ||
	       kind == REACH_TARGET_ADDRESS_PAIR ||
	       reach_selectors_are_bound(
		       reach_selectors_at(engine, entry->aggregate->selectors));
}

/* Evaluates targets that have a verdict and may have another one while all paths
 * stay as they are. With 10,000 targets, the visit of all takes 14 us. */
static void evaluate_others(struct reach_engine *engine)
{
	uint32_t number;

	for (number = 1; number < engine->entries.table.used; number++) {
		const struct reach_entry *entry =
			reach_entry_at(&engine->entries, number);

		if (entry->kind && entry->bits & REACH_BIT_EVALUATED &&
		    (engine->dirty.facts || is_sensitive(engine, entry)))
			reach_evaluate(engine, number);
	}
}

void reach_paths_recompute(struct reach_engine *engine)
{
	uint32_t i;

	if (!engine->dirty.recompute)
		return;
	engine->dirty.recompute = false;
	for (i = 0; (i = reach_pool_next(&engine->paths, i));) {
		struct reach_path *path = reach_path_at(engine, i);
		const struct reach_verdict before = path->verdict;

		reach_path_compute(engine, path);
		engine->uncertain |=
			reach_path_is_uncertain(engine, &path->key);
		if (memcmp(&before, &path->verdict, sizeof(before)) == 0)
			continue;
		/* Users of a path that waits are evaluated after that. */
		if (path->waits)
			path->is_awaited = true;
		else
			reach_path_evaluate(engine, i, UINT32_MAX);
	}
	evaluate_others(engine);
	engine->dirty.facts = false;
}
