/* SPDX-License-Identifier: MIT */
#include "engine/state/evaluate.h"

#include <string.h>

#include "base/verdict.h"
#include "engine/state/aggregate.h"
#include "engine/state/selectors.h"
#include "engine/state/state.h"

struct reach_address reach_entry_address(const struct reach_engine *engine,
					 const struct reach_entry *part)
{
	struct reach_address address = {
		.family = part->family,
		.scope_id = reach_selectors_at(engine, part->selectors)
				    ->key.scope_id,
	};

	memcpy(address.bytes, part->bytes, sizeof(part->bytes));
	return address;
}

/* A digest of the resolved addresses: of a verdict, of the set of them, whose
 * order is another each time that a server rotates them. */
static uint64_t digest(const struct reach_engine *engine,
		       const struct reach_entry *entry)
{
	const struct reach_aggregate *aggregate = entry->aggregate;
	const uint64_t weight =
		entry->bits & REACH_BIT_PATH ? UINT64_C(0x100000001b3) : 1;
	uint64_t sum = 0;
	uint32_t i;

	if (aggregate->resolution != REACH_RESOLUTION_DONE)
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
	/* It has no path only if there was no memory for one. */
	static const struct reach_verdict none = {
		.reason = REACH_REASON_NO_ROUTE,
	};

	if (entry->kind == REACH_ENTRY_AGGREGATE)
		return &entry->aggregate->verdict;
	return entry->path ? &reach_path_at(engine, entry->path)->verdict
			   : &none;
}

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

/* Whether the source that the path is to have is not known yet. */
bool reach_entry_is_unsettled(const struct reach_engine *engine,
			      const struct reach_entry *entry)
{
	return entry->path && !reach_path_at(engine, entry->path)->settled;
}

static bool is_aggregate_unsettled(const struct reach_engine *engine,
				   const struct reach_aggregate *aggregate)
{
	uint32_t i;

	for (i = 0; i < aggregate->part_count; i++)
		if (reach_entry_is_unsettled(
			    engine, reach_entry_at(&engine->entries,
						   aggregate->parts[i])))
			return true;
	return false;
}

void reach_evaluate(struct reach_engine *engine, uint32_t number)
{
	struct reach_entries *entries = &engine->entries;
	struct reach_entry *entry = reach_entry_at(entries, number);

	if (entry->kind == REACH_ENTRY_PART) {
		number = entry->owner;
		entry = reach_entry_at(entries, number);
	}
	if (entry->outstanding ||
	    reach_list_has(entries, number, REACH_HOOK_DIRTY))
		return;
	if (entry->kind == REACH_ENTRY_AGGREGATE) {
		if (is_aggregate_unsettled(engine, entry->aggregate))
			return;
		entry->aggregate->verdict =
			reach_aggregate_verdict(engine, number);
	} else if (reach_entry_is_unsettled(engine, entry)) {
		return;
	}
	reach_list_if(engine, number, reach_entry_differs(engine, entry));
}

void reach_entry_set_reported(const struct reach_engine *engine,
			      struct reach_entry *entry)
{
	entry->reported = report_of(engine, entry);
	entry->bits |= REACH_BIT_REPORTED;
	if (entry->kind != REACH_ENTRY_AGGREGATE)
		return;
	entry->aggregate->reported_addresses = digest(engine, entry);
	entry->aggregate->reported_resolution = entry->aggregate->resolution;
}
