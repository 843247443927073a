/* SPDX-License-Identifier: MIT */
/* The descriptor that the caller of a monitor polls: an epoll set (epoll(7),
 * level-triggered) of the monitor's descriptors, and an eventfd with which the
 * monitor makes itself readable. */
#ifndef REACH_MONITOR_WAKEUP_H
#define REACH_MONITOR_WAKEUP_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Members of the epoll set, as bits. */
enum reach_source {
	/* The rtnetlink socket of multicast events. */
	REACH_SOURCE_EVENTS = 1 << 0,
	/* The eventfd of reach_wakeup_kick(). */
	REACH_SOURCE_KICK = 1 << 1,
	/* The timerfd of deadlines. */
	REACH_SOURCE_TIMER = 1 << 2,
	/* The timerfd of clock changes and resume. */
	REACH_SOURCE_CLOCK = 1 << 3,
	/* The eventfd of the resolver's results. */
	REACH_SOURCE_RESOLVER = 1 << 4,
	/* inotify on resolv.conf, hosts and nsswitch.conf. */
	REACH_SOURCE_FILES = 1 << 5
};

struct reach_wakeup {
	/* The epoll set, and the descriptor of reach_monitor_fd(). Owned. */
	int epoll;
	/* An eventfd in it. Owned. */
	int kick;
	/* The eventfd is readable. */
	bool kicked;
	/* Sources (enum reach_source) that the last reach_wakeup_look() found
	 * readable and reach_wakeup_take() has not taken. */
	uint32_t ready;
};

/* Opens both descriptors, which must be -1 before. @return 0 or a negative
 * errno, after which reach_wakeup_close() closes what was opened. */
int reach_wakeup_open(struct reach_wakeup *wakeup);
void reach_wakeup_close(struct reach_wakeup *wakeup);

/* Adds @fd, which stays the caller's; closing it removes it from the set.
 * @return 0 or a negative errno. */
int reach_wakeup_watch(struct reach_wakeup *wakeup, int fd,
		       enum reach_source source);

/* Makes the epoll descriptor readable until the next reach_wakeup_look(). */
void reach_wakeup_kick(struct reach_wakeup *wakeup);

/* Polls the set without waiting and sets `ready`. @return 0 or a negative
 * errno. */
int reach_wakeup_look(struct reach_wakeup *wakeup);

/* Clears @source in `ready`. @return whether it was set. */
bool reach_wakeup_take(struct reach_wakeup *wakeup, enum reach_source source);

#pragma GCC visibility pop

#endif
