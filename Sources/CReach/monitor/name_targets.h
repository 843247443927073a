/* SPDX-License-Identifier: MIT */
/* Name targets of a monitor: connects the engine with the schedule of
 * resolutions, the resolver threads and the watched resolver files. */
#ifndef REACH_MONITOR_NAME_TARGETS_H
#define REACH_MONITOR_NAME_TARGETS_H

#include <stdint.h>

#include <reach/monitor.h>

#include "monitor/wakeup.h"
#include "names/shared_names.h"

#pragma GCC visibility push(hidden)

struct reach_name_targets {
	/* Borrowed from the monitor. */
	struct reach_engine *engine;
	struct reach_wakeup *wakeup;

	/* Owned; NULL until the first name is added. `files` stays NULL where
	 * inotify is refused. */
	struct reach_resolver *resolver;
	struct reach_name_schedule *schedule;
	struct reach_resolver_files *files;
	/* Owned. Each is in the schedule, and its address is the id of its
	 * job. */
	struct reach_shared_names shared;

	/* Borrowed descriptor of the namespace in which names are resolved; -1
	 * for that of the thread that starts the workers. */
	int netns;
	/* Directory of resolv.conf, hosts and nsswitch.conf. Owned. */
	char *etc_root;
	/* Options of the same names. */
	reach_resolve_function resolve;
	void *resolve_context;

	/* Last values of reach_engine_network_changes() and
	 * reach_engine_connectivity_returns() that were passed on to the
	 * schedule. */
	uint64_t network_changes;
	uint64_t connectivity_returns;
};

/* Copies the options that concern names. @return 0 or -ENOMEM. */
int reach_name_targets_init(struct reach_name_targets *names,
			    const struct reach_monitor_options *options);

/* Releases the resolver, without waiting for a lookup in progress, and frees
 * all owned memory. */
void reach_name_targets_free(struct reach_name_targets *names);

/* In a child of fork(): closes the child's copies of the descriptors and frees
 * nothing. */
void reach_name_targets_abandon(struct reach_name_targets *names);

/* Schedules target @id for resolution if it is a name. The first one starts
 * resolver, schedule and watches. A target gets the result of others with the
 * same name. @return 0 or a negative errno. */
int reach_name_targets_add(struct reach_name_targets *names, uint64_t id);
/* Drops target @id if it is a name. With the last target of a name, its pending
 * result is dropped as well. Call it while the engine has the target. */
void reach_name_targets_remove(struct reach_name_targets *names, uint64_t id);

/* Passes results to the engine, changes of network and files to the schedule,
 * and due names to the resolver. Never waits. */
void reach_name_targets_run(struct reach_name_targets *names);

/* Time of the next run that no descriptor announces; INT64_MAX for never. */
int64_t reach_name_targets_deadline(const struct reach_name_targets *names);

#pragma GCC visibility pop

#endif
