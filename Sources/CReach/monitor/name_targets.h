/* SPDX-License-Identifier: MIT */
/* The names of a monitor: schedule, resolver, watched files and engine joined.
 */
#ifndef REACH_MONITOR_NAME_TARGETS_H
#define REACH_MONITOR_NAME_TARGETS_H

#include <stdint.h>

#include <reach/monitor.h>

#include "monitor/wakeup.h"

#pragma GCC visibility push(hidden)

struct reach_name_targets {
	/* Borrowed from the monitor. */
	struct reach_engine *engine;
	struct reach_wakeup *wakeup;

	/* Owned; NULL until the first name comes. `files` may stay NULL. */
	struct reach_resolver *resolver;
	struct reach_name_schedule *schedule;
	struct reach_resolver_files *files;

	/* Namespace of the resolver, or -1 for that of its threads. */
	int netns;
	/* Owned. */
	char *etc_root;
	reach_resolve_function resolve;
	void *resolve_context;

	/* reach_engine_network_changes() and reach_engine_returns() as the
	 * schedule knows them. */
	uint64_t network_changes;
	uint64_t returns;
};

/* Takes what concerns names from @options. @return 0 or -ENOMEM. */
int reach_name_targets_init(struct reach_name_targets *names,
			    const struct reach_monitor_options *options);

/* Stops the resolver without waiting for a lookup, and frees all. */
void reach_name_targets_free(struct reach_name_targets *names);

/* In a child of fork(): closes descriptors and leaves memory alone. */
void reach_name_targets_abandon(struct reach_name_targets *names);

/* Schedules target @id if it is a name. @return 0 or a negative errno. */
int reach_name_targets_add(struct reach_name_targets *names, uint64_t id);
void reach_name_targets_remove(struct reach_name_targets *names, uint64_t id);

/* Takes results and changes of files; submits the names that are due. */
void reach_name_targets_run(struct reach_name_targets *names);

/* When the next run is due though no descriptor is readable; INT64_MAX for
 * never. */
int64_t reach_name_targets_deadline(const struct reach_name_targets *names);

#pragma GCC visibility pop

#endif
