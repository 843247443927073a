/* SPDX-License-Identifier: MIT */
#include "monitor/monitor.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/base.h"
#include "system/system.h"

#define OPTIONS_SIZE_1_0 REACH_SIZE_TO(struct reach_monitor_options, reserved)

int reach_options_read(struct reach_monitor_options *ret,
		       const struct reach_monitor_options *options)
{
	int err;

	reach_monitor_options_init(ret);
	if (!options)
		return 0;
	err = reach_sized_read(ret, sizeof(*ret), OPTIONS_SIZE_1_0, options);
	if (err)
		return err;
	return ret->netns_fd < -1 || ret->once > 1 || ret->reserved ? -EINVAL
								    : 0;
}

void reach_options_place(const struct reach_monitor_options *options,
			 const char **sysfs, int *netns)
{
	*netns = options->netns_fd;
	/* setns(2) requires CAP_SYS_ADMIN even for the thread's own namespace,
	 * so don't enter that one. */
	if (*netns >= 0 &&
	    reach_netns_is_at("/proc/thread-self/ns/net", *netns))
		*netns = -1;
	/* A sysfs mount shows the network namespace of the process that mounted
	 * it (sysfs_init_fs_context(), fs/sysfs/mount.c). So /sys doesn't
	 * describe the interfaces of another namespace. */
	*sysfs = *netns >= 0 ? "" : "/sys";
	if (options->sysfs_root)
		*sysfs = options->sysfs_root;
}
