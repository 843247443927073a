/* SPDX-License-Identifier: MIT */
#ifndef STORY_H
#define STORY_H

#include <stdbool.h>
#include <stdint.h>

#include "check.h"

struct reach_monitor;

#define STORY_STEPS 40

/* Steps: addresses of the cable e0, with default routes, and of e1. */
#define ADDRESS4  "addr add 10.9.0.1/24 dev e0"
#define ADDRESS6  "addr add 2001:db8:9::1/64 dev e0 nodad"
#define IPV4	  ADDRESS4, "route add default via 10.9.0.2"
#define IPV6	  ADDRESS6, "route add ::/0 via 2001:db8:9::2"
#define IPV4_MORE "addr add 10.8.0.1/24 dev e1"
#define IPV6_MORE "addr add 2001:db8:8::1/64 dev e1 nodad"

/* Default routes over both. */
#define LEGS4 "route add default nexthop via 10.9.0.2 nexthop via 10.8.0.2"
#define LEGS6                                                                  \
	"route add ::/0 nexthop via 2001:db8:9::2 nexthop via 2001:db8:8::2"

/* A host with the cables of judge_wire.h, and what becomes of its verdicts. */
struct story {
	const char *name;
	/* A tun device that a program has opened, or NULL. */
	const char *tun;
	/* A device that a kernel may have no kind for, as "ip link add" takes
	 * it, or NULL. */
	const char *device;
	/* The first kernel that tells the story, as 518 for Linux 5.18. */
	int since;
	/* A step is one of these:
	 *	route add default via 10.9.0.2
	 *		a command of ip(8)
	 *	=ipv4/ip_forward 1
	 *		a file in /proc/sys/net, and its value
	 *	8.8.8.8 [in e0] [mark 7] [uid 1000] [from 10.9.0.1] -> VERDICT
	 *		a target, limited to an interface, or with other
	 *		selectors, which comes to this verdict; "internet" is
	 *		one, too
	 *	-> no change
	 *		no target changes
	 *	""
	 *		the monitor comes to rest
	 * A verdict is "far e0 via 10.9.0.2", where "via" and "source 10.9.0.1"
	 * may follow, or a reason: "noRoute". For "far" see story.c.
	 *
	 * The monitor starts before the first verdict. It watches all targets
	 * from then on, and is at rest before each change. */
	const char *steps[STORY_STEPS];
};

/* Checks each verdict of a watch, of a check, and of a connection. */
void story_play(const struct story *story);

/* Dispatches until the target has this verdict. Returns whether it came. */
bool story_await(struct reach_monitor *monitor, uint64_t id,
		 const char *verdict);

#endif
