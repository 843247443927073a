/* SPDX-License-Identifier: MIT */
#ifndef JUDGE_LOOKUP_H
#define JUDGE_LOOKUP_H

#include <stdbool.h>
#include <stdint.h>

#include <reach/target.h>

/* What RTM_GETROUTE says, read here and not by the library's decoder. */
struct judge_route {
	/* Index of the link, 0 for an error or a route that refuses. */
	uint32_t link;
	/* Family 0 for none. */
	struct reach_address gateway;
	/* In a lightweight tunnel; up to 5.17 answers do not tell. */
	bool is_encapsulated;
};

/* A lookup with the selectors of @target and with @source of its family, or
 * NULL, and with @flags of rtmsg, by the rtnetlink socket @fd. */
struct judge_route judge_lookup(int fd, const struct reach_target *target,
				const uint8_t *source, uint32_t flags);

/* An rtnetlink socket of the calling thread's namespace. */
int judge_lookup_open(void);

#endif
