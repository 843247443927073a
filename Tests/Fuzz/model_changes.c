/* SPDX-License-Identifier: MIT */
/* Changes of routes, rules, settings, and next hops. Some are announced before
 * they are made. */
#include <linux/fib_rules.h>
#include <string.h>

#include "model.h"

uint8_t model_pick(uint8_t choice, uint8_t *ret)
{
	const uint8_t family = choice & 0x80 ? AF_INET6 : AF_INET;
	const bool other = choice & 0x40;
	const uint8_t a = choice >> 4 & 3, b = choice >> 2 & 3, c = choice & 3;

	memset(ret, 0, 16);
	if (family == AF_INET) {
		memcpy(ret, (uint8_t[]){ other ? 192 : 10, a, b, c }, 4);
		return family;
	}
	memcpy(ret, other ? (uint8_t[]){ 0x20, 1 } : (uint8_t[]){ 0xfd, 0 }, 2);
	ret[3] = a;
	ret[5] = b;
	ret[15] = c;
	return family;
}

struct model_route *model_find(struct model *model,
			       const struct model_route *wanted)
{
	for (size_t i = 0; i < MODEL_ROUTES; i++) {
		struct model_route *route = &model->routes[i];

		if (route->used && route->family == wanted->family &&
		    route->length == wanted->length &&
		    route->table == wanted->table &&
		    route->metric == wanted->metric &&
		    memcmp(route->prefix, wanted->prefix, 16) == 0)
			return route;
	}
	return NULL;
}

void model_set(struct model *model, const struct model_route *wanted)
{
	struct model_route *route = model_find(model, wanted);

	for (size_t i = 0; !route && i < MODEL_ROUTES; i++)
		if (!model->routes[i].used)
			route = &model->routes[i];
	if (!route)
		return;
	*route = *wanted;
	route->used = true;
	model_tell_route(model, RTM_NEWROUTE, route);
}

uint32_t model_link_of(uint8_t choice)
{
	return 2 + choice % (MODEL_LINKS - 2);
}

static void set_way(const struct model *model, struct model_route *route,
		    uint8_t how)
{
	const uint32_t index = model_link_of(how >> 4);

	route->legs = 1;
	route->outputs[0] = index;
	route->gateway = how & 8;
	switch (how & 7) {
	case 0:
		route->type = (uint8_t)(RTN_BLACKHOLE + (how >> 4 & 3));
		route->legs = 0;
		route->outputs[0] = 0;
		break;
	case 1:
		route->legs = 2;
		route->outputs[1] = model_link_of((uint8_t)((how >> 4) + 1));
		route->gateway = true;
		break;
	case 2:
		route->nexthop = 1 + (how >> 4) % MODEL_NEXTHOPS;
		route->legs = 0;
		break;
	case 3:
		if (model->links[index]
			    .addresses[model_side(route->family)][how >> 6 & 1])
			route->source = (uint8_t)(1 + (how >> 6 & 1));
		break;
	case 4:
		if (route->family == AF_INET6)
			route->expires =
				model->now + (1 + (how >> 6)) * 1000000000LL;
		break;
	default:
		break;
	}
}

/* Whether the kernel would accept the route. */
static bool is_possible(const struct model *model,
			const struct model_route *route)
{
	if (route->nexthop)
		return model->nexthops[route->nexthop].used &&
		       model->nexthops[route->nexthop].family == route->family;
	for (unsigned int i = 0; i < route->legs; i++)
		if (!model->links[route->outputs[i]].up ||
		    (route->family == AF_INET &&
		     !model_has_ipv4(&model->links[route->outputs[i]])))
			return false;
	return true;
}

void model_change_route(struct model *model, struct script *script)
{
	static const uint8_t lengths[2][8] = { { 0, 0, 1, 8, 16, 24, 31, 32 },
					       { 0, 0, 1, 16, 32, 48, 127,
						 128 } };
	static const uint32_t tables[] = { RT_TABLE_MAIN,    RT_TABLE_MAIN,
					   RT_TABLE_MAIN,    RT_TABLE_MAIN,
					   RT_TABLE_MAIN,    MODEL_TABLE,
					   RT_TABLE_DEFAULT, RT_TABLE_LOCAL };
	const uint8_t what = script_byte(script), how = script_byte(script);
	struct model_route route = { .type = RTN_UNICAST };

	model_carry_out(model);
	route.family = model_pick(script_byte(script), route.prefix);
	route.length = lengths[model_side(route.family)][what & 7];
	model_mask(route.prefix, route.length);
	route.table = tables[what >> 3 & 7];
	route.metric = (what >> 6 & 1) * 100U;
	set_way(model, &route, how);
	if (is_possible(model, &route))
		model_set(model, &route);
}

void model_remove_route(struct model *model, struct script *script)
{
	size_t skip = script_byte(script) % MODEL_ROUTES;

	model_carry_out(model);
	for (size_t i = 0; i < MODEL_ROUTES; i++, skip++) {
		struct model_route *route = &model->routes[skip % MODEL_ROUTES];

		if (!route->used)
			continue;
		model_tell_route(model, RTM_DELROUTE, route);
		model->pending = MODEL_PENDING_ROUTE;
		model->pending_what = (uint32_t)(route - model->routes);
		/* IPv6 announces the removal after it is done. */
		if (route->family == AF_INET6)
			model_carry_out(model);
		return;
	}
}

void model_change_rule(struct model *model, struct script *script)
{
	static const uint32_t priorities[] = { 100, 200, 32766, 40000 };
	static const uint8_t actions[] = { FR_ACT_TO_TBL,      FR_ACT_TO_TBL,
					   FR_ACT_TO_TBL,      FR_ACT_TO_TBL,
					   FR_ACT_UNREACHABLE, FR_ACT_PROHIBIT,
					   FR_ACT_BLACKHOLE,   FR_ACT_TO_TBL };
	const uint8_t what = script_byte(script), how = script_byte(script);
	struct model_rule *rule = &model->rules[what % MODEL_RULES];
	_Alignas(8) uint8_t buffer[MODEL_MESSAGE];

	model_carry_out(model);
	if (rule->used) {
		rule->used = false;
		model_tell(model, model_put_rule(buffer, RTM_DELRULE, rule));
		return;
	}
	*rule = (struct model_rule){
		.used = true,
		.action = actions[how & 7],
		.priority = priorities[how >> 3 & 3],
		.table = how & 0x20 ? RT_TABLE_MAIN : MODEL_TABLE,
		.mark = how & 0x40 ? MODEL_MARK : 0,
		.suppress = (how & 7) == 7 ? 0 : -1,
		.incoming = (what & 0xf0) == 0x70,
		.length = what & 0x80 ? 8 : 0,
	};
	rule->family = model_pick(script_byte(script), rule->prefix);
	model_mask(rule->prefix, rule->length);
	if (rule->family == AF_INET)
		model->merged = false;
	model_tell(model, model_put_rule(buffer, RTM_NEWRULE, rule));
}

void model_change_setting(struct model *model, struct script *script)
{
	const uint8_t family = script_byte(script) & 1 ? AF_INET6 : AF_INET;
	_Alignas(8) uint8_t buffer[MODEL_MESSAGE];

	model_carry_out(model);
	model->ignore_linkdown[model_side(family)] =
		!model->ignore_linkdown[model_side(family)];
	model_tell(model, model_put_netconf(model, buffer, family, -1));
}

void model_change_nexthop(struct model *model, struct script *script)
{
	const uint8_t what = script_byte(script);
	const uint32_t id = 1 + what % MODEL_NEXTHOPS;
	struct model_nexthop *nexthop = &model->nexthops[id];
	const struct model_nexthop wanted = {
		.used = true,
		.gateway = what & 0x10,
		.family = what & 0x20 ? AF_INET6 : AF_INET,
		.output = model_link_of(what >> 2 & 3),
	};

	model_carry_out(model);
	if (nexthop->used && what & 0x80) {
		model_tell_nexthop(model, RTM_DELNEXTHOP, id);
		model->pending = MODEL_PENDING_NEXTHOP;
		model->pending_what = id;
		return;
	}
	if (!model->links[wanted.output].up ||
	    (nexthop->used && nexthop->family != wanted.family))
		return;
	*nexthop = wanted;
	model_tell_nexthop(model, RTM_NEWNEXTHOP, id);
}
