/* SPDX-License-Identifier: MIT */
/* What questions carry beside the address. */
#include "engine/state/selectors.h"

#include <string.h>

#include "engine/state/state.h"

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

bool reach_profiles_resolve(struct reach_engine *engine)
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
	return any;
}
