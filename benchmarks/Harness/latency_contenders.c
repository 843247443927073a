/* SPDX-License-Identifier: MIT */
/* The yardstick of latency.c, and the library. */
#include <errno.h>
#include <poll.h>

#include <reach/reach.h>

#include "latency.h"

void latency_raw(const struct contender *contender, struct board *board)
{
	struct board_bare bare;
	int ret = board_bare_open(&bare);

	(void)contender;
	while (ret == 0) {
		ret = board_bare_look_up(&bare);
		if (ret < 0)
			break;
		board_post(board, ret);
		ret = board_bare_wait(&bare);
	}
	errno = -ret;
	die("raw");
}

/* Watches BOARD_TARGET, and up to 99 others behind the same route. None is in
 * 127.0.0.0/8: those addresses also match the default route, as lo is down, but
 * each has a lookup of its own. */
static struct reach_monitor *watch(unsigned int targets, uint64_t *id)
{
	struct reach_monitor *monitor;
	struct reach_target target;
	uint64_t other;
	unsigned int i;

	reach_target_init(&target, REACH_TARGET_ADDRESS);
	reach_address_parse(BOARD_TARGET, &target.remote);
	if (reach_monitor_open(&monitor, NULL) ||
	    reach_monitor_add(monitor, &target, id))
		die("reach_monitor_open");
	for (i = 1; i < targets; i++) {
		target.remote.bytes[0] = (uint8_t)(20 + i);
		if (reach_monitor_add(monitor, &target, &other))
			die("reach_monitor_add");
	}
	return monitor;
}

/* Follows @changes of them, and then closes the monitor; 0: all. */
static void follow(struct board *board, unsigned int targets,
		   unsigned int changes)
{
	struct reach_change change = { .size = sizeof(change) };
	struct pollfd pollfd = { .events = POLLIN };
	unsigned int posted = 0;
	uint64_t id;
	struct reach_monitor *monitor = watch(targets, &id);

	pollfd.fd = reach_monitor_fd(monitor);
	while (!changes || posted <= changes) {
		if (reach_monitor_dispatch(monitor) < 0)
			die("reach_monitor_dispatch");
		while (reach_monitor_next(monitor, &change) == 1)
			if (change.id == id) {
				board_post(board, change.state.flags &
							  REACH_FLAG_REACHABLE);
				posted++;
			}
		if (!changes || posted <= changes)
			poll(&pollfd, 1, -1);
	}
	reach_monitor_close(monitor);
}

void latency_library(const struct contender *contender, struct board *board)
{
	follow(board, contender->targets, 0);
}

void latency_library_second(const struct contender *contender,
			    struct board *board)
{
	(void)contender;
	follow(board, 1, LATENCY_FIRST_MONITOR);
	follow(board, 1, 0);
}
