/* SPDX-License-Identifier: MIT */
/*
 * A simulated kernel with links, addresses, rules, routes, and next hops. When
 * they change, it sends events as rtnetlink does: some before the change is
 * made, some not at all. It answers lookups by brute force. The states of an
 * engine at rest must match these answers.
 */
#ifndef REACH_FUZZ_MODEL_H
#define REACH_FUZZ_MODEL_H

#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <sys/socket.h>

#include "fuzz.h"

/* Interface 1 is lo, 2 a network card, the last one a tunnel. MODEL_VETH is a
 * veth device whose peer is in another namespace, or an ifb device. */
#define MODEL_LINKS	5
#define MODEL_VETH	3
#define MODEL_ADDRESSES 3
#define MODEL_ROUTES	96
#define MODEL_RULES	12
#define MODEL_NEXTHOPS	3
#define MODEL_EVENTS	512
#define MODEL_TABLE	100
#define MODEL_MARK	7

struct model_link {
	bool exists;
	bool up;
	bool carrier;
	/* With carrier, but not ready yet (IFF_DORMANT). */
	bool dormant;
	bool renamed;
	/* Its neighbors may fail. The model's own lookups don't know of that:
	 * CInternals/monitor/judge.c has hosts whose kernel then leaves a
	 * route for another one. */
	bool resolves;
	/* MODEL_VETH is an ifb device, which drops what it is given. */
	bool sink;
	/* By family: whether the link has address n. */
	bool addresses[2][MODEL_ADDRESSES];
	/* Whether IPv6 address n is deprecated. */
	bool deprecated[MODEL_ADDRESSES];
};

struct model_route {
	bool used;
	uint8_t family;
	uint8_t type;
	uint8_t scope;
	uint8_t length;
	uint8_t prefix[16];
	uint32_t table;
	uint32_t metric;
	/* The id of the next hop object; 0 for none. */
	uint32_t nexthop;
	uint32_t outputs[2];
	uint8_t legs;
	bool gateway;
	/* The prescribed source: n + 1 for the link's address n; 0 for none. */
	uint8_t source;
	/* The time at which the route expires, or 0. */
	int64_t expires;
};

struct model_rule {
	bool used;
	uint8_t family;
	uint8_t action;
	uint8_t length;
	uint8_t prefix[16];
	uint32_t priority;
	uint32_t table;
	uint32_t mark;
	/* suppress_prefixlength: the longest prefix that is rejected, or -1. */
	int32_t suppress;
	/* The rule is for received packets, so it doesn't match ours. */
	bool incoming;
};

struct model_nexthop {
	bool used;
	bool gateway;
	uint8_t family;
	uint32_t output;
};

/* A change that was announced and hasn't been made yet. */
enum model_pending {
	MODEL_PENDING_NONE,
	MODEL_PENDING_ROUTE,
	MODEL_PENDING_DOWN,
	MODEL_PENDING_ADDRESS,
	MODEL_PENDING_NEXTHOP
};

struct model_event {
	uint32_t size;
	void *bytes;
};

struct model {
	struct model_link links[MODEL_LINKS];
	struct model_route routes[MODEL_ROUTES];
	struct model_rule rules[MODEL_RULES];
	struct model_nexthop nexthops[MODEL_NEXTHOPS + 1];
	/* By family. */
	bool ignore_linkdown[2];
	/* IPv4 has local and main in one trie until a rule is added. */
	bool merged;
	/* The only modem's conditions (enum reach_modem_condition), and its
	 * interface, or 0, with the name that it had when that was set. */
	uint32_t modem;
	uint32_t modem_index;
	const char *modem_name;
	/* Barriers don't wait for announced changes. */
	bool deaf;
	enum model_pending pending;
	uint32_t pending_link;
	uint32_t pending_what;
	uint8_t pending_family;
	int64_t now;
	/* The next dump is marked as interrupted (NLM_F_DUMP_INTR). */
	bool disturbed;
	/* An event was lost, because the queue was full. */
	bool lost;
	struct model_event events[MODEL_EVENTS];
	size_t event_count;
};

struct model_query {
	uint8_t family;
	uint8_t bytes[16];
	uint32_t output;
	uint32_t mark;
	/* The target is the local Wi-Fi instead of an address. */
	bool local_wifi;
};

/* The answer to a lookup. */
struct model_answer {
	/* A positive errno, or 0. */
	int error;
	const struct model_route *route;
	uint32_t output;
	bool gateway;
};

/* ---- model.c ----------------------------------------------------------- */

void model_init(struct model *model);
void model_free(struct model *model);

static inline int model_side(uint8_t family)
{
	return family == AF_INET6;
}

/* Write address @n of link @index, or the link's gateway. Return the size in
 * bytes. */
size_t model_address(uint8_t family, uint32_t index, uint32_t n, uint8_t *ret);
size_t model_gateway(uint8_t family, uint32_t index, uint8_t *ret);

/* The prefix length of the networks on links. */
uint8_t model_subnet(uint8_t family);

/* Clears all bits after the first @length. */
void model_mask(uint8_t *bytes, uint8_t length);

struct model_answer model_lookup(const struct model *model,
				 const struct model_query *query);

/* Writes the source address for a destination over the route of @answer.
 * Returns its size, or 0 for none. */
size_t model_source(const struct model *model, const struct model_query *query,
		    const struct model_answer *answer, uint8_t *ret);

/* The link that has an address, or 0. */
uint32_t model_owner(const struct model *model, uint8_t family,
		     const uint8_t *bytes);

bool model_has_ipv4(const struct model_link *link);

/* ---- model_messages.c -------------------------------------------------- */

/* The size of a buffer for one message. */
#define MODEL_MESSAGE 1024

struct nlmsghdr *model_put_route(const struct model *model, void *buffer,
				 uint16_t type,
				 const struct model_route *route);
const char *model_link_name(const struct model *model, uint32_t index);
struct nlmsghdr *model_put_link(const struct model *model, void *buffer,
				uint16_t type, uint32_t index);
struct nlmsghdr *model_put_address(const struct model *model, void *buffer,
				   uint16_t type, uint8_t family,
				   uint32_t index, uint32_t n);
struct nlmsghdr *model_put_rule(void *buffer, uint16_t type,
				const struct model_rule *rule);
struct nlmsghdr *model_put_netconf(const struct model *model, void *buffer,
				   uint8_t family, int index);

/* Queues an event. */
void model_tell(struct model *model, const struct nlmsghdr *header);
void model_tell_link(struct model *model, uint16_t type, uint32_t index);
void model_tell_address(struct model *model, uint16_t type, uint8_t family,
			uint32_t index, uint32_t n);
void model_tell_route(struct model *model, uint16_t type,
		      const struct model_route *route);
void model_tell_nexthop(struct model *model, uint16_t type, uint32_t id);

/* ---- model_changes.c, model_links.c ------------------------------------ */

/* Each function makes a change that it reads from the script. */
void model_change_route(struct model *model, struct script *script);
void model_remove_route(struct model *model, struct script *script);
void model_change_link(struct model *model, struct script *script);
void model_change_carrier(struct model *model, struct script *script);
void model_change_address(struct model *model, struct script *script);
void model_change_rule(struct model *model, struct script *script);
void model_change_setting(struct model *model, struct script *script);
void model_change_nexthop(struct model *model, struct script *script);

/* Makes the change that was announced, if there is one. */
void model_carry_out(struct model *model);

/* The route with the same table, prefix, and metric, or NULL. */
struct model_route *model_find(struct model *model,
			       const struct model_route *wanted);

/* Adds or replaces a route, then queues the event. */
void model_set(struct model *model, const struct model_route *wanted);

uint32_t model_link_of(uint8_t choice);

/* Writes one of the 256 addresses that targets and routes are made of. Returns
 * its family. */
uint8_t model_pick(uint8_t choice, uint8_t *ret);

/* ---- model_answers.c --------------------------------------------------- */

/* Answers up to @count requests of an engine. Returns whether any are left. */
bool model_answers(struct model *model, struct reach_engine *engine,
		   struct outstanding *requests, size_t count);

/* ---- model_verdict.c --------------------------------------------------- */

struct reach_state model_expect(const struct model *model,
				const struct model_query *query);

/* ---- model_script.c ---------------------------------------------------- */

/* @deaf: the kernel's barriers don't wait for announced changes. */
void fuzz_model(const uint8_t *bytes, size_t size, bool deaf);

#endif
