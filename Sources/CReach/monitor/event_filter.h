/* SPDX-License-Identifier: MIT */
/* The socket filter of the event socket: what it was made for, and when it is
 * to be replaced. */
#ifndef REACH_MONITOR_EVENT_FILTER_H
#define REACH_MONITOR_EVENT_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/state/interest.h"
#include "filter/filter.h"

#pragma GCC visibility push(hidden)

struct reach_monitor;

struct reach_event_filter {
	/* What it was made for; `added` counts only while it is attached. */
	struct reach_turnover turnover;
	size_t count;
	/* Instructions that it may have. */
	size_t capacity;
	/* Until when those that were made are paid for, and when one is to be
	 * made: INT64_MAX if the one there is will do. */
	int64_t paid;
	int64_t due;
	/* REACH_FILTER_STOCK, as it was made. */
	uint8_t stock;
	bool attached;
	/* There is none, for good. */
	bool refused;
};

void reach_event_filter_init(struct reach_event_filter *filter);

/* Before questions: makes sure that nothing is dropped that could change an
 * answer. 0 or a negative errno. */
int reach_event_filter_widen(struct reach_monitor *monitor);

/* After them: makes sure that not much is taken that cannot. */
int reach_event_filter_narrow(struct reach_monitor *monitor);

#pragma GCC visibility pop

#endif
