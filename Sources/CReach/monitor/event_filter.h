/* SPDX-License-Identifier: MIT */
/* The classic BPF filter attached to the event socket: the targets it was built
 * for, and the time of its next replacement. */
#ifndef REACH_MONITOR_EVENT_FILTER_H
#define REACH_MONITOR_EVENT_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/engine.h"
#include "filter/filter.h"

#pragma GCC visibility push(hidden)

struct reach_monitor;

struct reach_event_filter {
	/* The engine's when the attached filter was built. */
	struct reach_interest interest;
	/* Instructions that the kernel has memory for, at most BPF_MAXINSNS. */
	size_t capacity;
	/* Time, in nanoseconds, at which the CPU time of all filters built so
	 * far is within its budget again (PAUSE); 0 before the first. */
	int64_t paid;
	/* Time of the next build; INT64_MAX if none is needed. */
	int64_t due;
	bool attached;
	/* No more filters are built: the kernel refused one, or the monitor has
	 * no use for it. */
	bool refused;
};

void reach_event_filter_init(struct reach_event_filter *filter);

/* Replaces or detaches a filter that drops events which could change an answer.
 * Call it before requests are sent. @return 0 or a negative errno. */
int reach_event_filter_widen(struct reach_monitor *monitor);

/* Replaces a missing filter, or one that passes too many events that change
 * nothing, when the budget allows. Call it after the answers were received.
 * @return 0 or a negative errno. */
int reach_event_filter_narrow(struct reach_monitor *monitor);

#pragma GCC visibility pop

#endif
