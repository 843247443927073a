/* SPDX-License-Identifier: MIT */
#include "engine/verdict/verdict.h"

#include <string.h>

#include <linux/rtnetlink.h>

#include "base/base.h"
#include "engine/state/state.h"

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
}

void reach_path_evaluate(struct reach_engine *engine, uint32_t path)
{
	uint32_t number = reach_path_at(engine, path)->first;

	for (; number; number = reach_destination_of(engine, number)->path_next)
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
		if (!path->waits)
			reach_path_evaluate(engine, i);
	}
	evaluate_others(engine);
	engine->dirty.facts = false;
}
