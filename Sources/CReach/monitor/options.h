/* SPDX-License-Identifier: MIT */
/* Validation of struct reach_monitor_options, and its defaults. */
#ifndef REACH_MONITOR_OPTIONS_H
#define REACH_MONITOR_OPTIONS_H

#include <reach/monitor.h>

#pragma GCC visibility push(hidden)

/* Checks @options. Sets @sysfs to the path of the sysfs mount, "" for none
 * (borrowed from @options or static), and @netns to the descriptor of the
 * namespace to enter, -1 to stay. @return 0 or -EINVAL. */
int reach_options_read(const struct reach_monitor_options *options,
		       const char **sysfs, int *netns);

#pragma GCC visibility pop

#endif
