/* SPDX-License-Identifier: MIT */
#ifndef REACH_MONITOR_CHECK_H
#define REACH_MONITOR_CHECK_H

#include <reach/monitor.h>

#pragma GCC visibility push(hidden)

/* Evaluates @target once without a monitor: one netlink socket, and only the
 * requests that the verdict needs. Sets @ret to the state that a monitor would
 * report first. @return 0, or a negative errno if only a monitor can answer:
 * -EAGAIN for a name, or if links or addresses changed while they were read. */
int reach_check_alone(const struct reach_target *target,
		      const struct reach_monitor_options *options,
		      struct reach_state *ret);

#pragma GCC visibility pop

#endif
