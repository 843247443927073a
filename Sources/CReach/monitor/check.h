/* SPDX-License-Identifier: MIT */
#ifndef REACH_MONITOR_CHECK_H
#define REACH_MONITOR_CHECK_H

#include <reach/monitor.h>

#pragma GCC visibility push(hidden)

/* The state that a monitor would begin with, without one; a negative errno
 * where that cannot be. */
int reach_check_alone(const struct reach_target *target,
		      const struct reach_monitor_options *options,
		      struct reach_state *ret);

#pragma GCC visibility pop

#endif
