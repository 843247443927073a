/* SPDX-License-Identifier: MIT */
/* One answer for one target. */
#include "monitor_internal.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>

#define MILLISECOND INT64_C(1000000)

/* Milliseconds until @end, rounded up, as poll() wants them. */
static int left(int64_t end)
{
	int64_t rest;

	if (end == INT64_MAX)
		return -1;
	rest = (end - reach_monotonic() + MILLISECOND - 1) / MILLISECOND;
	if (rest <= 0)
		return 0;
	return rest < INT_MAX ? (int)rest : INT_MAX;
}

/* Until the state is final or the time is over. */
static int await(struct reach_monitor *monitor, uint64_t id, int64_t end,
		 struct reach_state *ret)
{
	struct pollfd pollfd = { .fd = reach_monitor_fd(monitor),
				 .events = POLLIN };
	int err;

	for (;;) {
		err = reach_monitor_dispatch(monitor);
		if (err >= 0)
			err = reach_monitor_state(monitor, id, ret);
		if (err && err != -EAGAIN)
			return err;
		if (!err && ret->resolution != REACH_RESOLUTION_PENDING)
			return 0;
		if (poll(&pollfd, 1, left(end)) == 0 && !err)
			return 0;
	}
}

int reach_check(const struct reach_target *target,
		const struct reach_monitor_options *options, int timeout_ms,
		struct reach_state *ret)
{
	const int64_t end =
		timeout_ms < 0 ? INT64_MAX
			       : reach_monotonic() + timeout_ms * MILLISECOND;
	/* There may be an answer, and then no better one but an error. */
	struct reach_state state = { .size = sizeof(state) };
	struct reach_monitor *monitor;
	uint64_t id;
	int err;

	if (ret->size < sizeof(*ret))
		return -EINVAL;
	err = reach_target_validate(target);
	if (!err)
		err = reach_monitor_open(&monitor, options);
	if (err)
		return err;
	/* It is closed before a filter pays. */
	monitor->attachment.refused = true;
	err = reach_monitor_add(monitor, target, &id);
	if (!err)
		err = await(monitor, id, end, &state);
	reach_monitor_close(monitor);
	if (!err)
		*ret = state;
	return err;
}
