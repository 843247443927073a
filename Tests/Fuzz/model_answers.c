/* SPDX-License-Identifier: MIT */
/* Answers requests from the model's tables. */
#include <errno.h>
#include <string.h>

#include <libmnl/libmnl.h>

#include "model.h"

struct reply {
	struct model *model;
	struct reach_engine *engine;
	const struct nlmsghdr *request;
	_Alignas(8) uint8_t bytes[MODEL_MESSAGE];
};

static void deliver(struct reply *reply, struct nlmsghdr *header)
{
	uint8_t *copy;

	header->nlmsg_seq = reply->request->nlmsg_seq;
	if (reply->request->nlmsg_flags & NLM_F_DUMP) {
		header->nlmsg_flags |= NLM_F_MULTI;
		if (reply->model->disturbed)
			header->nlmsg_flags |= NLM_F_DUMP_INTR;
	}
	copy = fuzz_copy(header, header->nlmsg_len);
	PROMISE(reach_engine_answers(reply->engine, copy, header->nlmsg_len) ==
		0);
	free(copy);
}

static void refuse(struct reply *reply, int error)
{
	struct nlmsghdr *header = mnl_nlmsg_put_header(reply->bytes);
	struct nlmsgerr *body =
		mnl_nlmsg_put_extra_header(header, sizeof(*body));

	header->nlmsg_type = NLMSG_ERROR;
	header->nlmsg_flags = 0;
	body->error = -error;
	body->msg = *reply->request;
	deliver(reply, header);
}

static void done(struct reply *reply, int error)
{
	struct nlmsghdr *header = mnl_nlmsg_put_header(reply->bytes);
	int32_t *body = mnl_nlmsg_put_extra_header(header, sizeof(*body));

	header->nlmsg_type = NLMSG_DONE;
	*body = -error;
	deliver(reply, header);
	reply->model->disturbed = false;
}

static void dump_links(struct reply *reply)
{
	for (uint32_t index = 1; index < MODEL_LINKS; index++)
		if (reply->model->links[index].exists)
			deliver(reply,
				model_put_link(reply->model, reply->bytes,
					       RTM_NEWLINK, index));
	done(reply, 0);
}

static void dump_addresses(struct reply *reply)
{
	const unsigned int count = 2 * MODEL_LINKS * MODEL_ADDRESSES;

	for (unsigned int i = 0; i < count; i++) {
		const uint32_t n = i % MODEL_ADDRESSES;
		const uint32_t index = i / MODEL_ADDRESSES % MODEL_LINKS;
		const bool inet6 = i >= count / 2;

		if (reply->model->links[index].addresses[inet6][n])
			deliver(reply,
				model_put_address(
					reply->model, reply->bytes, RTM_NEWADDR,
					inet6 ? AF_INET6 : AF_INET, index, n));
	}
	done(reply, 0);
}

static void dump_rules(struct reply *reply, uint8_t family)
{
	for (size_t i = 0; i < MODEL_RULES; i++) {
		const struct model_rule *rule = &reply->model->rules[i];

		if (rule->used && rule->family == family)
			deliver(reply, model_put_rule(reply->bytes, RTM_NEWRULE,
						      rule));
	}
	done(reply, 0);
}

/* Dumps only the requested table, as the kernel does with strict checking. */
static void dump_routes(struct reply *reply, const struct rtmsg *asked)
{
	bool any = false;

	for (size_t i = 0; i < MODEL_ROUTES; i++) {
		const struct model_route *route = &reply->model->routes[i];

		if (!route->used || route->family != asked->rtm_family ||
		    route->table != asked->rtm_table)
			continue;
		any = true;
		deliver(reply, model_put_route(reply->model, reply->bytes,
					       RTM_NEWROUTE, route));
	}
	done(reply, any ? 0 : ENOENT);
}

static void dump(struct reply *reply)
{
	const struct rtmsg *asked = mnl_nlmsg_get_payload(reply->request);

	switch (reply->request->nlmsg_type) {
	case RTM_GETLINK:
		dump_links(reply);
		break;
	case RTM_GETADDR:
		dump_addresses(reply);
		break;
	case RTM_GETRULE:
		dump_rules(reply, asked->rtm_family);
		break;
	case RTM_GETNETCONF:
		deliver(reply, model_put_netconf(reply->model, reply->bytes,
						 asked->rtm_family, -1));
		done(reply, 0);
		break;
	default:
		PROMISE(reply->request->nlmsg_type == RTM_GETROUTE);
		dump_routes(reply, asked);
		break;
	}
}

static struct model_query query_of(const struct nlmsghdr *request)
{
	const struct rtmsg *asked = mnl_nlmsg_get_payload(request);
	struct model_query query = { .family = asked->rtm_family };
	const struct nlattr *attr;

	mnl_attr_for_each(attr, request, sizeof(*asked))
	{
		switch (mnl_attr_get_type(attr)) {
		case RTA_DST:
			memcpy(query.bytes, mnl_attr_get_payload(attr),
			       mnl_attr_get_payload_len(attr));
			break;
		case RTA_OIF:
			query.output = mnl_attr_get_u32(attr);
			break;
		case RTA_MARK:
			query.mark = mnl_attr_get_u32(attr);
			break;
		default:
			break;
		}
	}
	return query;
}

/* The answer to a lookup without RTM_F_FIB_MATCH: one packet's path. */
static void put_plain(struct reply *reply, const struct model_query *query,
		      const struct model_answer *answer)
{
	struct model_route route = *answer->route;
	struct nlmsghdr *header;
	uint8_t source[16];
	size_t size = 0;

	route.nexthop = 0;
	route.source = 0;
	route.expires = 0;
	route.legs = 1;
	route.outputs[0] = route.type == RTN_LOCAL ? 1 : answer->output;
	route.gateway = answer->gateway;
	if (query->family == AF_INET)
		route.table = RT_TABLE_MAIN;
	route.length = query->family == AF_INET ? 32 : 128;
	memcpy(route.prefix, query->bytes, sizeof(route.prefix));
	if (route.type == RTN_LOCAL) {
		memcpy(source, query->bytes, sizeof(source));
		size = query->family == AF_INET ? 4 : 16;
	} else {
		size = model_source(reply->model, query, answer, source);
	}
	header = model_put_route(reply->model, reply->bytes, RTM_NEWROUTE,
				 &route);
	if (size)
		mnl_attr_put(header, RTA_PREFSRC, size, source);
	/* IPv6 adds a prescribed source a second time (rt6_fill_node). */
	if (size && query->family == AF_INET6 && answer->route->source)
		mnl_attr_put(header, RTA_PREFSRC, size, source);
	deliver(reply, header);
}

/* If a lookup names an interface and no route matches, IPv4 answers as if the
 * destination were on that link. */
static void invent(struct reply *reply, const struct model_query *query)
{
	const struct model_route route = {
		.family = AF_INET,
		.type = RTN_UNICAST,
		.outputs = { query->output },
		.legs = 1,
	};
	const struct model_answer answer = { .route = &route,
					     .output = query->output };

	put_plain(reply, query, &answer);
}

static void look_up(struct reply *reply)
{
	const struct rtmsg *asked = mnl_nlmsg_get_payload(reply->request);
	const struct model_query query = query_of(reply->request);
	const struct model_answer answer = model_lookup(reply->model, &query);
	const bool match = asked->rtm_flags & RTM_F_FIB_MATCH;

	if (answer.error && !match && query.output && query.family == AF_INET)
		invent(reply, &query);
	else if (answer.error)
		refuse(reply, query.output && query.family == AF_INET
				      ? EHOSTUNREACH
				      : answer.error);
	else if (match)
		deliver(reply, model_put_route(reply->model, reply->bytes,
					       RTM_NEWROUTE, answer.route));
	else
		put_plain(reply, &query, &answer);
}

bool model_answers(struct model *model, struct reach_engine *engine,
		   struct outstanding *requests, size_t count)
{
	struct reply reply = { .model = model, .engine = engine };
	uint32_t offset = 0;

	for (; count > 0 && offset < requests->size; count--) {
		reply.request = (const void *)(requests->bytes + offset);
		memset(reply.bytes, 0, sizeof(reply.bytes));
		offset += (reply.request->nlmsg_len + 3) & ~(uint32_t)3;
		if (reply.request->nlmsg_flags & NLM_F_DUMP) {
			/* The engine trusts dumps, so these must be current. */
			if (model->deaf)
				model_carry_out(model);
			dump(&reply);
		} else if (reply.request->nlmsg_type == RTM_GETROUTE) {
			look_up(&reply);
		} else {
			/* The barrier waits for changes under way. */
			PROMISE(reply.request->nlmsg_type == RTM_GETSTATS);
			if (!model->deaf)
				model_carry_out(model);
			refuse(&reply, ENODEV);
		}
	}
	requests->size -= offset;
	memmove(requests->bytes, requests->bytes + offset, requests->size);
	PROMISE(requests->size > 0 || reach_engine_pending(engine) == 0);
	return requests->size > 0;
}
