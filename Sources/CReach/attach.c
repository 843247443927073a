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
 * To make one takes time, so that over time no more than one part in PAUSE is
 * spent on it. Meanwhile there is none if the old one will not do. The first
 * waits until the first answers have been taken.
 */
#include "filter.h"
#include "monitor_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <linux/filter.h>

#define PAUSE 32

/* Nanoseconds; so many may be owed, that few targets in a row find filters. */
#define FIRST_AFTER 1000000
#define CREDIT	    50000000

/* Prefixes of a family; the kernel takes instructions for fewer. */
#define ROOM 1024

/* Halved no further. */
#define CAPACITY_MIN 128

void reach_attach_init(struct reach_attachment *attachment)
{
	*attachment = (struct reach_attachment){
		.capacity = BPF_MAXINSNS,
		.due = INT64_MAX,
	};
}

/* The destinations of a family in the shortest prefixes that are few enough;
 * 8 bits always are. */
static size_t collect(const struct reach_engine *engine, uint8_t family,
		      struct reach_filter_prefix *ret)
{
	static const uint8_t lengths[2][6] = {
		{ 32, 24, 20, 16, 12, 8 },
		{ 128, 64, 48, 40, 32, 8 },
	};
	const uint8_t *length = lengths[family == AF_INET6];
	ssize_t count;

	do
		count = reach_engine_destinations(engine, family, *length, ret,
						  ROOM);
	while (count < 0 && *length++ > 8);
	return count > 0 ? (size_t)count : 0;
}

static int detach(struct reach_monitor *monitor)
{
	const int none = 0;

	if (!monitor->attachment.attached)
		return 0;
	if (setsockopt(monitor->events, SOL_SOCKET, SO_DETACH_FILTER, &none,
		       sizeof(none)) &&
	    errno != ENOENT)
		return -errno;
	monitor->attachment.attached = false;
	return 0;
}

struct work {
	struct reach_filter_prefix prefixes[2 * ROOM];
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
		work->prefixes, count, reach_engine_stock(monitor->engine),
		work->program, monitor->attachment.capacity, &length);

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
	struct reach_attachment *attachment = &monitor->attachment;
	int err = attach(monitor, work, count);

	if (err == -ENOMEM && attachment->attached) {
		err = detach(monitor);
		if (!err)
			err = attach(monitor, work, count);
	}
	while (err == -ENOMEM && attachment->capacity > CAPACITY_MIN) {
		attachment->capacity /= 2;
		err = attach(monitor, work, count);
	}
	return err;
}

/* Whether nothing is dropped that could change an answer. */
static bool is_wide_enough(const struct reach_monitor *monitor)
{
	const struct reach_attachment *attachment = &monitor->attachment;
	const struct reach_engine *engine = monitor->engine;

	return !attachment->attached ||
	       (attachment->turnover.added ==
			reach_engine_turnover(engine)->added &&
		!(attachment->stock & ~reach_engine_stock(engine)));
}

/* Whether not much is taken that cannot. */
static bool is_narrow_enough(const struct reach_monitor *monitor)
{
	const struct reach_attachment *attachment = &monitor->attachment;
	const struct reach_engine *engine = monitor->engine;
	const uint64_t gone = reach_engine_turnover(engine)->removed -
			      attachment->turnover.removed;

	return attachment->attached && 2 * gone <= attachment->count &&
	       !(reach_engine_stock(engine) & ~attachment->stock);
}

static void note(struct reach_monitor *monitor)
{
	struct reach_attachment *attachment = &monitor->attachment;
	const struct reach_turnover *turnover =
		reach_engine_turnover(monitor->engine);

	/* A route that only one who is gone was inside of may be announced
	 * yet, to nobody. */
	if (attachment->turnover.removed != turnover->removed &&
	    reach_engine_doubt_errors(monitor->engine))
		reach_monitor_kick(monitor);
	attachment->attached = true;
	attachment->turnover = *turnover;
	attachment->stock = reach_engine_stock(monitor->engine);
	attachment->count = reach_engine_asked(monitor->engine);
}

/* Replaces the filter by one for what is asked now. One that cannot be had is
 * not needed. */
static int replace(struct reach_monitor *monitor)
{
	struct reach_attachment *attachment = &monitor->attachment;
	const int64_t begin = reach_monotonic();
	struct work *work = malloc(sizeof(*work));
	int64_t end;
	size_t count;
	int err = -ENOMEM;

	if (work) {
		count = collect(monitor->engine, AF_INET, work->prefixes);
		count += collect(monitor->engine, AF_INET6,
				 work->prefixes + count);
		err = attach_what_fits(monitor, work, count);
		free(work);
	}
	end = reach_monotonic();
	if (attachment->paid < begin)
		attachment->paid = begin;
	attachment->paid += PAUSE * (end - begin);
	attachment->due = INT64_MAX;
	if (!err) {
		note(monitor);
		return 0;
	}
	attachment->refused = err != -ENOMEM ||
			      attachment->capacity <= CAPACITY_MIN;
	return detach(monitor);
}

/* Now, or when those before have been paid for. */
static int replace_when_due(struct reach_monitor *monitor)
{
	struct reach_attachment *attachment = &monitor->attachment;
	const int64_t now = reach_monotonic();
	int64_t from = attachment->due;

	if (attachment->paid)
		from = attachment->paid - CREDIT;
	else if (from == INT64_MAX)
		from = now + FIRST_AFTER;
	if (now >= from)
		return replace(monitor);
	attachment->due = from;
	return 0;
}

int reach_attach_widen(struct reach_monitor *monitor)
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

int reach_attach_narrow(struct reach_monitor *monitor)
{
	if (!monitor->attachment.refused && !is_narrow_enough(monitor))
		return replace_when_due(monitor);
	/* What a timer was set for may have passed. */
	monitor->attachment.due = INT64_MAX;
	return 0;
}
