/* SPDX-License-Identifier: MIT */
/* What questions carry beside the address. */
#include "engine/core.h"

#include <string.h>

const struct reach_profile *reach_profile_at(const struct reach_engine *engine,
					     uint32_t number)
{
	return reach_pool_at(&engine->profiles, number);
}

bool reach_profile_is_scoped(const struct reach_profile *profile)
{
	return profile->key.interface_index || profile->key.interface_name[0];
}

/* The link of that name, which is as a rule the one that had it last. */
static const struct reach_link *find_named(const struct reach_links *links,
					   const struct reach_profile *profile)
{
	const struct reach_link *last = reach_links_find(links, profile->scope);

	if (last && strcmp(last->name, profile->key.interface_name) == 0)
		return last;
	return reach_links_find_name(links, profile->key.interface_name);
}

static bool resolve(struct reach_engine *engine, struct reach_profile *profile)
{
	const struct reach_link *link;
	uint32_t scope;

	if (!reach_profile_is_scoped(profile))
		return false;
	link = profile->key.interface_index
		       ? reach_links_find(&engine->links,
					  profile->key.interface_index)
		       : find_named(&engine->links, profile);
	scope = link ? link->index : 0;
	if (profile->scope == scope && profile->missing == !link)
		return false;
	profile->scope = scope;
	profile->missing = !link;
	return true;
}

uint32_t reach_profile_hold(struct reach_engine *engine,
			    const struct reach_target *target,
			    const struct reach_address *destination)
{
	struct reach_selectors key = {
		.interface_index = target->interface_index,
		.mark = target->mark,
		.uid = target->uid,
		.scope_id = destination->scope_id,
	};
	uint32_t number;
	bool created;

	memcpy(key.interface_name, target->interface_name,
	       strnlen(target->interface_name, sizeof(key.interface_name)));
	if (target->kind == REACH_TARGET_ADDRESS_PAIR) {
		key.local = target->local;
		key.with_source = target->remote.family &&
				  target->local.family == destination->family;
	}
	number = reach_pool_hold(&engine->profiles, &key, &created);
	if (number && created)
		resolve(engine, reach_pool_at(&engine->profiles, number));
	return number;
}

/* Those on a path, each for itself: where another interface is asked, one does
 * not speak for all. */
static void mark_on_path(struct reach_engine *engine, uint32_t path)
{
	const uint8_t family = reach_path_at(engine, path)->key.family;
	uint32_t number = reach_path_at(engine, path)->first;
	size_t visits = 0;

	if (reach_mark_is_family(engine, family))
		return;
	for (; number != REACH_NO_ENTRY; visits++) {
		reach_mark(engine, number);
		number = reach_entry_at(&engine->entries, number)->path_next;
	}
	reach_mark_spend(engine, family, visits);
}

/* Marks the entries of all profiles that moved. Who has no path is marked, or
 * is a compound without parts, which is drawn anew with the links. */
static void mark_moved(struct reach_engine *engine)
{
	uint32_t i;

	for (i = 1; i < engine->paths.used; i++) {
		const struct reach_path *path = reach_path_at(engine, i);

		if (path->record.references &&
		    reach_profile_at(engine, path->key.profile)->moved)
			mark_on_path(engine, i);
	}
	for (i = 1; i < engine->profiles.used; i++)
		((struct reach_profile *)reach_pool_at(&engine->profiles, i))
			->moved = false;
}

void reach_profiles_resolve(struct reach_engine *engine)
{
	bool any = false;
	uint32_t i;

	for (i = 1; i < engine->profiles.used; i++) {
		struct reach_profile *profile =
			reach_pool_at(&engine->profiles, i);

		if (!profile->record.references || !resolve(engine, profile))
			continue;
		profile->moved = true;
		any = true;
	}
	if (any)
		mark_moved(engine);
}

void reach_profiles_mark(struct reach_engine *engine, uint32_t index,
			 const struct reach_address *local)
{
	bool any = false;
	uint32_t i;

	for (i = 1; i < engine->profiles.used; i++) {
		struct reach_profile *profile =
			reach_pool_at(&engine->profiles, i);

		if (!profile->record.references)
			continue;
		if ((index && (profile->scope == index ||
			       profile->key.scope_id == index)) ||
		    (local && profile->key.local.family &&
		     reach_address_equal(&profile->key.local, local))) {
			profile->moved = true;
			any = true;
		}
	}
	if (any)
		mark_moved(engine);
}
