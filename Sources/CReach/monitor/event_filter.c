/* SPDX-License-Identifier: MIT */
/*
 * The filter on the event socket.
 *
 * The kernel decides about an event when it announces it, and what is queued
 * stays queued. So a destination's first question comes after the filter that
 * knows it: what was announced and dropped before had been carried out by then,
 * but for the removals that are announced first, for which there is a barrier.
 * A filter that is wider than it must be is never wrong, and none at all is the
 * widest.
 *
 * Where destinations are too many for a program it has prefixes of them, chosen
 * by where route events affect none (churn.c).
 *
 * To make one takes time, so that over time no more than one part in PAUSE is
 * spent on it. Meanwhile there is none if the old one will not do. The first
 * waits until the first answers have been taken.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include <linux/filter.h>

#include "base/address.h"
#include "base/clock.h"
#include "engine/engine.h"
#include "engine/invalidate/route_events.h"
#include "engine/state/churn.h"
#include "monitor/state.h"

#define PAUSE 32

/* Nanoseconds; so many may be owed, that few targets in a row find filters. */
#define FIRST_AFTER 1000000
#define CREDIT	    50000000

/* Halved no further. */
#define CAPACITY_MIN 128

void reach_event_filter_init(struct reach_event_filter *filter)
{
	*filter = (struct reach_event_filter){
		.capacity = BPF_MAXINSNS,
		.due = INT64_MAX,
	};
}

static uint8_t stock_families(const struct reach_engine *engine)
{
	return (reach_engine_has_stock_rules(engine, AF_INET)
			? REACH_FILTER_STOCK
			: 0) |
	       (reach_engine_has_stock_rules(engine, AF_INET6)
			? REACH_FILTER_STOCK6
			: 0);
}

static int detach(struct reach_monitor *monitor)
{
	const int none = 0;

	if (!monitor->filter.attached)
		return 0;
	if (setsockopt(monitor->events, SOL_SOCKET, SO_DETACH_FILTER, &none,
		       sizeof(none)) &&
	    errno != ENOENT)
		return -errno;
	monitor->filter.attached = false;
	return 0;
}

struct work {
	struct reach_prefix prefixes[2 * REACH_CHURN_PREFIXES];
	struct sock_filter program[BPF_MAXINSNS];
};

/* Attaches a filter for the first @count of @work's prefixes that has the
 * instructions there may be. */
static int attach(struct reach_monitor *monitor, struct work *work,
		  size_t count)
{
	struct sock_fprog program = { .filter = work->program };
	size_t length;
	int err = reach_filter_build(
		work->prefixes, count, stock_families(monitor->engine),
		work->program, monitor->filter.capacity, &length);

	if (err < 0)
		return err;
	program.len = (unsigned short)length;
	return setsockopt(monitor->events, SOL_SOCKET, SO_ATTACH_FILTER,
			  &program, sizeof(program))
		       ? -errno
		       : 0;
}

/* Where the kernel has no memory for two (net.core.optmem_max) the old one
 * goes first; where it has none for one, that is made smaller. */
static int attach_what_fits(struct reach_monitor *monitor, struct work *work,
			    size_t count)
{
	struct reach_event_filter *filter = &monitor->filter;
	int err = attach(monitor, work, count);

	if (err == -ENOMEM && filter->attached) {
		err = detach(monitor);
		if (!err)
			err = attach(monitor, work, count);
	}
	while (err == -ENOMEM && filter->capacity > CAPACITY_MIN) {
		filter->capacity /= 2;
		err = attach(monitor, work, count);
	}
	return err;
}

/* Whether nothing is dropped that could change an answer. */
static bool is_wide_enough(const struct reach_monitor *monitor)
{
	const struct reach_event_filter *filter = &monitor->filter;
	const struct reach_engine *engine = monitor->engine;

	return !filter->attached ||
	       (filter->turnover.added ==
			reach_engine_turnover(engine)->added &&
		!(filter->stock & ~stock_families(engine)));
}

/* Whether not much is taken that cannot. */
static bool is_narrow_enough(const struct reach_monitor *monitor)
{
	const struct reach_event_filter *filter = &monitor->filter;
	const struct reach_engine *engine = monitor->engine;
	const uint64_t gone = reach_engine_turnover(engine)->removed -
			      filter->turnover.removed;

	return filter->attached && 2 * gone <= filter->count &&
	       !(stock_families(engine) & ~filter->stock) &&
	       !reach_churn_has_moved(engine);
}

static void remember(struct reach_monitor *monitor)
{
	struct reach_event_filter *filter = &monitor->filter;
	const struct reach_turnover *turnover =
		reach_engine_turnover(monitor->engine);

	/* A route that only one who is gone was inside of may be announced
	 * yet, to nobody. */
	if (filter->turnover.removed != turnover->removed &&
	    reach_engine_recheck_errors(monitor->engine))
		reach_wakeup_kick(&monitor->wakeup);
	filter->attached = true;
	filter->turnover = *turnover;
	filter->stock = stock_families(monitor->engine);
	filter->count = reach_engine_asked(monitor->engine);
}

/* What the thread has computed, in nanoseconds; not how long it waited. */
static int64_t time_spent(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Replaces the filter by one for what is asked now. One that cannot be had is
 * not needed. */
static int replace(struct reach_monitor *monitor)
{
	struct reach_event_filter *filter = &monitor->filter;
	const int64_t now = reach_monotonic(), begin = time_spent();
	struct work *work = malloc(sizeof(*work));
	size_t count;
	int err = -ENOMEM;

	if (work) {
		count = reach_churn_collect(monitor->engine, work->prefixes);
		err = attach_what_fits(monitor, work, count);
		free(work);
	}
	if (filter->paid < now)
		filter->paid = now;
	filter->paid += PAUSE * (time_spent() - begin);
	filter->due = INT64_MAX;
	if (!err) {
		remember(monitor);
		return 0;
	}
	filter->refused = err != -ENOMEM || filter->capacity <= CAPACITY_MIN;
	return detach(monitor);
}

/* Now, or when those before have been paid for. */
static int replace_when_due(struct reach_monitor *monitor)
{
	struct reach_event_filter *filter = &monitor->filter;
	const int64_t now = reach_monotonic();
	int64_t from = filter->due;

	if (filter->paid)
		from = filter->paid - CREDIT;
	else if (from == INT64_MAX)
		from = now + FIRST_AFTER;
	if (now >= from)
		return replace(monitor);
	filter->due = from;
	return 0;
}

int reach_event_filter_widen(struct reach_monitor *monitor)
{
	int err;

	if (is_wide_enough(monitor))
		return 0;
	reach_engine_barrier(monitor->engine);
	err = replace_when_due(monitor);
	if (!err && !is_wide_enough(monitor))
		err = detach(monitor);
	return err;
}

int reach_event_filter_narrow(struct reach_monitor *monitor)
{
	if (!monitor->filter.refused && !is_narrow_enough(monitor))
		return replace_when_due(monitor);
	/* What a timer was set for may have passed. */
	monitor->filter.due = INT64_MAX;
	return 0;
}
