/* SPDX-License-Identifier: MIT */
/* The two timerfds of a monitor: one for deadlines, one that detects a suspend
 * or a clock that was set. */
#ifndef REACH_MONITOR_TIMERS_H
#define REACH_MONITOR_TIMERS_H

#include <stdbool.h>
#include <stdint.h>

#include "monitor/wakeup.h"

#pragma GCC visibility push(hidden)

struct reach_timers {
	/* timerfd of CLOCK_MONOTONIC, armed for `deadline`. Owned. */
	int timer;
	/* timerfd of CLOCK_REALTIME, armed for never; the kernel cancels it
	 * when that clock is set, which a resume from suspend does too
	 * (TFD_TIMER_CANCEL_ON_SET, timerfd_create(2)). Owned. */
	int clock;
	/* Time that `timer` is armed for; INT64_MAX if it is disarmed. */
	int64_t deadline;
};

/* Opens both and adds them to @wakeup. @return 0 or a negative errno, after
 * which reach_timers_close() closes what was opened. */
int reach_timers_open(struct reach_timers *timers, struct reach_wakeup *wakeup);
void reach_timers_close(struct reach_timers *timers);

/* Reads the timers that were readable at the last reach_wakeup_look(). @return
 * whether the machine was suspended or its clock was set. */
bool reach_timers_drain(struct reach_timers *timers,
			struct reach_wakeup *wakeup);

/* Makes `timer` expire at @deadline at the latest, INT64_MAX for never. If it
 * is armed for an earlier time that is still to come, it stays so and no system
 * call is made. @return 0 or a negative errno. */
int reach_timers_arm(struct reach_timers *timers, int64_t deadline);

#pragma GCC visibility pop

#endif
