/* SPDX-License-Identifier: MIT */
#include "engine/state/state.h"

#include <string.h>
#include <sys/socket.h>

#include "base/base.h"

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
			reach_pool_at(&engine->selectors, number);

		selectors->missing = key.lacks_scope_id;
		resolve(engine, selectors);
	}
	return number;
}

bool reach_selectors_resolve(struct reach_engine *engine)
{
	bool any = false;
	uint32_t i;

	for (i = 0; (i = reach_pool_next(&engine->selectors, i));) {
		struct reach_selectors *selectors =
			reach_pool_at(&engine->selectors, i);

		if (!resolve(engine, selectors))
			continue;
		selectors->moved = true;
		any = true;
	}
	return any;
}
