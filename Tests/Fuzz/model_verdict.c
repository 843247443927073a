/* SPDX-License-Identifier: MIT */
/* The expected state of a target, computed from the model's tables. */
#include <errno.h>
#include <string.h>

#include "model.h"

static enum reach_reason reason_of(int error)
{
	switch (error) {
	case EHOSTUNREACH:
		return REACH_REASON_UNREACHABLE;
	case EACCES:
		return REACH_REASON_PROHIBITED;
	case EINVAL:
		return REACH_REASON_BLACKHOLE;
	default:
		return REACH_REASON_NO_ROUTE;
	}
}

static void expect_local(const struct model *model,
			 const struct model_query *query,
			 struct reach_state *ret)
{
	const uint32_t owner = model_owner(model, query->family, query->bytes);

	ret->flags = REACH_FLAG_REACHABLE | REACH_FLAG_IS_LOCAL_ADDRESS |
		     REACH_FLAG_IS_DIRECT;
	ret->interface_index = owner ? owner : 1;
	ret->source.family = query->family;
	memcpy(ret->source.bytes, query->bytes, sizeof(query->bytes));
}

static void expect_way(const struct model *model,
		       const struct model_query *query,
		       const struct model_answer *answer,
		       struct reach_state *ret)
{
	const struct model_link *link = &model->links[answer->output];
	const bool tunnel = answer->output == MODEL_LINKS - 1;

	ret->interface_index = answer->output;
	if (model_source(model, query, answer, ret->source.bytes))
		ret->source.family = query->family;
	if (answer->gateway) {
		ret->gateway.family = query->family;
		model_gateway(query->family, answer->output,
			      ret->gateway.bytes);
	}
	if (!link->up || !link->carrier || link->sink) {
		ret->reason = REACH_REASON_LINK_DOWN;
	} else if (link->dormant) {
		/* No link of the model dials. */
		ret->flags = REACH_FLAG_REACHABLE |
			     REACH_FLAG_CONNECTION_REQUIRED;
		ret->reason = REACH_REASON_DORMANT;
	} else if (!ret->source.family ||
		   !model_owner(model, query->family, ret->source.bytes)) {
		ret->reason = REACH_REASON_NO_SOURCE;
	} else {
		ret->flags = REACH_FLAG_REACHABLE;
		if (tunnel)
			ret->flags |= REACH_FLAG_TRANSIENT_CONNECTION;
		else if (!answer->gateway)
			ret->flags |= REACH_FLAG_IS_DIRECT;
	}
}

/* The first address of a link, IPv4 before IPv6. */
static bool first_address(const struct model_link *link, uint32_t index,
			  struct reach_address *ret)
{
	for (int side = 0; side < 2; side++)
		for (uint32_t n = 0; n < MODEL_ADDRESSES; n++) {
			if (!link->addresses[side][n])
				continue;
			ret->family = side ? AF_INET6 : AF_INET;
			model_address((uint8_t)ret->family, index, n,
				      ret->bytes);
			return true;
		}
	return false;
}

/* Uses the network card if it exists, otherwise the veth device. */
static void expect_local_wifi(const struct model *model, uint32_t scope,
			      struct reach_state *ret)
{
	const uint32_t index = model->links[2].exists ? 2 : MODEL_VETH;
	const struct model_link *link = &model->links[index];

	ret->reason = REACH_REASON_LINK_DOWN;
	if ((scope && scope != index) || !link->exists || !link->up ||
	    !link->carrier || link->dormant || link->sink)
		return;
	ret->reason = REACH_REASON_NO_SOURCE;
	if (!first_address(link, index, &ret->source))
		return;
	ret->reason = REACH_REASON_NONE;
	ret->flags = REACH_FLAG_REACHABLE | REACH_FLAG_IS_DIRECT;
	ret->interface_index = index;
}

/* Whether a modem could help. The model treats all addresses as public. Only
 * the link itself leads to a neighbor, except on the tunnel. */
static bool lacks_way(const struct model_answer *answer, uint32_t reason)
{
	const bool neighbor = !answer->error && !answer->gateway &&
			      answer->output != MODEL_LINKS - 1;

	return reason == REACH_REASON_NO_ROUTE ||
	       (!neighbor && (reason == REACH_REASON_LINK_DOWN ||
			      reason == REACH_REASON_NO_SOURCE));
}

/* The link that has the name of the modem's interface now, or 0. */
static uint32_t modem_link(const struct model *model)
{
	uint32_t index;

	for (index = 1; index < MODEL_LINKS; index++)
		if (model->links[index].exists && model->modem_name &&
		    strcmp(model_link_name(model, index), model->modem_name) ==
			    0)
			return index;
	return 0;
}

static void expect_modem(const struct model *model,
			 const struct model_query *query,
			 const struct model_answer *answer,
			 struct reach_state *state)
{
	const bool locked = !(model->modem & REACH_MODEM_REGISTERED);
	const uint32_t index = modem_link(model);

	if (model->modem & REACH_MODEM_CONNECTED ||
	    !(model->modem & (REACH_MODEM_REGISTERED | REACH_MODEM_LOCKED)) ||
	    (query->output && query->output != index) ||
	    !lacks_way(answer, state->reason))
		return;
	*state = (struct reach_state){
		.flags = REACH_FLAG_REACHABLE | REACH_FLAG_IS_WWAN |
			 REACH_FLAG_TRANSIENT_CONNECTION |
			 REACH_FLAG_CONNECTION_REQUIRED,
		.reason = locked ? REACH_REASON_LOCKED_SIM
				 : REACH_REASON_NOT_CONNECTED,
		.interface_index = index,
	};
	if (locked)
		state->flags |= REACH_FLAG_INTERVENTION_REQUIRED;
	else if (model->modem & REACH_MODEM_ON_TRAFFIC)
		state->flags |= REACH_FLAG_CONNECTION_ON_TRAFFIC;
}

struct reach_state model_expect(const struct model *model,
				const struct model_query *query)
{
	const struct model_answer answer = model_lookup(model, query);
	struct reach_state state = { 0 };

	if (query->output && !model->links[query->output].exists)
		state.reason = REACH_REASON_NO_INTERFACE;
	else if (query->local_wifi)
		expect_local_wifi(model, query->output, &state);
	else if (answer.error)
		state.reason = query->output && query->family == AF_INET
				       ? REACH_REASON_NO_ROUTE
				       : reason_of(answer.error);
	else if (answer.route->type == RTN_LOCAL)
		expect_local(model, query, &state);
	else
		expect_way(model, query, &answer, &state);
	if (!query->local_wifi)
		expect_modem(model, query, &answer, &state);
	if (model->links[state.interface_index].exists)
		strcpy(state.interface_name,
		       model_link_name(model, state.interface_index));
	return state;
}
