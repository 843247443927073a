/* SPDX-License-Identifier: MIT */
/* Changes of links and addresses, and of the routes that depend on them. */

#include "model.h"

/* A route that the kernel adds with an address: to the address itself if
 * @local, otherwise to its network. */
static struct model_route route_of(uint8_t family, uint32_t index, uint32_t n,
				   bool local)
{
	struct model_route route = {
		.family = family,
		.type = local ? RTN_LOCAL : RTN_UNICAST,
		.scope = local ? RT_SCOPE_HOST : RT_SCOPE_LINK,
		.table = local ? RT_TABLE_LOCAL : RT_TABLE_MAIN,
		.metric = family == AF_INET6 && !local ? 256 : 0,
		.outputs = { index },
		.legs = 1,
		.source = family == AF_INET ? (uint8_t)(n + 1) : 0,
	};

	route.length = local ? family == AF_INET ? 32 : 128
			     : model_subnet(family);
	model_address(family, index, n, route.prefix);
	model_mask(route.prefix, route.length);
	return route;
}

static void drop(struct model *model, struct model_route *route, bool tell)
{
	if (tell)
		model_tell_route(model, RTM_DELROUTE, route);
	route->used = false;
}

static bool uses(const struct model *model, const struct model_route *route,
		 uint32_t index)
{
	if (route->nexthop)
		return model->nexthops[route->nexthop].used &&
		       model->nexthops[route->nexthop].output == index;
	for (unsigned int i = 0; i < route->legs; i++)
		if (route->outputs[i] == index)
			return true;
	return false;
}

/* Whether no leg is usable. */
static bool is_dead(const struct model *model, const struct model_route *route)
{
	for (unsigned int i = 0; i < route->legs; i++)
		if (model->links[route->outputs[i]].up &&
		    (route->family == AF_INET6 ||
		     model_has_ipv4(&model->links[route->outputs[i]])))
			return false;
	return true;
}

/* Removes the routes over a link. The kernel sends events for IPv6 routes, but
 * none for IPv4. */
static void drop_over(struct model *model, uint8_t family, uint32_t index)
{
	for (size_t i = 0; i < MODEL_ROUTES; i++) {
		struct model_route *route = &model->routes[i];

		if (!route->used || route->family != family ||
		    !uses(model, route, index) ||
		    (family == AF_INET && route->type == RTN_LOCAL))
			continue;
		if (route->legs < 2 || is_dead(model, route))
			drop(model, route, family == AF_INET6);
	}
}

static void drop_nexthop(struct model *model, uint32_t id, bool tell)
{
	for (size_t i = 0; i < MODEL_ROUTES; i++) {
		struct model_route *route = &model->routes[i];

		if (route->used && route->nexthop == id)
			drop(model, route, tell && route->family == AF_INET6);
	}
	model->nexthops[id].used = false;
}

static void drop_address(struct model *model, uint8_t family, uint32_t index,
			 uint32_t n)
{
	struct model_route keys[] = { route_of(family, index, n, true),
				      route_of(family, index, n, false) };

	model->links[index].addresses[model_side(family)][n] = false;
	for (size_t i = 0; i < 2; i++) {
		struct model_route *route = model_find(model, &keys[i]);

		if (route)
			drop(model, route, true);
	}
	for (size_t i = 0; i < MODEL_ROUTES; i++) {
		struct model_route *route = &model->routes[i];

		if (!route->used || route->family != family ||
		    route->source != n + 1 || !uses(model, route, index))
			continue;
		/* IPv6 keeps such routes without their prescribed source, and
		 * sends no event (fib6_remove_prefsrc). */
		if (family == AF_INET6)
			route->source = 0;
		else
			drop(model, route, true);
	}
	if (family == AF_INET6)
		return;
	if (!model_has_ipv4(&model->links[index]))
		drop_over(model, AF_INET, index);
}

static void take_down(struct model *model, uint32_t index)
{
	drop_over(model, AF_INET, index);
	drop_over(model, AF_INET6, index);
	for (uint32_t id = 1; id <= MODEL_NEXTHOPS; id++)
		if (model->nexthops[id].used &&
		    model->nexthops[id].output == index)
			drop_nexthop(model, id, true);
	for (uint32_t n = 0; n < MODEL_ADDRESSES; n++) {
		if (!model->links[index].addresses[1][n])
			continue;
		model_tell_address(model, RTM_DELADDR, AF_INET6, index, n);
		drop_address(model, AF_INET6, index, n);
	}
}

void model_carry_out(struct model *model)
{
	const enum model_pending pending = model->pending;

	model->pending = MODEL_PENDING_NONE;
	switch (pending) {
	case MODEL_PENDING_ROUTE:
		model->routes[model->pending_what].used = false;
		break;
	case MODEL_PENDING_DOWN:
		take_down(model, model->pending_link);
		break;
	case MODEL_PENDING_ADDRESS:
		drop_address(model, model->pending_family, model->pending_link,
			     model->pending_what);
		break;
	case MODEL_PENDING_NEXTHOP:
		drop_nexthop(model, model->pending_what, true);
		break;
	default:
		break;
	}
}

/* Adds an address's routes: to itself, and to its network if the link is up. */
static void set_address_routes(struct model *model, uint8_t family,
			       uint32_t index, uint32_t n)
{
	struct model_route local = route_of(family, index, n, true);
	struct model_route subnet = route_of(family, index, n, false);

	if (!model_find(model, &local))
		model_set(model, &local);
	if (model->links[index].up && !model_find(model, &subnet))
		model_set(model, &subnet);
}

void model_change_link(struct model *model, struct script *script)
{
	const uint8_t what = script_byte(script);
	const uint32_t index = model_link_of(what);
	struct model_link *link = &model->links[index];

	model_carry_out(model);
	if (link->exists && (what & 0x38) == 0x38) {
		link->renamed = !link->renamed;
		model_tell_link(model, RTM_NEWLINK, index);
		return;
	}
	if (!link->exists)
		link->sink = index == MODEL_VETH && (what & 0x30) == 0x30;
	link->exists = true;
	link->up = !link->up;
	if (what & 0x40)
		link->carrier = true;
	model_tell_link(model, RTM_NEWLINK, index);
	if (!link->up) {
		model->pending = MODEL_PENDING_DOWN;
		model->pending_link = index;
		if (what & 0x80) {
			/* The link is deleted. */
			model_carry_out(model);
			for (uint32_t n = 0; n < MODEL_ADDRESSES; n++) {
				if (!link->addresses[0][n])
					continue;
				model_tell_address(model, RTM_DELADDR, AF_INET,
						   index, n);
				drop_address(model, AF_INET, index, n);
			}
			link->exists = false;
			link->carrier = link->dormant = false;
			model_tell_link(model, RTM_DELLINK, index);
		}
		return;
	}
	for (uint32_t n = 0; n < MODEL_ADDRESSES; n++)
		if (link->addresses[0][n])
			set_address_routes(model, AF_INET, index, n);
}

void model_change_carrier(struct model *model, struct script *script)
{
	const uint8_t what = script_byte(script);
	const uint32_t index = model_link_of(what);
	struct model_link *link = &model->links[index];

	model_carry_out(model);
	if (!link->exists)
		return;
	if (what & 0x40)
		link->dormant = !link->dormant;
	else
		link->carrier = !link->carrier;
	model_tell_link(model, RTM_NEWLINK, index);
}

void model_change_address(struct model *model, struct script *script)
{
	const uint8_t what = script_byte(script);
	const uint8_t family = what & 0x80 ? AF_INET6 : AF_INET;
	const uint32_t index = model_link_of(what & 0xf),
		       n = (what >> 4 & 7) % MODEL_ADDRESSES;
	struct model_link *link = &model->links[index];

	model_carry_out(model);
	if (!link->exists || (family == AF_INET6 && !link->up))
		return;
	if (family == AF_INET6 && (what >> 4 & 7) >= 2 * MODEL_ADDRESSES &&
	    link->addresses[1][n]) {
		link->deprecated[n] = !link->deprecated[n];
		model_tell_address(model, RTM_NEWADDR, family, index, n);
		return;
	}
	if (link->addresses[model_side(family)][n]) {
		/* Its routes are removed later. */
		link->addresses[model_side(family)][n] = false;
		model_tell_address(model, RTM_DELADDR, family, index, n);
		model->pending = MODEL_PENDING_ADDRESS;
		model->pending_family = family;
		model->pending_link = index;
		model->pending_what = n;
		return;
	}
	link->addresses[model_side(family)][n] = true;
	if (family == AF_INET6)
		link->deprecated[n] = false;
	model_tell_address(model, RTM_NEWADDR, family, index, n);
	set_address_routes(model, family, index, n);
}
