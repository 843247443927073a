/* SPDX-License-Identifier: MIT */
/* Reads the fields that decode_idiom.c reads, with the same weights, from the struct
 * filled by reach_message_decode(). */
#include <stdbool.h>
#include <string.h>

#include "decode.h"

static uint64_t address(const struct reach_address *address)
{
	uint64_t words[2];

	memcpy(words, address->bytes, sizeof(words));
	return words[0] + words[1] * 3;
}

static uint64_t text(const char *text)
{
	return (uint64_t)text[0] + (uint64_t)text[3];
}

/* RTA_GATEWAY, or RTA_VIA of the other family. */
static uint64_t gateway(const struct reach_address *gateway, uint8_t family,
			uint64_t weight)
{
	if (gateway->family && gateway->family != family)
		return gateway->family + (uint64_t)gateway->bytes[3];
	return address(gateway) * weight;
}

static uint64_t route(const struct reach_route_message *route)
{
	const uint8_t family = route->family;
	uint64_t sum;
	uint32_t i;

	sum = family + route->destination_length * 3U + route->source_length +
	      route->tos + route->protocol * 5U + route->scope * 7U +
	      route->type * 11U + route->flags;
	sum += route->table + (uint64_t)route->output * 13 + route->input +
	       (uint64_t)route->priority * 17 + route->nexthop_id +
	       route->mark + route->uid + (uint64_t)route->expires;
	sum += address(&route->destination) * 19 +
	       address(&route->source_prefix) +
	       gateway(&route->gateway, family, 23) +
	       address(&route->preferred_source) * 29;
	for (i = 0; i < route->leg_count && i < REACH_LEGS_MAX; i++)
		sum += (uint64_t)route->legs[i].interface_index +
		       route->legs[i].flags + route->legs[i].hops +
		       gateway(&route->legs[i].gateway, family, 1);
	return sum;
}

static uint64_t link_message(const struct reach_link_message *link)
{
	return link->family + link->hardware_type * 3U +
	       (uint64_t)link->index * 5 + link->flags * UINT64_C(7) +
	       link->mtu + (uint64_t)link->master * 11 +
	       (uint64_t)link->lower * 13 + (uint32_t)link->lower_netns +
	       link->operstate * 17U + link->carrier + text(link->name) +
	       ((link->present & REACH_LINK_WIRELESS) != 0) +
	       link->hardware_address[5] + text(link->kind) + link->slave_state;
}

static uint64_t address_message(const struct reach_address_message *own)
{
	const bool has_local = own->present & REACH_ADDRESS_LOCAL;
	const struct reach_address *whole = own->peer.family ? &own->peer
							     : &own->address;
	uint64_t sum;

	sum = own->family + own->prefix_length * 3U + own->scope * 5U +
	      own->interface_index * UINT64_C(7) + own->flags;
	sum += has_local ? address(&own->address) * 11 : 0;
	sum += own->present & REACH_ADDRESS_ADDRESS ? address(whole) * 13 : 0;
	return sum + address(&own->broadcast) * 17;
}

static uint64_t read_one(const struct reach_message *message)
{
	const uint64_t sum = message->type + message->flags +
			     message->sequence + (uint64_t)message->port;

	switch (message->kind) {
	case REACH_MESSAGE_ROUTE:
		return sum + route(&message->u.route);
	case REACH_MESSAGE_LINK:
		return sum + link_message(&message->u.link);
	case REACH_MESSAGE_ADDRESS:
		return sum + address_message(&message->u.address);
	case REACH_MESSAGE_DONE:
	case REACH_MESSAGE_ERROR:
		return 0;
	default:
		return sum;
	}
}

uint64_t read_by_reach(const struct corpus *corpus)
{
	struct reach_message message;
	const void *datagram;
	size_t at = 0, size;
	uint64_t sum = 0;

	while ((datagram = corpus_next(corpus, &at, &size))) {
		size_t offset = 0;

		while (reach_message_decode(datagram, size, &offset,
					    &message) == 1)
			sum += read_one(&message);
	}
	return sum;
}
