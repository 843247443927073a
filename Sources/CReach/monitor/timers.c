/* SPDX-License-Identifier: MIT */
/* The clocks of a monitor. */
#include "monitor/monitor_internal.h"

#include <errno.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/* timerfd_create(2); musl and glibc have it, older headers need not. */
#ifndef TFD_TIMER_CANCEL_ON_SET
#define TFD_TIMER_CANCEL_ON_SET (1 << 1)
#endif

/* A time that does not come (the year 2255), in seconds; what the kernel
 * counts in nanoseconds still holds it. */
#define NEVER_SECONDS 9000000000

static int open_clock(void)
{
	const struct itimerspec never = { .it_value.tv_sec = NEVER_SECONDS };
	const int fd =
		timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);

	if (fd < 0)
		return -errno;
	/* A kernel that refuses only misses what a suspend changed silently;
	 * the events that follow a resume are seen all the same. */
	(void)timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET,
			      &never, NULL);
	return fd;
}

int reach_timers_open(struct reach_monitor *monitor)
{
	monitor->deadline = INT64_MAX;
	monitor->timer =
		timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (monitor->timer < 0)
		return -errno;
	monitor->clock = open_clock();
	return monitor->clock < 0 ? monitor->clock : 0;
}

bool reach_timers_drain(struct reach_monitor *monitor)
{
	uint64_t ticks;

	if (monitor->ready & REACH_MONITOR_TIMER &&
	    read(monitor->timer, &ticks, sizeof(ticks)) == sizeof(ticks))
		monitor->deadline = INT64_MAX;
	return monitor->ready & REACH_MONITOR_CLOCK &&
	       read(monitor->clock, &ticks, sizeof(ticks)) < 0 &&
	       errno == ECANCELED;
}

int reach_timers_arm(struct reach_monitor *monitor)
{
	const int64_t names = reach_name_targets_deadline(monitor);
	int64_t deadline = reach_engine_deadline(monitor->engine);
	struct itimerspec timer = { 0 };

	if (names < deadline)
		deadline = names;
	if (monitor->attachment.due < deadline)
		deadline = monitor->attachment.due;
	if (deadline == monitor->deadline)
		return 0;
	if (deadline != INT64_MAX) {
		/* Zero would disarm it. */
		const int64_t due = deadline > 0 ? deadline : 1;

		timer.it_value.tv_sec = (time_t)(due / REACH_SECOND);
		timer.it_value.tv_nsec = (long)(due % REACH_SECOND);
	}
	if (timerfd_settime(monitor->timer, TFD_TIMER_ABSTIME, &timer, NULL))
		return -errno;
	monitor->deadline = deadline;
	return 0;
}
