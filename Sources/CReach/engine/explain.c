/* SPDX-License-Identifier: MIT */
/*
 * Explanations: the members of paths, links, and addresses behind a verdict,
 * and the rule recorded by verdict/verdict.c. No rule is implemented a second
 * time here.
 */
#include "engine/engine.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>

#include "engine/verdict/verdict.h"

static void explain_link(const struct reach_links *links,
			 const struct reach_link *link,
			 struct reach_explained_link *ret)
{
	_Static_assert((uint32_t)REACH_CLASS_BASIS_PORTS == REACH_BASIS_PORTS &&
			       REACH_EXPLAINED_LINKS_MAX == REACH_LAYERS_MAX,
		       "values are those of host/host.h");
	ret->index = link->index;
	ret->interface_class = reach_classify(links, link);
	ret->basis = reach_classify_basis(link);
	ret->state = reach_link_state(link);
	ret->master = link->master;
	ret->hardware_type = link->hardware_type;
	memcpy(ret->name, link->name, sizeof(ret->name));
	memcpy(ret->kind, link->kind, sizeof(ret->kind));
	memcpy(ret->devtype, link->evidence.devtype, sizeof(ret->devtype));
	memcpy(ret->driver, link->evidence.driver, sizeof(ret->driver));
}

static void explain_links(const struct reach_engine *engine, uint32_t index,
			  struct reach_explanation *ret)
{
	const struct reach_links *links = &engine->links;
	const struct reach_link *link = reach_links_find(links, index);

	while (link && ret->link_count < REACH_EXPLAINED_LINKS_MAX) {
		explain_link(links, link, &ret->links[ret->link_count++]);
		link = reach_classify_below(links, link);
	}
}

static void explain_source(const struct reach_engine *engine,
			   const struct reach_path *path,
			   struct reach_explanation *ret)
{
	const struct reach_own_address *own;

	ret->source = *reach_source_of(engine, path);
	if (path->key.type != RTN_LOCAL)
		ret->source_state = reach_source_judge(engine, path);
	own = reach_own_addresses_find(&engine->addresses, &ret->source,
				       path->key.output);
	if (!own)
		own = reach_own_addresses_find_any(&engine->addresses,
						   &ret->source);
	if (!own)
		return;
	ret->source_flags = own->flags;
	ret->source_interface = own->interface_index;
}

static void explain_answer(const struct reach_path_key *key,
			   struct reach_explanation *ret)
{
	ret->error = key->error;
	ret->output = key->output;
	ret->route_type = key->type;
	ret->table = key->table;
	if (key->length != REACH_LENGTH_UNKNOWN)
		ret->prefix_length = key->length;
	ret->gateway = key->gateway;
}

static void explain_destination(const struct reach_engine *engine,
				const struct reach_destination *destination,
				struct reach_explanation *ret)
{
	const struct reach_path *path =
		reach_path_at(engine, destination->path);

	ret->address = reach_destination_full(engine, destination);
	if (!destination->path)
		return;
	ret->lookups = path->key.bits & REACH_PATH_BY_SOURCE ? 2 : 1;
	ret->address_flags = path->verdict.flags;
	ret->address_rule = path->verdict.rule;
	if (path->key.bits & REACH_PATH_NO_INTERFACE)
		return;
	explain_answer(&path->key, ret);
	/* A route of an error type has no source. */
	if (path->key.output && path->verdict.rule != REACH_RULE_ERROR)
		explain_source(engine, path, ret);
	explain_links(engine, path->key.output, ret);
}

/* Sets @choice to the destination to explain: the one at @position or the one
 * that decided; NULL if there is none. @return 0 or -ENOENT. */
static int choose(const struct reach_engine *engine,
		  const struct reach_entry *entry, uint32_t position,
		  struct reach_explanation *ret,
		  const struct reach_destination **choice)
{
	const struct reach_aggregate *aggregate = entry->aggregate;

	if (entry->kind != REACH_ENTRY_AGGREGATE) {
		ret->address_count = 1;
		ret->lookup_count = 1;
		ret->reachable_count = !!(ret->flags & REACH_FLAG_REACHABLE);
		*choice = reach_destination_of(engine, entry->use.destination);
	} else {
		ret->address_count = aggregate->part_count;
		reach_parts_count(engine, aggregate, &ret->lookup_count,
				  &ret->reachable_count);
		ret->deciding = reach_parts_deciding(engine, aggregate);
		*choice = NULL;
	}
	ret->position = position == REACH_EXPLAIN_DECIDING ? ret->deciding
							   : position;
	if (position != REACH_EXPLAIN_DECIDING &&
	    position >= ret->address_count)
		return -ENOENT;
	if (!*choice && ret->position != REACH_NO_PART)
		*choice = reach_part_destination(engine, aggregate,
						 ret->position);
	return 0;
}

static void explain_modem(const struct reach_engine *engine, uint32_t selectors,
			  struct reach_explanation *ret)
{
	const struct reach_interface_facts *modem =
		reach_modem_best(engine, selectors);
	const struct reach_link *link;

	if (!modem || (ret->rule != REACH_RULE_MODEM &&
		       ret->address_rule != REACH_RULE_MODEM))
		return;
	ret->modem_conditions = modem->modem;
	link = reach_links_find_name(&engine->links, modem->interface_name);
	ret->modem_interface = link ? link->index : 0;
}

int reach_engine_explain(const struct reach_engine *engine, uint64_t id,
			 uint32_t position, struct reach_explanation *ret)
{
	struct reach_explanation explanation = {
		.size = sizeof(explanation),
		.prefix_length = REACH_PREFIX_UNKNOWN,
	};
	const struct reach_destination *choice;
	const struct reach_entry *entry;
	const struct reach_verdict *verdict;
	int err;

	if (!reach_sized_is_valid(ret, REACH_EXPLANATION_SIZE_1_0))
		return -EINVAL;
	err = reach_entry_find(engine, id, &entry);
	if (err)
		return err;
	verdict = reach_entry_verdict(engine, entry);
	explanation.rule = verdict->rule;
	explanation.flags = verdict->flags;
	err = choose(engine, entry, position, &explanation, &choice);
	if (err)
		return err;
	if (choice)
		explain_destination(engine, choice, &explanation);
	else
		explain_links(engine, verdict->interface_index, &explanation);
	if (!choice)
		explanation.source = verdict->source;
	explain_modem(engine,
		      choice ? choice->selectors : entry->aggregate->selectors,
		      &explanation);
	reach_sized_write(ret, &explanation, sizeof(explanation));
	return 0;
}

/* ---- for the monitor ---------------------------------------------------- */

/* The destination at @position of an explanation. */
static const struct reach_destination *
explained(const struct reach_engine *engine, uint64_t id, uint32_t position)
{
	const struct reach_entry *entry = reach_entry_at(
		&engine->entries, reach_targets_find(engine, id));

	if (entry->kind != REACH_ENTRY_AGGREGATE)
		return reach_destination_of(engine, entry->use.destination);
	return reach_part_destination(engine, entry->aggregate, position);
}

/* The source of the second lookup, or NULL if there was none. */
static const struct reach_address *
second_source(const struct reach_engine *engine,
	      const struct reach_destination *destination)
{
	const struct reach_path *path =
		reach_path_at(engine, destination->path);

	return path->key.bits & REACH_PATH_BY_SOURCE ? &path->key.source : NULL;
}

size_t reach_explain_request(const struct reach_engine *engine, uint64_t id,
			     uint32_t position, uint32_t sequence, void *buffer)
{
	const struct reach_destination *destination =
		explained(engine, id, position);

	if (!second_source(engine, destination))
		return 0;
	return reach_request_route(
		buffer, sequence,
		reach_selectors_at(engine, destination->selectors), destination,
		NULL, 0, false);
}

void reach_explain_take(const struct reach_engine *engine, uint64_t id,
			const struct reach_message *message,
			struct reach_explanation *ret)
{
	const struct reach_link *link;
	struct reach_reply reply;

	reach_reply_take(engine, &reply, message);
	ret->first_error = reply.error;
	if (reply.error)
		return;
	ret->first_source = reply.source;
	ret->first_output = reply.output;
	link = reach_links_find(&engine->links, reply.output);
	ret->is_leak =
		link && reach_link_is_vrf(link) && reply.type == RTN_UNICAST &&
		reach_selectors_at(
			engine, explained(engine, id, ret->position)->selectors)
				->bound != reply.output;
}

void reach_explain_selectors(const struct reach_engine *engine, uint64_t id,
			     const struct reach_explanation *explanation,
			     struct reach_explain_flow *ret)
{
	const struct reach_destination *destination =
		explained(engine, id, explanation->position);
	const struct reach_selectors *selectors =
		reach_selectors_at(engine, destination->selectors);
	const struct reach_link *link;

	*ret = (struct reach_explain_flow){
		.destination = reach_destination_full(engine, destination),
		.mark = selectors->key.mark,
		.uid = selectors->key.uid,
		.is_pair = selectors->key.local.family,
		.interface_index = selectors->bound,
	};
	if (selectors->key.with_source)
		ret->source = selectors->key.local;
	else if (second_source(engine, destination))
		ret->source = *second_source(engine, destination);
	link = reach_links_find(&engine->links,
				explanation->is_leak ? explanation->first_output
						     : selectors->bound);
	if (!link)
		return;
	memcpy(ret->output, link->name, sizeof(ret->output));
	ret->master = link->master;
	if (reach_link_is_vrf(link))
		ret->master = link->index;
}

/* ---- policy rules ------------------------------------------------------ */

static bool is_in_prefix(const struct reach_address *address,
			 const struct reach_address *prefix, uint8_t length)
{
	return !length || (address->family == prefix->family &&
			   reach_address_in_prefix(address, prefix, length));
}

static bool is_name(const char *wanted, const char *name)
{
	return !wanted[0] || strcmp(wanted, name) == 0;
}

/* Lookups are for TCP (query/requests.c). */
static bool is_for_packets(const struct reach_rule_message *rule,
			   const struct reach_explain_flow *flow)
{
	return (!rule->protocol || rule->protocol == IPPROTO_TCP) &&
	       is_in_prefix(&flow->destination, &rule->destination,
			    rule->destination_length) &&
	       is_in_prefix(&flow->source, &rule->source, rule->source_length);
}

/* Whether all selectors agree with the flow, before the inversion. Packets of
 * this host come in through lo. */
static bool agrees(const struct reach_rule_message *rule,
		   const struct reach_explain_flow *flow)
{
	const uint32_t detached = FIB_RULE_IIF_DETACHED | FIB_RULE_OIF_DETACHED;

	return !rule->others && !rule->tos && !(rule->flags & detached) &&
	       is_for_packets(rule, flow) && is_name(rule->input, "lo") &&
	       is_name(rule->output, flow->output) &&
	       flow->uid >= rule->first_uid && flow->uid <= rule->last_uid &&
	       (!rule->vrf || flow->master) &&
	       !((rule->mark ^ flow->mark) & rule->mark_mask);
}

/* Whether the rule selects by a property that lookups lack. */
static bool is_ignored(const struct reach_rule_message *rule)
{
	return rule->others || rule->tos || rule->protocol ||
	       rule->suppress_group != -1;
}

/* Whether the lookup ended at this matching rule. */
static bool decides(const struct reach_rule_message *rule,
		    const struct reach_explanation *answer)
{
	switch (rule->action) {
	case FR_ACT_TO_TBL:
		if (answer->error || !answer->table)
			return false;
		if (answer->prefix_length != REACH_PREFIX_UNKNOWN &&
		    (int32_t)answer->prefix_length <=
			    rule->suppress_prefix_length)
			return false;
		/* The table of the VRF; the rule doesn't have its number. */
		return rule->vrf ? answer->table != RT_TABLE_MAIN &&
					   answer->table != RT_TABLE_LOCAL
				 : answer->table == rule->table;
	case FR_ACT_BLACKHOLE:
		return answer->error == EINVAL;
	case FR_ACT_UNREACHABLE:
		return answer->error == ENETUNREACH;
	case FR_ACT_PROHIBIT:
		return answer->error == EACCES;
	default:
		return false;
	}
}

void reach_explain_rule(struct reach_explain_rules *rules,
			const struct reach_rule_message *rule)
{
	struct reach_explanation *ret = rules->ret;

	ret->policy_count += !reach_policy_stock_bit(rule);
	ret->policy_ignored += is_ignored(rule);
	/* As fib_rule_match() (net/core/fib_rules.c). */
	if (rules->found || rule->priority < rules->skip_to ||
	    agrees(rule, rules->flow) == !!(rule->flags & FIB_RULE_INVERT))
		return;
	if (rule->action == FR_ACT_GOTO)
		rules->skip_to = rule->target;
	if (!decides(rule, ret))
		return;
	rules->found = true;
	ret->policy_action = rule->action;
	ret->policy_priority = rule->priority;
}
