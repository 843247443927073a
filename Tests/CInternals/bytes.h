/* SPDX-License-Identifier: MIT */
#ifndef BYTES_H
#define BYTES_H

#include "check.h"
#include "engine/state/state.h"

struct nlmsghdr;

#define BYTES_SECOND INT64_C(1000000000)

/* A kernel that answers an engine in bytes: lo and, with index 2, eth0 are up,
 * the links' and addresses' dumps tell of no more than that, and a lookup comes
 * to what `look_up` says. */
struct bytes {
	struct reach_engine *engine;
	/* Puts the answer's attributes and sets its struct rtmsg, which has the
	 * request's family and length; 0 or a positive errno. */
	int (*look_up)(struct bytes *bytes, const struct nlmsghdr *request,
		       struct nlmsghdr *answer);
	/* For `look_up`. */
	void *context;
	/* Answers a request for a source; NULL if none are taken. */
	void (*name_source)(struct bytes *bytes,
			    const struct reach_source_request *request);
	/* Lookups and requests of RTM_GETSTATS that came. */
	unsigned int lookups;
	unsigned int barriers;
	/* eth0 has no addresses. */
	bool bare;
	/* There is a third link, eth1, which is up and dormant. */
	bool dormant;
	/* eth0 is a VRF. */
	bool vrf;
	/* lo is down. */
	bool down;
	/* This family has a rule beyond those that a kernel starts with. */
	uint8_t ruled;
	/* It is IPv4's, and selects by the source 10.0.0.2. */
	bool by_source;
	/* IPv6 has routes by source. */
	bool source_routes;
};

/* Makes an engine at @now; false if that fails. */
bool bytes_open(struct bytes *bytes, int64_t now);
void bytes_close(struct bytes *bytes);

/* Adds the address target @text; its id. */
uint64_t bytes_watch(struct bytes *bytes, const char *text,
		     uint32_t interface_index);

/* Answers until nothing is asked, and takes all changes; their number. */
size_t bytes_settle(struct bytes *bytes);

/* The state of a target. */
struct reach_state bytes_state(const struct bytes *bytes, uint64_t id);

struct reach_stats bytes_stats(const struct bytes *bytes);

/* Events: an address of eth0 ("10.0.0.2", "fd00::2") comes or goes, a link goes
 * up or down, and a default route comes or goes. */
void bytes_tell_address(struct bytes *bytes, uint16_t type, const char *text);
/* An address of another link. */
void bytes_tell_address_of(struct bytes *bytes, uint32_t index, uint16_t type,
			   const char *text);
void bytes_tell_link(struct bytes *bytes, uint32_t index, bool up);
void bytes_tell_route(struct bytes *bytes, uint16_t type, uint8_t family);
/* One to 10.1.0.0/16. */
void bytes_tell_more(struct bytes *bytes, uint16_t type);

#endif
