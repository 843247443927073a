/* SPDX-License-Identifier: MIT */
#ifndef BYTES_H
#define BYTES_H

#include <linux/if.h>

#include "check.h"
#include "engine/state/state.h"

struct nlmsghdr;

#define BYTES_SECOND INT64_C(1000000000)

/* A simulated kernel, which answers an engine's netlink requests. Its links are
 * lo and eth0 (index 2), both up. Its addresses are 10.0.0.2 and fd00::2 on
 * eth0. `look_up` answers the lookups. */
struct bytes {
	struct reach_engine *engine;
	/* Puts the answer's attributes and completes its struct rtmsg, which
	 * already has the request's family and prefix length. Returns 0, or a
	 * positive errno for the kernel to answer with. */
	int (*look_up)(struct bytes *bytes, const struct nlmsghdr *request,
		       struct nlmsghdr *answer);
	/* For `look_up`. */
	void *context;
	/* Answers the engine's request for a source address. If NULL, such
	 * requests aren't taken from the engine. */
	void (*name_source)(struct bytes *bytes,
			    const struct reach_source_request *request);
	/* Lookups answered so far, barriers (RTM_GETSTATS requests), and dumps,
	 * with the caller's reading of IPv6 routes. */
	unsigned int lookups;
	unsigned int barriers;
	unsigned int dumps;
	/* eth0 has no addresses. */
	bool bare;
	/* A third link, eth1, is up and dormant. */
	bool dormant;
	/* The next dump of links lacks eth1, and says that it was
	 * interrupted. */
	bool interrupted;
	/* eth0 is a VRF. */
	bool vrf;
	/* The only link that has a carrier when it alone is asked for; 0 for
	 * all. */
	uint32_t up;
	/* As gVisor from 2019 to 2024 (pkg/sentry/socket/netlink/route): no
	 * flags of a route request, and no rules. */
	bool gvisor;
	unsigned int refusals;
	/* The family that has one rule more than the kernel starts with; 0 for
	 * none. */
	uint8_t ruled;
	/* That rule selects by the source 10.0.0.2. Requires `ruled` to be
	 * AF_INET. */
	bool by_source;
	/* IPv6 has routes that select by source. */
	bool source_routes;
	/* The engine may lack memory. */
	bool scarce;
	/* For bytes_way(). */
	bool more;
};

/* A `look_up` that finds no route. */
int bytes_no_route(struct bytes *bytes, const struct nlmsghdr *request,
		   struct nlmsghdr *answer);

/* A `look_up` that finds a route over eth0, with its address as the source. */
int bytes_route(struct bytes *bytes, const struct nlmsghdr *request,
		struct nlmsghdr *answer);

/* A `look_up` whose context is the route of each family to all destinations,
 * IPv4's first, and the one to 10.1.0.0/16, which the kernel has if `more`. */
struct bytes_way {
	/* A positive errno for the kernel to answer with, or 0. */
	int error;
	/* Of eth0 if 0. */
	uint32_t output;
	/* RTN_*; 0 for RTN_UNICAST. */
	uint8_t type;
	/* Of the match. */
	uint8_t length;
	/* No source is named. */
	bool sourceless;
	/* The source, or NULL for eth0's address. */
	const char *source;
	/* NULL for none. */
	const char *gateway;
};
int bytes_way(struct bytes *bytes, const struct nlmsghdr *request,
	      struct nlmsghdr *answer);

/* For `look_up`: whether a request asks for the matching route, and the value of
 * one of its attributes, or NULL. */
bool bytes_wants_match(const struct nlmsghdr *request);
const void *bytes_attribute(const struct nlmsghdr *request, uint16_t type);
/* Adds an address to an answer, and eth0's address of the answer's family as the
 * source. */
void bytes_put_address(struct nlmsghdr *answer, uint16_t type,
		       const char *text);
void bytes_put_source(struct nlmsghdr *answer);

/* Creates an engine whose clock shows @now. */
void bytes_open(struct bytes *bytes, int64_t now);
void bytes_close(struct bytes *bytes);
/* A struct bytes that closes itself at the end of its block. */
#define SCOPED_BYTES __attribute__((cleanup(bytes_close))) struct bytes

/* Adds a target. Returns its id. */
uint64_t bytes_add(struct bytes *bytes, const struct reach_target *target);
/* The same for a target that check_target() makes. */
uint64_t bytes_add_new(struct bytes *bytes, enum reach_target_kind kind,
		       const char *remote);

/* Adds an address target for @text. Returns its id. */
uint64_t bytes_watch(struct bytes *bytes, const char *text,
		     uint32_t interface_index);

/* The same for the addresses that begin with @prefix, and end with 1 to @count.
 * Their ids are in @ids, if it isn't NULL. */
void bytes_watch_many(struct bytes *bytes, const char *prefix,
		      unsigned int count, uint64_t *ids);

/* bytes_open() at one second, bytes_watch(), and bytes_settle(). */
uint64_t bytes_begin(struct bytes *bytes, const char *text,
		     uint32_t interface_index);

/* Takes the engine's next requests. Returns their size in bytes; 0 for none.
 * bytes_reply() answers them. */
size_t bytes_ask(struct bytes *bytes);
void bytes_reply(struct bytes *bytes);
/* Both, until the engine has no requests. */
void bytes_answer(struct bytes *bytes);

/* Answers requests until the engine has none, then takes all changes. Returns
 * the number of changes. */
size_t bytes_settle(struct bytes *bytes);

/* bytes_settle(), and 1 ms without an event, after which the engine has dumped
 * rules and settings. */
void bytes_idle(struct bytes *bytes);

/* bytes_settle(), and the state of a target. */
struct reach_state bytes_state(struct bytes *bytes, uint64_t id);

/* The same for what explains it. */
struct reach_explanation bytes_explain(struct bytes *bytes, uint64_t id);

struct reach_stats bytes_stats(const struct bytes *bytes);

/* Events: an address of eth0 ("10.0.0.2", "fd00::2") is added or deleted, a
 * link goes up or down, a default route is added or deleted. */
void bytes_tell_address(struct bytes *bytes, uint16_t type, const char *text);
/* The same for an address of the link @index. */
void bytes_tell_address_of(struct bytes *bytes, uint32_t index, uint16_t type,
			   const char *text);
/* The same for an address of eth0 with this prefix length, and IFA_F_*. */
void bytes_tell_own(struct bytes *bytes, uint16_t type, const char *text,
		    uint8_t length, uint32_t flags);
void bytes_tell_link(struct bytes *bytes, uint32_t index, bool up);
/* A neighbor changes. */
void bytes_tell_neighbor(struct bytes *bytes);
/* A link that is up gets this master. */
void bytes_tell_port(struct bytes *bytes, uint32_t index, uint32_t master);
void bytes_tell_route(struct bytes *bytes, uint16_t type, uint8_t family);
/* The same for the route to a prefix, and to 10.1.0.0/16. */
void bytes_tell_prefix(struct bytes *bytes, uint16_t type, const char *prefix,
		       uint8_t length);
void bytes_tell_more(struct bytes *bytes, uint16_t type);
/* The flags of a link that is up and has a carrier. */
#define BYTES_UP (IFF_UP | IFF_RUNNING | IFF_LOWER_UP)

/* All of a link, with one message. */
struct bytes_link {
	uint32_t index;
	/* Its name: if NULL, lo for 1, eth0 for 2, and so on; its kind, or
	 * NULL. */
	const char *name;
	const char *kind;
	/* IFF_*. */
	uint32_t flags;
	/* ARPHRD_*; 0 for Ethernet. */
	uint16_t type;
	uint32_t master;
	/* The lower link, which is in another namespace if `elsewhere`. */
	uint32_t lower;
	bool elsewhere;
	/* Of the message. */
	uint8_t family;
	/* Six bytes, or NULL. */
	const char *address;
};
void bytes_tell_of(struct bytes *bytes, uint16_t type,
		   const struct bytes_link *link);
/* A rule that sends everything to table 100. */
void bytes_tell_rule(struct bytes *bytes, uint16_t type, uint8_t family);

#endif
