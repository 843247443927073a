/* SPDX-License-Identifier: MIT */
/* Requests that change the network of the calling thread's namespace. Each returns
 * 0 or a negative errno. The kernel has sent the events by then. */
#ifndef REQUEST_H
#define REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include <reach/target.h>

/* A route of table main. */
struct request_route {
	/* Its family is the route's. */
	struct reach_address destination;
	uint8_t length;
	/* RTN_*; 0 for RTN_UNICAST. */
	uint8_t type;
	/* The interface, or 0. */
	uint32_t output;
	/* NULL for none. */
	const char *gateway;
};

/* A netlink socket with an address of its own, for requests. */
int request_open(void);

int request_set_link(int fd, uint32_t index, bool up);
int request_set_address(int fd, uint32_t index, const char *text,
			uint8_t length, bool there);
int request_set_route(int fd, const struct request_route *route, bool there);

#endif
