/* SPDX-License-Identifier: MIT */
/* A digest of the fields that both readers fill. */
#ifndef REACH_DIGEST_H
#define REACH_DIGEST_H

#include <string.h>

#include <reach/message.h>

#include "CWorkloads.h"

static inline uint64_t digest_address(const struct reach_address *address)
{
	uint64_t words[2];

	memcpy(words, address->bytes, sizeof(words));
	return words[0] + words[1] + address->family;
}

static inline void digest_route(struct reading *reading,
				const struct reach_route_message *route)
{
	reading->digest +=
		route->flags + route->family + route->type +
		route->destination_length + route->protocol + route->scope +
		route->table + (uint64_t)route->output + route->priority +
		(uint64_t)route->expires + route->source_length + route->tos +
		route->input + route->nexthop_id + route->mark + route->uid +
		digest_address(&route->source_prefix) +
		digest_address(&route->destination) +
		digest_address(&route->gateway) +
		digest_address(&route->preferred_source);
	for (uint32_t i = 0; i < route->leg_count && i < REACH_LEGS_MAX; i++)
		reading->digest += digest_address(&route->legs[i].gateway) +
				   route->legs[i].interface_index;
}

static inline void digest_link(struct reading *reading,
			       const struct reach_link_message *link)
{
	reading->digest += link->flags + link->index + link->flags + link->mtu +
			   link->master + link->lower + link->operstate +
			   link->carrier + link->hardware_type +
			   (uint64_t)link->lower_netns + link->family +
			   link->slave_state +
			   (uint64_t)link->hardware_address[5] +
			   (uint64_t)link->name[3] + (uint64_t)link->kind[0];
}

static inline uint64_t digest_rare(const struct reach_message *message)
{
	switch (message->kind) {
	case REACH_MESSAGE_RULE:
		return message->u.rule.table + message->u.rule.priority +
		       message->u.rule.mark + message->u.rule.mark_mask +
		       message->u.rule.others +
		       digest_address(&message->u.rule.destination) +
		       digest_address(&message->u.rule.source);
	case REACH_MESSAGE_NEXTHOP:
		return message->u.nexthop.id + message->u.nexthop.output +
		       message->u.nexthop.group_count +
		       message->u.nexthop.blackhole +
		       digest_address(&message->u.nexthop.gateway);
	case REACH_MESSAGE_NETCONF:
		return (uint64_t)message->u.netconf.interface_index +
		       (uint64_t)message->u.netconf.forwarding +
		       (uint64_t)message->u.netconf.ignore_routes_with_linkdown;
	default:
		return message->type;
	}
}

static inline void
digest_address_message(struct reading *reading,
		       const struct reach_address_message *address)
{
	reading->digest +=
		address->flags + address->prefix_length + address->flags +
		address->scope + address->interface_index + address->valid +
		address->preferred + digest_address(&address->address) +
		digest_address(&address->peer) +
		digest_address(&address->broadcast);
}

/* The kinds that both readers decode are counted. */
static inline void digest(struct reading *reading,
			  const struct reach_message *message)
{
	if (message->kind < REACH_MESSAGE_LINK ||
	    message->kind > REACH_MESSAGE_ROUTE) {
		reading->others += digest_rare(message);
		return;
	}
	reading->messages++;
	/* The first member of each of the three. */
	reading->digest += message->u.route.present;
	if (message->kind == REACH_MESSAGE_ROUTE)
		digest_route(reading, &message->u.route);
	else if (message->kind == REACH_MESSAGE_LINK)
		digest_link(reading, &message->u.link);
	else
		digest_address_message(reading, &message->u.address);
}

#endif
