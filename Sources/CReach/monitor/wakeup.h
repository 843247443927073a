/* SPDX-License-Identifier: MIT */
/* The descriptor that a monitor's caller polls: an epoll set of all that can
 * give the monitor something to do. */
#ifndef REACH_MONITOR_WAKEUP_H
#define REACH_MONITOR_WAKEUP_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Sources of work, as bits. */
enum reach_source {
	/* Netlink events. */
	REACH_SOURCE_EVENTS = 1 << 0,
	/* A call left work to do. */
	REACH_SOURCE_KICK = 1 << 1,
	/* A deadline, of CLOCK_MONOTONIC. */
	REACH_SOURCE_TIMER = 1 << 2,
	/* CLOCK_REALTIME jumped, as on resume from suspend. */
	REACH_SOURCE_CLOCK = 1 << 3,
	/* Results of the resolver. */
	REACH_SOURCE_RESOLVER = 1 << 4,
	/* resolv.conf, hosts or nsswitch.conf. */
	REACH_SOURCE_FILES = 1 << 5
};

struct reach_wakeup {
	int epoll;
	/* An eventfd. */
	int kick;
	bool kicked;
	/* Sources that were readable at the last look and not served yet. */
	uint32_t ready;
};

/* Descriptors of a wakeup that is not open are -1. @return 0 or a negative
 * errno; what was opened is closed by reach_wakeup_close(). */
int reach_wakeup_open(struct reach_wakeup *wakeup);
void reach_wakeup_close(struct reach_wakeup *wakeup);

/* Adds @fd, which a close() takes out again. @return 0 or a negative errno. */
int reach_wakeup_watch(struct reach_wakeup *wakeup, int fd,
		       enum reach_source source);

/* Makes the descriptor readable until the next look. */
void reach_wakeup_kick(struct reach_wakeup *wakeup);

/* Sets `ready`, without waiting. @return 0 or a negative errno. */
int reach_wakeup_look(struct reach_wakeup *wakeup);

/* Whether @source was readable; it counts as served from then on. */
bool reach_wakeup_take(struct reach_wakeup *wakeup, enum reach_source source);

#pragma GCC visibility pop

#endif
