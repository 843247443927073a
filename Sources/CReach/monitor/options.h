/* SPDX-License-Identifier: MIT */
/* Validation of struct reach_monitor_options, and its defaults. */
#ifndef REACH_MONITOR_OPTIONS_H
#define REACH_MONITOR_OPTIONS_H

#include <reach/monitor.h>

#pragma GCC visibility push(hidden)

/* Copies the caller's options, which may have another size, and checks them;
 * NULL means the defaults. @return 0, -EINVAL or -E2BIG. */
int reach_options_read(struct reach_monitor_options *ret,
		       const struct reach_monitor_options *options);

/* Sets @sysfs to the path of the sysfs mount, "" for none (borrowed from
 * @options or static), and @netns to the descriptor of the namespace to enter,
 * -1 to stay. */
void reach_options_place(const struct reach_monitor_options *options,
			 const char **sysfs, int *netns);

#pragma GCC visibility pop

#endif
