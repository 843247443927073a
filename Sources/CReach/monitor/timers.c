/* SPDX-License-Identifier: MIT */
#include "monitor/monitor.h"

#include <errno.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/base.h"

/* timerfd_create(2), Linux 3.0; for older headers. */
#ifndef TFD_TIMER_CANCEL_ON_SET
#define TFD_TIMER_CANCEL_ON_SET (1 << 1)
#endif

/* An expiry of CLOCK_REALTIME in the year 2255, in seconds. Later than any
 * clock, and below KTIME_MAX (2262, include/linux/ktime.h), where nanoseconds
 * overflow. */
#define NEVER_SECONDS 9000000000

static int open_clock(void)
{
	const struct itimerspec never = { .it_value.tv_sec = NEVER_SECONDS };
	const int fd =
		timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);

	if (fd < 0)
		return -errno;
	/* On failure the refresh after a suspend is missing. Changes during the
	 * suspend that caused no event then stay unknown. */
	(void)timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET,
			      &never, NULL);
	return fd;
}

int reach_timers_open(struct reach_timers *timers, struct reach_wakeup *wakeup)
{
	int err;

	timers->deadline = INT64_MAX;
	timers->timer =
		timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (timers->timer < 0)
		return -errno;
	timers->clock = open_clock();
	if (timers->clock < 0)
		return timers->clock;
	err = reach_wakeup_watch(wakeup, timers->timer, REACH_WAKEUP_TIMER);
	if (!err)
		err = reach_wakeup_watch(wakeup, timers->clock,
					 REACH_WAKEUP_CLOCK);
	return err;
}

void reach_timers_close(struct reach_timers *timers)
{
	if (timers->timer >= 0)
		close(timers->timer);
	if (timers->clock >= 0)
		close(timers->clock);
	timers->timer = timers->clock = -1;
}

bool reach_timers_drain(struct reach_timers *timers,
			struct reach_wakeup *wakeup)
{
	uint64_t ticks;

	/* An expired timerfd is disarmed: it has to be armed again. */
	if (reach_wakeup_take(wakeup, REACH_WAKEUP_TIMER) &&
	    read(timers->timer, &ticks, sizeof(ticks)) == sizeof(ticks))
		timers->deadline = INT64_MAX;
	/* read() fails with ECANCELED once after each discontinuous change. */
	return reach_wakeup_take(wakeup, REACH_WAKEUP_CLOCK) &&
	       read(timers->clock, &ticks, sizeof(ticks)) < 0 &&
	       errno == ECANCELED;
}

int reach_timers_arm(struct reach_timers *timers, int64_t deadline)
{
	struct itimerspec timer = { 0 };

	/* Each event of a removal postpones the confirming lookup, and arming
	 * the timer each time would delay the caller. So keep an earlier
	 * expiry: its dispatch finds nothing due and arms the timer again.
	 * Replace one that has passed unread, or the descriptor would stay
	 * readable for nothing. */
	if (deadline == timers->deadline ||
	    (deadline > timers->deadline &&
	     timers->deadline > reach_monotonic()))
		return 0;
	if (deadline != INT64_MAX) {
		/* it_value 0 disarms (timerfd_settime(2)). */
		const int64_t due = deadline > 0 ? deadline : 1;

		timer.it_value.tv_sec = (time_t)(due / REACH_SECOND);
		timer.it_value.tv_nsec = (long)(due % REACH_SECOND);
	}
	if (timerfd_settime(timers->timer, TFD_TIMER_ABSTIME, &timer, NULL))
		return -errno;
	timers->deadline = deadline;
	return 0;
}
