/* SPDX-License-Identifier: MIT */
/* What struct reach_monitor_options amounts to. */
#ifndef REACH_MONITOR_OPTIONS_H
#define REACH_MONITOR_OPTIONS_H

#include <reach/monitor.h>

#pragma GCC visibility push(hidden)

/* Checks @options. Sets @sysfs to the mount of sysfs, "" for none, and @netns
 * to the namespace to enter, -1 for none. @return 0 or -EINVAL. */
int reach_options_read(const struct reach_monitor_options *options,
		       const char **sysfs, int *netns);

#pragma GCC visibility pop

#endif
