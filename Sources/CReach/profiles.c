/* SPDX-License-Identifier: MIT */
/* What questions carry beside the address. */
#include "core.h"

const struct reach_profile *reach_profile_at(const struct reach_engine *engine,
					     uint32_t number)
{
	return reach_pool_at(&engine->profiles, number);
}

bool reach_profile_is_scoped(const struct reach_profile *profile)
{
	return profile->key.interface_index || profile->key.interface_name[0];
}

static bool resolve(struct reach_engine *engine, struct reach_profile *profile)
{
	const struct reach_link *link =
		profile->key.interface_index
			? reach_links_find(&engine->links,
					   profile->key.interface_index)
			: reach_links_find_name(&engine->links,
						profile->key.interface_name);
	const uint32_t scope = link ? link->index : 0;

	if (!reach_profile_is_scoped(profile))
		return false;
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

/* Marks the entries of all profiles that moved. */
static void mark_moved(struct reach_engine *engine)
{
	struct reach_entries *entries = &engine->entries;
	uint32_t i;

	for (i = REACH_LISTS; i < entries->used; i++) {
		const struct reach_entry *entry = reach_entry_at(entries, i);

		if (entry->kind == REACH_ENTRY_FREE ||
		    entry->kind == REACH_ENTRY_CLASS)
			continue;
		if (reach_profile_at(engine, entry->profile)->moved)
			reach_mark(engine, i);
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
