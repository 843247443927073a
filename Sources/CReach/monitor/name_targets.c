/* SPDX-License-Identifier: MIT */
/* Names of a monitor: schedule, resolver, watched files and engine joined. */
#include "monitor/monitor_internal.h"

#include <errno.h>

static int start_resolver(struct reach_monitor *monitor)
{
	int err = reach_resolver_create(&monitor->resolver, monitor->netns,
					monitor->resolve,
					monitor->resolve_context);

	if (err)
		return err;
	err = reach_monitor_watch_fd(monitor,
				     reach_resolver_fd(monitor->resolver),
				     REACH_MONITOR_RESOLVER);
	if (err) {
		reach_resolver_release(monitor->resolver);
		monitor->resolver = NULL;
	}
	return err;
}

/* Names live without the watch: a change of the network resolves them anew
 * too, and a user may be out of inotify instances (128 by default). */
static void start_watch(struct reach_monitor *monitor)
{
	int fd;

	if (reach_watch_create(&monitor->watch, monitor->etc_root)) {
		monitor->watch = NULL;
		return;
	}
	fd = reach_watch_fd(monitor->watch);
	if (fd >= 0 &&
	    reach_monitor_watch_fd(monitor, fd, REACH_MONITOR_WATCH)) {
		reach_watch_destroy(monitor->watch);
		monitor->watch = NULL;
	}
}

/* The threads, the descriptors and the watch come with the first name. */
static int start(struct reach_monitor *monitor)
{
	int err = 0;

	if (!monitor->names)
		err = reach_names_create(&monitor->names);
	if (!err && !monitor->resolver)
		err = start_resolver(monitor);
	if (!err && !monitor->watch)
		start_watch(monitor);
	return err;
}

int reach_name_targets_add(struct reach_monitor *monitor, uint64_t id)
{
	const char *name = reach_engine_name(monitor->engine, id);
	int err;

	if (!name)
		return 0;
	err = start(monitor);
	return err ? err : reach_names_add(monitor->names, id, name);
}

void reach_name_targets_remove(struct reach_monitor *monitor, uint64_t id)
{
	if (monitor->names)
		reach_names_remove(monitor->names, id);
	if (!monitor->resolver)
		return;
	/* Others may have waited for its place, and nobody tells of the place
	 * of a job that is cancelled. */
	if (monitor->names &&
	    reach_names_deadline(monitor->names) <= reach_monotonic())
		reach_monitor_kick(monitor);
	reach_resolver_cancel(monitor->resolver, id);
}

/* Whether the name need not be asked for again. */
static bool take_result(struct reach_monitor *monitor,
			const struct reach_resolved *result)
{
	int err;

	if (result->error) {
		(void)reach_engine_resolution_failed(monitor->engine,
						     result->id, result->error);
		return false;
	}
	err = reach_engine_resolved(monitor->engine, result->id,
				    result->addresses, result->count);
	/* A resolver's that are no addresses. */
	if (err == -EINVAL)
		(void)reach_engine_resolution_failed(monitor->engine,
						     result->id, err);
	return !err && result->count > 0;
}

static void take_results(struct reach_monitor *monitor, int64_t now)
{
	struct reach_resolved result;

	while (reach_resolver_next(monitor->resolver, &result) == 1)
		reach_names_done(monitor->names, result.id,
				 take_result(monitor, &result), now);
}

/* As many as there is room for: a dispatch is not to take longer the more names
 * there are. The results make the next one submit the others. */
static void submit_due(struct reach_monitor *monitor, int64_t now)
{
	const char *name;
	uint64_t id;

	while (!reach_resolver_is_full(monitor->resolver) &&
	       (name = reach_names_due(monitor->names, now, &id))) {
		if (reach_resolver_submit(monitor->resolver, id, name))
			/* No thread, no memory: with back-off. */
			reach_names_done(monitor->names, id, false, now);
		else
			reach_engine_counters(monitor->engine)->resolutions++;
	}
}

void reach_name_targets_run(struct reach_monitor *monitor)
{
	const uint64_t changes = reach_engine_network_changes(monitor->engine);
	const uint64_t returns = reach_engine_returns(monitor->engine);
	const bool returned = returns != monitor->returns;
	bool changed = changes != monitor->network_changes;
	int64_t now;

	monitor->network_changes = changes;
	monitor->returns = returns;
	if (!monitor->names || !monitor->resolver)
		return;
	now = reach_monotonic();
	if (monitor->ready & REACH_MONITOR_WATCH && monitor->watch &&
	    reach_watch_drain(monitor->watch))
		changed = true;
	if (changed)
		reach_names_changed(monitor->names, now);
	if (returned)
		reach_names_returned(monitor->names, now);
	if (monitor->ready & REACH_MONITOR_RESOLVER)
		take_results(monitor, now);
	monitor->ready &=
		~(uint32_t)(REACH_MONITOR_WATCH | REACH_MONITOR_RESOLVER);
	reach_resolver_retry(monitor->resolver, now);
	submit_due(monitor, now);
}

int64_t reach_name_targets_deadline(const struct reach_monitor *monitor)
{
	int64_t deadline, due;

	if (!monitor->names || !monitor->resolver)
		return INT64_MAX;
	deadline = reach_resolver_deadline(monitor->resolver);
	if (reach_resolver_is_full(monitor->resolver))
		return deadline;
	due = reach_names_deadline(monitor->names);
	return due < deadline ? due : deadline;
}
