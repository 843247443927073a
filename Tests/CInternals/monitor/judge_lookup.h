/* SPDX-License-Identifier: MIT */
#ifndef JUDGE_LOOKUP_H
#define JUDGE_LOOKUP_H

#include <stdbool.h>
#include <stdint.h>

#include <reach/target.h>

/* The answer to RTM_GETROUTE, read without the library's decoder. */
struct judge_route {
	/* The index of the link; 0 for an error, or a route of an error
	 * type. */
	uint32_t link;
	/* Family 0 for none. */
	struct reach_address gateway;
	/* The route is a lightweight tunnel. Up to Linux 5.17, only a FIB match
	 * shows that. */
	bool is_encapsulated;
};

/* Makes a lookup on the rtnetlink socket @fd, with the selectors of @target and
 * with @flags (rtm_flags). @source is an address of the target's family, or
 * NULL. */
struct judge_route judge_lookup(int fd, const struct reach_target *target,
				const uint8_t *source, uint32_t flags);

/* Opens an rtnetlink socket in the calling thread's namespace. */
int judge_lookup_open(void);

#endif
