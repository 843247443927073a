/* SPDX-License-Identifier: MIT */
#include "engine/verdict/verdict.h"

#include <string.h>

#include "base/base.h"
#include "engine/state/state.h"
#include "engine/store/store.h"

struct reach_address reach_entry_address(const struct reach_engine *engine,
					 const struct reach_entry *part)
{
	struct reach_address address = reach_entry_destination(part);

	address.scope_id =
		reach_selectors_at(engine, part->selectors)->key.scope_id;
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
		const struct reach_address address = reach_entry_address(
			engine,
			reach_entry_at(&engine->entries, aggregate->parts[i]));

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

	if (entry->kind == REACH_ENTRY_AGGREGATE)
		return &entry->aggregate->verdict;
	return entry->path ? &reach_path_at(engine, entry->path)->verdict
			   : &none;
}

/* Digest of the current verdict or path, whichever the target reports. */
static uint64_t report_of(const struct reach_engine *engine,
			  const struct reach_entry *entry)
{
	const struct reach_verdict *verdict =
		reach_entry_verdict(engine, entry);
	struct reach_path *path;

	if (!(entry->bits & REACH_BIT_PATH))
		return reach_report_verdict(verdict);
	if (entry->kind == REACH_ENTRY_AGGREGATE || !entry->path)
		return reach_report_path(verdict);
	/* Hashed once per path, for all its entries. */
	path = reach_path_at(engine, entry->path);
	if (!path->report)
		path->report = reach_report_path(verdict);
	return path->report;
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

bool reach_entry_is_unsettled(const struct reach_engine *engine,
			      const struct reach_entry *entry)
{
	return entry->path && !reach_path_at(engine, entry->path)->settled;
}

/* Whether the path of any part that was looked up still lacks its source. */
static bool is_aggregate_unsettled(const struct reach_engine *engine,
				   const struct reach_aggregate *aggregate)
{
	uint32_t i;

	for (i = 0; i < aggregate->part_count; i++) {
		const struct reach_entry *part =
			reach_entry_at(&engine->entries, aggregate->parts[i]);

		if (!(part->bits & REACH_BIT_DIRTY) &&
		    reach_entry_is_unsettled(engine, part))
			return true;
	}
	return false;
}

/* Whether an aggregate can have a verdict. If that takes lookups of more parts,
 * puts it on the dirty list. */
static bool is_aggregate_ready(struct reach_engine *engine, uint32_t number)
{
	const struct reach_aggregate *aggregate =
		reach_entry_at(&engine->entries, number)->aggregate;

	if (!reach_parts_are_lacking(engine, aggregate))
		return !is_aggregate_unsettled(engine, aggregate);
	reach_list_put(&engine->entries, REACH_LIST_DIRTY, number,
		       REACH_HOOK_DIRTY);
	return false;
}

void reach_evaluate(struct reach_engine *engine, uint32_t number)
{
	struct reach_entries *entries = &engine->entries;
	struct reach_entry *entry = reach_entry_at(entries, number);

	/* Targets are reported, parts never. */
	if (entry->kind == REACH_ENTRY_PART) {
		number = entry->owner;
		entry = reach_entry_at(entries, number);
	}
	/* Wait for the outstanding answer. A verdict now would mix two
	 * moments. */
	if (entry->outstanding ||
	    reach_list_has(entries, number, REACH_HOOK_DIRTY))
		return;
	if (entry->kind == REACH_ENTRY_AGGREGATE) {
		if (!is_aggregate_ready(engine, number))
			return;
		entry->aggregate->verdict =
			reach_aggregate_verdict(engine, number);
	} else if (reach_entry_is_unsettled(engine, entry)) {
		return;
	}
	reach_list_changed(engine, number, reach_entry_differs(engine, entry));
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
