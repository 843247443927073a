/* SPDX-License-Identifier: MIT */
#include "engine/verdict/verdict.h"

#include <string.h>

#include "base/base.h"
#include "engine/state/state.h"
#include "engine/store/store.h"

struct reach_address
reach_destination_scoped(const struct reach_engine *engine,
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
		const struct reach_address address = reach_destination_scoped(
			engine, reach_part_destination(engine, aggregate, i));

		sum = sum * weight + reach_hash(&address, sizeof(address));
	}
	return sum;
}

/* Number of an address target's path, or 0. */
static uint32_t path_of(const struct reach_engine *engine,
			const struct reach_entry *entry)
{
	return reach_destination_of(engine, entry->use.destination)->path;
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
	path = path_of(engine, entry);
	return path ? &reach_path_at(engine, path)->verdict : &none;
}

/* Digest of the members of a path. Hashed once per path, for all its
 * destinations. */
static uint64_t path_digest(const struct reach_engine *engine,
			    const struct reach_entry *entry)
{
	struct reach_path *path;

	if (entry->kind == REACH_ENTRY_AGGREGATE || !path_of(engine, entry))
		return reach_report_path(reach_entry_verdict(engine, entry));
	path = reach_path_at(engine, path_of(engine, entry));
	if (!path->report)
		path->report = reach_report_path(&path->verdict);
	return path->report;
}

/* Digest of the current verdict or path, whichever the target reports. */
static uint64_t report_of(const struct reach_engine *engine,
			  const struct reach_entry *entry)
{
	const struct reach_verdict *verdict =
		reach_entry_verdict(engine, entry);

	if (!(entry->bits & REACH_BIT_PATH))
		return reach_report_verdict(verdict);
	return path_digest(engine, entry) +
	       reach_facts_metered(engine, verdict->interface_name,
				   verdict->interface_class);
}

bool reach_entry_differs(const struct reach_engine *engine,
			 const struct reach_entry *entry)
{
	const struct reach_aggregate *aggregate = entry->aggregate;

	if (!reach_is_reported(entry, report_of(engine, entry)))
		return true;
	return entry->kind == REACH_ENTRY_AGGREGATE &&
	       (aggregate->reported_resolution != aggregate->resolution ||
		aggregate->reported_addresses != digest(engine, entry));
}

/* Whether the answer is known. If the destination's path waits, its users are
 * evaluated after that. */
static bool is_known(struct reach_engine *engine,
		     const struct reach_destination *destination)
{
	if (destination->path)
		reach_path_at(engine, destination->path)->is_awaited |=
			reach_path_at(engine, destination->path)->waits;
	return reach_destination_is_known(engine, destination);
}

/* Whether an aggregate can have a verdict. If that takes lookups of more parts,
 * lists it. */
static bool is_aggregate_ready(struct reach_engine *engine, uint32_t number)
{
	const struct reach_aggregate *aggregate =
		reach_entry_at(&engine->entries, number)->aggregate;
	uint32_t i;

	if (reach_list_has(&engine->entries, number, REACH_HOOK_AGGREGATES))
		return false;
	if (reach_parts_are_lacking(engine, aggregate)) {
		reach_mark_aggregate(engine, number);
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

void reach_evaluate(struct reach_engine *engine, uint32_t number)
{
	struct reach_entry *entry = reach_entry_at(&engine->entries, number);

	/* Wait for the outstanding answer. A verdict now would mix two
	 * moments. */
	if (entry->kind == REACH_ENTRY_AGGREGATE) {
		if (!is_aggregate_ready(engine, number))
			return;
		entry->aggregate->verdict =
			reach_aggregate_verdict(engine, number);
	} else if (!is_known(engine, reach_destination_of(
					     engine, entry->use.destination))) {
		return;
	}
	reach_list_changed(engine, number, reach_entry_differs(engine, entry));
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
	struct reach_aggregate *aggregate = entry->aggregate;
	const uint64_t report = report_of(engine, entry);
	uint64_t addresses;
	bool differs = !reach_is_reported(entry, report);

	entry->reported = report;
	entry->bits |= REACH_BIT_REPORTED;
	if (entry->kind != REACH_ENTRY_AGGREGATE)
		return differs;
	addresses = digest(engine, entry);
	differs |= aggregate->reported_resolution != aggregate->resolution ||
		   aggregate->reported_addresses != addresses;
	aggregate->reported_addresses = addresses;
	aggregate->reported_resolution = aggregate->resolution;
	return differs;
}
