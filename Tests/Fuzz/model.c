/* SPDX-License-Identifier: MIT */
/* The model's tables, and lookups in them. */
#include <errno.h>
#include <linux/fib_rules.h>
#include <string.h>

#include "model.h"

void model_init(struct model *model)
{
	static const uint32_t stock[][2] = { { 0, RT_TABLE_LOCAL },
					     { 32766, RT_TABLE_MAIN },
					     { 32767, RT_TABLE_DEFAULT } };
	size_t i, count = 0;

	model->links[1].exists = true;
	model->links[1].up = true;
	model->links[1].carrier = true;
	model->merged = true;
	for (i = 0; i < 5; i++)
		model->rules[count++] = (struct model_rule){
			.used = true,
			.family = i < 3 ? AF_INET : AF_INET6,
			.action = FR_ACT_TO_TBL,
			.priority = stock[i % 3][0],
			.table = stock[i % 3][1],
			.suppress = -1,
		};
}

void model_free(struct model *model)
{
	while (model->event_count > 0)
		free(model->events[--model->event_count].bytes);
}

size_t model_address(uint8_t family, uint32_t index, uint32_t n, uint8_t *ret)
{
	memset(ret, 0, 16);
	if (family == AF_INET) {
		memcpy(ret,
		       (uint8_t[]){ 10, (uint8_t)(index - 1), (uint8_t)n, 1 },
		       4);
		return 4;
	}
	ret[0] = 0xfd;
	ret[3] = (uint8_t)(index - 1);
	ret[5] = (uint8_t)n;
	ret[15] = 1;
	return 16;
}

size_t model_gateway(uint8_t family, uint32_t index, uint8_t *ret)
{
	const size_t size = model_address(family, index, 0, ret);

	ret[size - 1] = 2;
	return size;
}

uint8_t model_subnet(uint8_t family)
{
	return family == AF_INET ? 24 : 48;
}

void model_mask(uint8_t *bytes, uint8_t length)
{
	for (unsigned int i = 0; i < 16; i++) {
		unsigned int kept = length > 8 * i ? length - 8 * i : 0;

		if (kept < 8)
			bytes[i] = (uint8_t)(bytes[i] & ~(0xffU >> kept));
	}
}

static bool is_inside(const uint8_t *bytes, const uint8_t *prefix,
		      uint8_t length)
{
	uint8_t copy[16];

	memcpy(copy, bytes, sizeof(copy));
	model_mask(copy, length);
	return memcmp(copy, prefix, sizeof(copy)) == 0;
}

static bool is_usable(const struct model *model,
		      const struct model_query *query,
		      const struct model_route *route, uint32_t output)
{
	const struct model_link *link = &model->links[output];

	/* Routes to IPv4's own addresses work even if their link is down: the
	 * scope of their next hop is RT_SCOPE_NOWHERE (fib_sync_down_dev,
	 * net/ipv4/fib_semantics.c). */
	if (route->type == RTN_LOCAL && route->family == AF_INET)
		return link->exists &&
		       (query->output == 0 || query->output == output);
	if (!link->exists || !link->up)
		return false;
	if (model->ignore_linkdown[model_side(query->family)] && !link->carrier)
		return false;
	return query->output == 0 || query->output == output;
}

/* Sets the output and the gateway that a route offers now; false if it has
 * none. */
static bool take_way(const struct model *model, const struct model_query *query,
		     struct model_answer *answer)
{
	const struct model_route *route = answer->route;
	const struct model_nexthop *object = &model->nexthops[route->nexthop];
	uint32_t usable[2];
	unsigned int count = 0;

	answer->gateway = route->gateway;
	if (route->nexthop > 0) {
		answer->gateway = object->gateway;
		answer->output = object->output;
		return object->used &&
		       is_usable(model, query, route, object->output);
	}
	for (unsigned int i = 0; i < route->legs; i++)
		if (is_usable(model, query, route, route->outputs[i]))
			usable[count++] = route->outputs[i];
	if (count == 0)
		return false;
	answer->output = usable[(query->bytes[3] + query->bytes[15]) % count];
	return true;
}

static int error_of(uint8_t type)
{
	switch (type) {
	case RTN_UNREACHABLE:
		return EHOSTUNREACH;
	case RTN_BLACKHOLE:
		return EINVAL;
	case RTN_PROHIBIT:
		return EACCES;
	default:
		return 0;
	}
}

static bool is_in_table(const struct model *model,
			const struct model_route *route, uint32_t table)
{
	if (route->family == AF_INET && model->merged &&
	    (table == RT_TABLE_LOCAL || table == RT_TABLE_MAIN))
		return route->table == RT_TABLE_LOCAL ||
		       route->table == RT_TABLE_MAIN;
	return route->table == table;
}

/* Whether @a is preferred to @b. */
static bool is_before(const struct model_route *a, const struct model_route *b)
{
	if (a->length != b->length)
		return a->length > b->length;
	if (a->table != b->table)
		return a->table > b->table;
	return a->metric < b->metric;
}

/* Whether a route is in the table and covers the destination. */
static bool is_candidate(const struct model *model,
			 const struct model_query *query, uint32_t table,
			 const struct model_route *route)
{
	return route->used && route->family == query->family &&
	       is_in_table(model, route, table) &&
	       is_inside(query->bytes, route->prefix, route->length) &&
	       (!route->expires || route->expires > model->now);
}

/* Finds the best usable route of a table; false if there is none. */
static bool look_in(const struct model *model, const struct model_query *query,
		    uint32_t table, struct model_answer *ret)
{
	ret->route = NULL;
	for (size_t i = 0; i < MODEL_ROUTES; i++) {
		const struct model_route *route = &model->routes[i];
		struct model_answer answer = { .route = route };

		if (!is_candidate(model, query, table, route) ||
		    (ret->route && !is_before(route, ret->route)))
			continue;
		answer.error = error_of(route->type);
		if (!answer.error && route->type != RTN_THROW &&
		    !take_way(model, query, &answer))
			continue;
		*ret = answer;
	}
	return ret->route && ret->route->type != RTN_THROW;
}

/* Whether a rule decides the lookup; @ret is its answer. */
static bool decides(const struct model *model, const struct model_rule *rule,
		    const struct model_query *query, struct model_answer *ret)
{
	if (rule->incoming || (rule->mark && rule->mark != query->mark) ||
	    !is_inside(query->bytes, rule->prefix, rule->length))
		return false;
	switch (rule->action) {
	case FR_ACT_UNREACHABLE:
		ret->error = ENETUNREACH;
		return true;
	case FR_ACT_PROHIBIT:
		ret->error = EACCES;
		return true;
	case FR_ACT_BLACKHOLE:
		ret->error = EINVAL;
		return true;
	default:
		break;
	}
	if (!look_in(model, query, rule->table, ret))
		return false;
	return ret->error || ret->route->length > rule->suppress;
}

/* The rule after @last in order of priority, or NULL. */
static const struct model_rule *next_rule(const struct model *model,
					  uint8_t family,
					  const struct model_rule *last)
{
	const struct model_rule *best = NULL;

	for (size_t i = 0; i < MODEL_RULES; i++) {
		const struct model_rule *rule = &model->rules[i];

		if (!rule->used || rule->family != family ||
		    (last &&
		     (rule->priority < last->priority ||
		      (rule->priority == last->priority && rule <= last))))
			continue;
		if (!best || rule->priority < best->priority)
			best = rule;
	}
	return best;
}

struct model_answer model_lookup(const struct model *model,
				 const struct model_query *query)
{
	const struct model_rule *rule = NULL;
	struct model_answer answer = { 0 };

	while ((rule = next_rule(model, query->family, rule)))
		if (decides(model, rule, query, &answer))
			return answer;
	return (struct model_answer){ .error = ENETUNREACH };
}

/* The length of the common prefix of two addresses. */
static unsigned int common(const uint8_t *a, const uint8_t *b)
{
	unsigned int bits = 0;

	while (bits < 128 && !((a[bits / 8] ^ b[bits / 8]) & 0x80 >> bits % 8))
		bits++;
	return bits;
}

/* IPv4 uses the first address of a link. */
static bool take_first(const struct model *model, uint32_t index, uint8_t *ret)
{
	for (uint32_t n = 0; n < MODEL_ADDRESSES; n++)
		if (model->links[index].addresses[0][n]) {
			model_address(AF_INET, index, n, ret);
			return true;
		}
	return false;
}

/* The score of an IPv6 source address (ipv6_get_saddr_eval); 0 if the link
 * doesn't have it. */
static unsigned int suits(const struct model *model,
			  const struct model_query *query, uint32_t output,
			  uint32_t index, uint32_t n)
{
	const struct model_link *link = &model->links[index];
	uint8_t bytes[16];

	if (!link->addresses[1][n])
		return 0;
	model_address(AF_INET6, index, n, bytes);
	return 1 + common(bytes, query->bytes) + (index == output ? 256U : 0) +
	       (link->deprecated[n] ? 0 : 512U);
}

static bool choose(const struct model *model, const struct model_query *query,
		   uint32_t output, uint8_t *ret)
{
	unsigned int best = 0;

	for (uint32_t i = 0; i < MODEL_LINKS * MODEL_ADDRESSES; i++) {
		const uint32_t index = i / MODEL_ADDRESSES;
		const uint32_t n = i % MODEL_ADDRESSES;
		const unsigned int its = suits(model, query, output, index, n);

		if (its <= best)
			continue;
		best = its;
		model_address(AF_INET6, index, n, ret);
	}
	return best > 0;
}

size_t model_source(const struct model *model, const struct model_query *query,
		    const struct model_answer *answer, uint8_t *ret)
{
	if (answer->route->source)
		return model_address(query->family, answer->output,
				     answer->route->source - 1U, ret);
	if (query->family == AF_INET6)
		return choose(model, query, answer->output, ret) ? 16 : 0;
	if (take_first(model, answer->output, ret))
		return 4;
	for (uint32_t index = 2; index < MODEL_LINKS; index++)
		if (model->links[index].exists && model->links[index].up &&
		    take_first(model, index, ret))
			return 4;
	return 0;
}

uint32_t model_owner(const struct model *model, uint8_t family,
		     const uint8_t *bytes)
{
	for (uint32_t index = 2; index < MODEL_LINKS; index++)
		for (uint32_t n = 0; n < MODEL_ADDRESSES; n++) {
			uint8_t own[16];

			model_address(family, index, n, own);
			if (model->links[index]
				    .addresses[model_side(family)][n] &&
			    memcmp(own, bytes, sizeof(own)) == 0)
				return index;
		}
	return 0;
}

bool model_has_ipv4(const struct model_link *link)
{
	for (uint32_t n = 0; n < MODEL_ADDRESSES; n++)
		if (link->addresses[0][n])
			return true;
	return false;
}
