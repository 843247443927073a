/* SPDX-License-Identifier: MIT */
/* reach_monitor_explain(): a lookup and a dump of policy rules on the lookup
 * socket, between two batches of the engine. */
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/rtnetlink.h>

#include "monitor/monitor.h"

/* Sequence number of requests here. The engine begins with 1, and ignores
 * answers to batches other than the last. */
#define SEQUENCE 0

#define REQUEST_SIZE 128

/* What is asked for target @id: policy rules or, without `rules`, the first of
 * two lookups. */
struct question {
	const struct reach_engine *engine;
	uint64_t id;
	struct reach_explain_rules *rules;
	struct reach_explanation *ret;
};

static void take(const struct question *question,
		 const struct reach_message *message)
{
	if (!question->rules)
		reach_explain_take(question->engine, question->id, message,
				   question->ret);
	else if (message->kind == REACH_MESSAGE_RULE)
		reach_explain_rule(question->rules, &message->u.rule);
}

/* Takes the messages of a datagram. @return whether the answer is complete. */
static bool take_all(const struct reach_datagram *datagram,
		     const struct question *question)
{
	struct reach_message message;
	size_t offset = 0;
	int ret;

	while ((ret = reach_message_decode(datagram->bytes, datagram->size,
					   &offset, &message)) &&
	       ret != -EINVAL) {
		if (ret < 0 || message.sequence != SEQUENCE)
			continue;
		take(question, &message);
		if (message.kind == REACH_MESSAGE_DONE ||
		    message.kind == REACH_MESSAGE_ERROR ||
		    !(message.flags & NLM_F_MULTI))
			return true;
	}
	return false;
}

/* Sends a request and takes its answer. rtnetlink answers within send(), and
 * continues a dump in recvmsg(). Missing answers stay unknown. */
static void ask(struct reach_monitor *monitor, const struct nlmsghdr *request,
		const struct question *question)
{
	struct reach_datagram datagram;
	bool complete = false;

	if (send(monitor->lookups, request, request->nlmsg_len, 0) < 0)
		return;
	while (!complete &&
	       !reach_receive(monitor->lookups, monitor->datagram,
			      sizeof(monitor->datagram), &datagram))
		complete = datagram.from_kernel &&
			   take_all(&datagram, question);
}

static void ask_first(struct reach_monitor *monitor, uint64_t id,
		      struct reach_explanation *ret)
{
	_Alignas(4) uint8_t buffer[REQUEST_SIZE];
	const struct question question = { monitor->engine, id, NULL, ret };

	if (reach_explain_request(monitor->engine, id, ret->position, SEQUENCE,
				  buffer))
		ask(monitor, (const void *)buffer, &question);
}

static void ask_rules(struct reach_monitor *monitor,
		      struct reach_explain_flow flow,
		      struct reach_explanation *ret)
{
	_Alignas(4) uint8_t buffer[REQUEST_SIZE];
	struct reach_explain_rules rules = { .flow = &flow, .ret = ret };
	const struct question question = { .rules = &rules };

	if (flow.uid == REACH_UID_CALLER)
		flow.uid = getuid();
	(void)reach_request_dump(buffer,
				 flow.destination.family == AF_INET6
					 ? REACH_REQUEST_POLICY6
					 : REACH_REQUEST_POLICY,
				 SEQUENCE);
	ask(monitor, (const void *)buffer, &question);
}

/* Asks a socket for the source. The result stays unknown if no such socket can
 * be set up. */
static void ask_socket(struct reach_monitor *monitor,
		       const struct reach_explain_flow *flow,
		       struct reach_explanation *ret)
{
	const struct reach_source_request request = {
		.destination = flow->destination,
		.interface_index = flow->interface_index,
		.mark = flow->mark,
		.uid = flow->uid,
	};
	struct reach_address source = { 0 };
	int err;

	if (flow->is_pair)
		return;
	err = reach_input_source(&monitor->input, monitor->engine, &request,
				 &source);
	if (err == -EOPNOTSUPP)
		return;
	ret->socket_asked = 1;
	ret->socket_error = -err;
	if (!err)
		ret->socket_source = source;
}

int reach_monitor_explain(struct reach_monitor *monitor, uint64_t id,
			  uint32_t position, struct reach_explanation *ret)
{
	struct reach_explanation explanation = { .size = sizeof(explanation) };
	struct reach_explain_flow flow;
	int err;

	if (reach_fork_is_child(&monitor->fork))
		return -ECHILD;
	if (!reach_sized_is_valid(ret, REACH_EXPLANATION_SIZE_1_0))
		return -EINVAL;
	err = reach_engine_explain(monitor->engine, id, position, &explanation);
	if (err)
		return err;
	if (explanation.address.family &&
	    explanation.address_rule != REACH_RULE_NO_INTERFACE &&
	    !reach_engine_pending(monitor->engine)) {
		ask_first(monitor, id, &explanation);
		reach_explain_selectors(monitor->engine, id, &explanation,
					&flow);
		ask_rules(monitor, flow, &explanation);
		ask_socket(monitor, &flow, &explanation);
	}
	reach_sized_write(ret, &explanation, sizeof(explanation));
	return 0;
}
