/* SPDX-License-Identifier: MIT */
/* The clocks of a monitor. */
#ifndef REACH_MONITOR_TIMERS_H
#define REACH_MONITOR_TIMERS_H

#include <stdbool.h>
#include <stdint.h>

#include "monitor/wakeup.h"

#pragma GCC visibility push(hidden)

struct reach_timers {
	/* CLOCK_MONOTONIC, set to `deadline`. */
	int timer;
	/* CLOCK_REALTIME, readable when that clock jumps. */
	int clock;
	int64_t deadline;
};

/* Opens both and has @wakeup watch them. @return 0 or a negative errno; what
 * was opened is closed by reach_timers_close(). */
int reach_timers_open(struct reach_timers *timers, struct reach_wakeup *wakeup);
void reach_timers_close(struct reach_timers *timers);

/* Reads those that @wakeup found ready. @return whether the machine was
 * suspended or its clock was set. */
bool reach_timers_drain(struct reach_timers *timers,
			struct reach_wakeup *wakeup);

/* Sets `timer` to @deadline, INT64_MAX for none. @return 0 or a negative
 * errno. */
int reach_timers_arm(struct reach_timers *timers, int64_t deadline);

#pragma GCC visibility pop

#endif
