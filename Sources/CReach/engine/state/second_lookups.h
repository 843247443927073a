/* SPDX-License-Identifier: MIT */
/*
 * Second lookups that are due: connect() does the same if routing depends on
 * the source.
 *
 * A socket without a source looks up twice. IPv4 takes the source of the first
 * answer and looks up again with it (ip_route_connect, include/net/route.h).
 * With an interface, it also does so after the answer that it makes up where
 * there is no route. IPv6 does so if the first answer is an error, with a
 * source of its choice (ip6_dst_lookup_tail, net/ipv6/ip6_output.c).
 *
 * RTM_GETROUTE looks up once. So if a rule or route selects by source, the
 * first answer isn't final. The lookup waits here until its batch ends. For
 * IPv6 it also waits for the caller to supply the source.
 *
 * A socket bound to a VRF chooses its IPv6 source among the links of the VRF;
 * RTM_GETROUTE chooses among all (rt6_fill_node passes no l3mdev to
 * ip6_route_get_saddr, net/ipv6/route.c). There the caller supplies the source
 * even if a route was found. A second lookup follows only if a rule or route
 * selects by source: the kernel then routes each packet with the source, since
 * the route found leaves by another link than the VRF (ip6_sk_dst_check,
 * net/ipv6/ip6_output.c).
 */
#ifndef REACH_ENGINE_STATE_SECOND_LOOKUPS_H
#define REACH_ENGINE_STATE_SECOND_LOOKUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <reach/address.h>

#include "engine/state/batch.h"
#include "engine/state/paths.h"

#pragma GCC visibility push(hidden)

struct reach_engine;

enum reach_second_lookup_state {
	/* The caller must supply the source. */
	REACH_SECOND_WANTS_SOURCE,
	/* To be sent, or sent. With `has_route`, `source` may be none. */
	REACH_SECOND_HAS_SOURCE,
	/* There is no source: the first answer stands, except for `error`. */
	REACH_SECOND_FAILED
};

struct reach_second_lookup {
	/* The request with its answers. */
	struct reach_request first;
	struct reach_address source;
	/* Positive errno of the caller's socket. Replaces the first answer's
	 * error unless it is 0. */
	uint16_t error;
	/* enum reach_second_lookup_state. */
	uint8_t state;
	/* IPv4: send it even if no rule selects by source. */
	bool whatever_the_rules;
	/* The first answer is a route, and the target is bound to a VRF. */
	bool has_route;
};

/* Owner: second_lookups.c. */
struct reach_second_lookups {
	size_t count;
	/* The items before this one have been handed to the caller. */
	size_t handed;
	/* The lookups are in flight or answered. */
	bool sent;
	struct reach_second_lookup items[REACH_BATCH];
};

/* Whether the answer @key to a lookup of an entry without a source of its own
 * calls for a second lookup. */
bool reach_second_lookup_is_needed(const struct reach_engine *engine,
				   const struct reach_path_key *key);

/* Makes the entry of @request wait. The request has all its answers. For IPv4
 * @key has the source. */
void reach_second_lookups_add(struct reach_engine *engine,
			      const struct reach_request *request,
			      const struct reach_path_key *key);

/* Whether IPv4's rules must be dumped first, since they may make second lookups
 * unnecessary. */
bool reach_second_lookups_want_rules(const struct reach_engine *engine);

/* The next second lookup whose source the caller must supply, or NULL. Returns
 * each once. */
struct reach_second_lookup *
reach_second_lookups_hand(struct reach_engine *engine);

/* The source of a lookup of kind REACH_REQUEST_SECOND. */
const struct reach_address *
reach_second_lookup_source(const struct reach_engine *engine,
			   const struct reach_request *request);

/* The lookups are being sent. */
void reach_second_lookups_send(struct reach_engine *engine);

/* Forgets all second lookups. They are answered or dropped. */
void reach_second_lookups_clear(struct reach_engine *engine);

#pragma GCC visibility pop

#endif
