/* SPDX-License-Identifier: MIT */
/*
 * When the filter of the event socket is built, attached and detached.
 *
 * The kernel runs the filter when it queues an event (sk_filter(),
 * net/netlink/af_netlink.c). Attaching does not change the queue. Hence the
 * invariant: before the first lookup of a destination, either a filter that
 * passes its events is attached, or none is. An event dropped before that is
 * older than the lookup, so the answer includes its effect. Deletions are the
 * exception, since the kernel announces them before they take effect: a barrier
 * precedes the lookup. A filter that passes more than necessary is correct.
 * Without a filter, every event passes.
 *
 * Building takes 1 us for one destination and up to 4 ms for thousands, before
 * the kernel's check and JIT. So a filter that is outdated within PAUSE is
 * detached, and replaced after that. If the destinations do not fit a program,
 * engine/input.c selects shorter prefixes.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <linux/filter.h>

#include "monitor/monitor.h"

/* Nanoseconds from one build to the next: a program that adds thousands of
 * targets, or names whose addresses come one by one, would spend its time on
 * filters. */
#define PAUSE (100 * REACH_MILLISECOND)

/* Longest delay of the first filter, in nanoseconds. The first answers don't
 * wait for it, and targets added one by one at start share one filter. It waits
 * for the dump of the policy, which comes after as long, so that it needn't be
 * replaced at once. */
#define FIRST_AFTER 1000000

/* Smallest capacity, in instructions, to try if the kernel has no memory for a
 * program (net.core.optmem_max); 4096 is halved down to it. A program that
 * passes all routes of one family and none of the other has 119 instructions
 * for IPv4, 176 for IPv6. */
#define CAPACITY_MIN 128

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

/* Builds a filter in @code, within the capacity, and replaces the old one with
 * it. @return 0 or a negative errno. */
static int attach(struct reach_monitor *monitor, struct sock_filter *code)
{
	struct sock_fprog program = { .filter = code };
	size_t length;
	int err = reach_interest_filter(monitor->engine, code,
					monitor->filter.capacity, &length);

	if (err)
		return err;
	program.len = (unsigned short)length;
	return setsockopt(monitor->events, SOL_SOCKET, SO_ATTACH_FILTER,
			  &program, sizeof(program))
		       ? -errno
		       : 0;
}

/* Like attach(), if the socket's memory is short. Filters count against
 * net.core.optmem_max, and a replacement needs room for both
 * (sk_filter_charge(), net/core/filter.c). So the old one is detached first,
 * then the new one is made smaller. */
static int attach_what_fits(struct reach_monitor *monitor,
			    struct sock_filter *code)
{
	struct reach_event_filter *filter = &monitor->filter;
	int err = attach(monitor, code);

	if (err == -ENOMEM && filter->attached) {
		err = detach(monitor);
		if (!err)
			err = attach(monitor, code);
	}
	while (err == -ENOMEM && filter->capacity > CAPACITY_MIN) {
		filter->capacity /= 2;
		err = attach(monitor, code);
	}
	return err;
}

/* Whether the filter passes every event that could change an answer: no
 * destination was added, and every family that it treats as stock still is. */
static bool is_wide_enough(const struct reach_monitor *monitor)
{
	const struct reach_interest *then = &monitor->filter.interest;
	struct reach_interest now;

	if (!monitor->filter.attached)
		return true;
	now = reach_engine_interest(monitor->engine);
	return then->added == now.added && !(then->stock & ~now.stock);
}

/* Whether rebuilding would gain little: at most half of the filter's
 * destinations are gone, and no family has become stock. */
static bool is_narrow_enough(const struct reach_monitor *monitor,
			     const struct reach_interest *now)
{
	const struct reach_interest *then = &monitor->filter.interest;
	return monitor->filter.attached && 2 * now->count >= then->count &&
	       !(now->stock & ~then->stock);
}

/* Builds and attaches a filter for the present destinations. Without a filter the
 * monitor only receives more, so a failure to build is no error: the old filter is
 * detached, and only that can fail. */
static int replace(struct reach_monitor *monitor)
{
	struct reach_event_filter *filter = &monitor->filter;
	struct sock_filter *code = malloc(BPF_MAXINSNS * sizeof(*code));
	int err = -ENOMEM;

	if (code)
		err = attach_what_fits(monitor, code);
	free(code);
	filter->next = reach_monotonic() + PAUSE;
	filter->due = INT64_MAX;
	if (!err) {
		filter->attached = true;
		filter->interest = reach_engine_interest(monitor->engine);
		return 0;
	}
	filter->refused = err != -ENOMEM || filter->capacity <= CAPACITY_MIN;
	return detach(monitor);
}

/* Replaces the filter if it is time, or sets `due`. The first one comes with the
 * engine's deadline, so that one wake-up is for both. */
static int replace_when_due(struct reach_monitor *monitor)
{
	const int64_t now = reach_monotonic();
	const int64_t deadline = reach_engine_deadline(monitor->engine);
	struct reach_event_filter *filter = &monitor->filter;
	int64_t from = filter->due;

	if (from == INT64_MAX)
		from = filter->next		      ? filter->next
		       : deadline < now + FIRST_AFTER ? deadline
						      : now + FIRST_AFTER;
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
	/* The old filter may have dropped the announcement of a deletion. */
	reach_confirmation_announce(monitor->engine);
	err = replace_when_due(monitor);
	if (!err && !is_wide_enough(monitor))
		err = detach(monitor);
	return err;
}

int reach_event_filter_narrow(struct reach_monitor *monitor)
{
	const struct reach_interest now =
		reach_engine_interest(monitor->engine);

	if (!monitor->filter.refused && !is_narrow_enough(monitor, &now))
		return replace_when_due(monitor);
	/* The filter may have become narrow enough since `due` was set, as when
	 * removed targets were added again. */
	monitor->filter.due = INT64_MAX;
	return 0;
}
