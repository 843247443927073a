/* SPDX-License-Identifier: MIT */
/* The inside of a monitor: monitor.c opens and closes it, dispatch.c is its
 * loop, and each member that is a struct has a file of its name. */
#ifndef REACH_MONITOR_STATE_H
#define REACH_MONITOR_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include <reach/monitor.h>

#include "monitor/event_filter.h"
#include "monitor/fork.h"
#include "monitor/name_targets.h"
#include "monitor/timers.h"
#include "monitor/wakeup.h"
#include "system/socket.h"

#pragma GCC visibility push(hidden)

/* Receives in a row before the kernel is asked all the same, and as many again
 * in a dispatch: a storm that never pauses must not keep everybody waiting. */
#define REACH_RECEIVES_MAX 256

/* Batches of questions in a dispatch, 128 each: some 15 ms. */
#define REACH_BATCHES_MAX 64

struct reach_monitor {
	struct reach_fork fork;
	struct reach_engine *engine;
	struct reach_receiver *receiver;
	struct reach_wakeup wakeup;
	struct reach_timers timers;
	struct reach_name_targets names;
	struct reach_event_filter filter;

	/* Negative where the kernel announces nothing (option `once`). */
	int events;
	int questions;
	/* The monitored namespace, or -1 for the opening thread's. */
	int netns;
	/* "" for none. */
	char *sysfs_root;

	/* Dispatches since `wakeup` was last looked at. */
	uint32_t unlooked;
	/* Receives and batches left to this dispatch. */
	int receives;
	int batches;
	/* Events were lost and are not yet made good. */
	bool overrun;
	uint32_t requests[REACH_REQUESTS_SIZE / sizeof(uint32_t)];
};

#pragma GCC visibility pop

#endif
