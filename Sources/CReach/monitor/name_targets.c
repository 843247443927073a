/* SPDX-License-Identifier: MIT */
/* Names are resolved when their first target is added, when the network or a
 * resolver file changes, and with back-off after a failure
 * (names/name_schedule.c). All targets with the same name and family get the
 * result, since nothing else about a target changes it. Internal errors, such as
 * no thread or no inotify, delay a resolution and never fail a dispatch. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* tdestroy() */
#endif

#include "monitor/monitor.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- shared names ------------------------------------------------------ */

/* A name and its targets. One lookup resolves all targets with the same name and
 * family. */
struct name {
	/* The first member, so a pointer to it also points to the name. */
	struct reach_scheduled scheduled;
	/* Ids of the targets, unordered; an allocation with room for
	 * `capacity`. */
	uint64_t *ids;
	uint32_t count;
	uint32_t capacity;
	/* Family of the requested addresses; AF_UNSPEC for all. */
	int family;
	/* NUL-terminated, in the allocation of the struct. */
	const char *text;
};

static int compare(const void *a, const void *b)
{
	const struct name *left = a, *right = b;

	return left->family != right->family ? left->family - right->family
					     : strcmp(left->text, right->text);
}

static void destroy(void *value)
{
	struct name *name = value;

	free(name->ids);
	free(name);
}

/* The name of @target, or NULL. */
static struct name *find(const struct reach_name_targets *names,
			 const struct reach_target *target)
{
	const struct name key = { .text = target->name,
				  .family = target->remote.family };
	struct name **node = tfind(&key, &names->shared, compare);

	return node ? *node : NULL;
}

/* Finds the name, or creates it without targets; one must join it. @return NULL
 * if memory is out. */
static struct name *obtain(struct reach_name_targets *names,
			   const struct reach_target *target)
{
	const size_t size = strlen(target->name) + 1;
	struct name *name = find(names, target);

	if (name)
		return name;
	name = calloc(1, sizeof(*name) + size);
	if (!name)
		return NULL;
	name->text = memcpy(name + 1, target->name, size);
	name->family = target->remote.family;
	if (reach_array_grow(&name->ids, &name->capacity, sizeof(*name->ids)) &&
	    tsearch(name, &names->shared, compare))
		return name;
	destroy(name);
	return NULL;
}

/* Adds target @id. @return 0 or -ENOMEM; the first never fails. */
static int join(struct name *name, uint64_t id)
{
	if (name->count == name->capacity &&
	    !reach_array_grow(&name->ids, &name->capacity, sizeof(*name->ids)))
		return -ENOMEM;
	name->ids[name->count++] = id;
	return 0;
}

/* Removes target @id, and with the last one the name. The search is linear:
 * about 1 us among 10,000 targets. */
static void leave(struct reach_name_targets *names, struct name *name,
		  uint64_t id)
{
	uint32_t i = 0;

	while (name->ids[i] != id)
		i++;
	name->ids[i] = name->ids[--name->count];
	if (name->count)
		return;
	tdelete(name, &names->shared, compare);
	destroy(name);
}

/* ---- resolver and schedule --------------------------------------------- */

int reach_name_targets_init(struct reach_name_targets *names,
			    const struct reach_monitor_options *options)
{
	names->etc_root =
		strdup(options->etc_root ? options->etc_root : "/etc");
	names->resolve = options->resolve;
	names->resolve_context = options->resolve_context;
	return names->etc_root ? 0 : -ENOMEM;
}

void reach_name_targets_free(struct reach_name_targets *names)
{
	reach_resolver_release(names->resolver);
	reach_name_schedule_destroy(names->schedule);
	tdestroy(names->shared, destroy);
	reach_resolver_files_destroy(names->files);
	free(names->etc_root);
}

void reach_name_targets_stop(struct reach_name_targets *names)
{
	reach_resolver_release(names->resolver);
	names->resolver = NULL;
	names->netns = -1;
}

void reach_name_targets_abandon(struct reach_name_targets *names)
{
	if (names->resolver)
		reach_resolver_abandon(names->resolver);
	names->resolver = NULL;
	if (names->files)
		close(reach_resolver_files_fd(names->files));
	names->files = NULL;
}

static int start_resolver(struct reach_name_targets *names)
{
	int err = reach_resolver_create(&names->resolver, names->netns,
					names->resolve, names->resolve_context);

	if (err)
		return err;
	err = reach_wakeup_watch(names->wakeup,
				 reach_resolver_fd(names->resolver),
				 REACH_WAKEUP_RESOLVER);
	if (err) {
		reach_resolver_release(names->resolver);
		names->resolver = NULL;
	}
	return err;
}

/* Optional: a network change resolves names again, too, and a user may have
 * used up fs.inotify.max_user_instances (128 by default, inotify(7)), as on a
 * node whose containers run as root. So each such change tries again. */
static void start_files(struct reach_name_targets *names)
{
	if (!names->etc_root[0] ||
	    reach_resolver_files_create(&names->files, names->etc_root))
		return;
	if (reach_wakeup_watch(names->wakeup,
			       reach_resolver_files_fd(names->files),
			       REACH_WAKEUP_FILES)) {
		reach_resolver_files_destroy(names->files);
		names->files = NULL;
	}
}

/* Monitors without names have no resolver, no threads and no inotify. If a
 * later part fails to start, the started ones are kept for the next name. */
static int start(struct reach_name_targets *names)
{
	int err = 0;

	if (!names->schedule)
		err = reach_name_schedule_create(&names->schedule);
	if (!err && !names->resolver)
		err = start_resolver(names);
	if (!err && !names->files)
		start_files(names);
	return err;
}

/* The resolver's id of @name. A freed name has no job left, so a new name at
 * the same address finds none. */
static uint64_t job_of(const struct name *name)
{
	return (uintptr_t)name;
}

/* Schedules @name if target @id is its first. Otherwise copies the result of
 * the others to the target: addresses at once, since they are valid for the
 * others; a failure only if it is recent, since an older one may be over. */
static int welcome(struct reach_name_targets *names, struct name *name,
		   uint64_t id)
{
	bool recent;

	if (name->count == 1) {
		reach_name_schedule_add(names->schedule, &name->scheduled);
		return 0;
	}
	recent = reach_name_schedule_join(names->schedule, &name->scheduled,
					  reach_monotonic());
	return reach_engine_share_resolution(names->engine, name->ids[0], id,
					     recent);
}

int reach_name_targets_add(struct reach_name_targets *names, uint64_t id)
{
	const struct reach_target *target =
		reach_engine_name(names->engine, id);
	struct name *name;
	int err;

	if (!target)
		return 0;
	err = start(names);
	if (err)
		return err;
	name = obtain(names, target);
	if (!name || join(name, id))
		return -ENOMEM;
	err = welcome(names, name, id);
	if (err)
		leave(names, name, id);
	return err;
}

/* Removes @name, whose last target is being removed, from schedule and
 * resolver. Cancelling may make room in a full resolver for due names. No
 * result announces that, so the next dispatch is requested. */
static void retire(struct reach_name_targets *names, struct name *name)
{
	reach_name_schedule_remove(names->schedule, &name->scheduled);
	if (reach_name_schedule_deadline(names->schedule) <= reach_monotonic())
		reach_wakeup_kick(names->wakeup);
	if (names->resolver)
		reach_resolver_cancel(names->resolver, job_of(name));
}

void reach_name_targets_remove(struct reach_name_targets *names, uint64_t id)
{
	const struct reach_target *target =
		reach_engine_name(names->engine, id);
	struct name *name = target ? find(names, target) : NULL;

	if (!name)
		return;
	if (name->count == 1)
		retire(names, name);
	leave(names, name, id);
}

/* Passes @result to target @id. @return whether it is final: a failure, or a
 * name without addresses, is resolved again after a back-off. */
static bool pass_on(struct reach_name_targets *names, uint64_t id,
		    const struct reach_resolved *result)
{
	int err;

	if (result->error) {
		(void)reach_engine_resolution_failed(names->engine, id,
						     result->error);
		return false;
	}
	err = reach_engine_resolved(names->engine, id, result->addresses,
				    result->count);
	/* The `resolve` option returned malformed addresses. */
	if (err == -EINVAL)
		(void)reach_engine_resolution_failed(names->engine, id, err);
	return !err && result->count > 0;
}

/* As pass_on(), to all targets of @name. */
static bool pass_on_all(struct reach_name_targets *names,
			const struct name *name,
			const struct reach_resolved *result)
{
	bool final = true;
	uint32_t i;

	for (i = 0; i < name->count; i++)
		final &= pass_on(names, name->ids[i], result);
	return final;
}

static void take_results(struct reach_name_targets *names, int64_t now)
{
	struct reach_resolved result;

	while (reach_resolver_next(names->resolver, &result) == 1) {
		struct name *name = (struct name *)(uintptr_t)result.id;

		reach_name_schedule_done(names->schedule, &name->scheduled,
					 pass_on_all(names, name, &result),
					 now);
	}
}

/* Submits due names while the resolver has room (REACH_RESOLVER_MAX). This
 * bounds the dispatch, however many names there are. Results make the
 * descriptor readable, and the dispatch that takes them submits the next
 * names. */
static void submit_due(struct reach_name_targets *names, int64_t now)
{
	/* No thread or no memory. */
	static const struct reach_resolved none = { .error = -ENOMEM };
	struct reach_scheduled *due;

	while (!reach_resolver_is_full(names->resolver) &&
	       (due = reach_name_schedule_due(names->schedule, now))) {
		const struct name *name = (struct name *)due;

		if (reach_resolver_submit(names->resolver, job_of(name),
					  name->text, name->family))
			reach_name_schedule_done(
				names->schedule, due,
				pass_on_all(names, name, &none), now);
		else
			names->engine->stats.resolutions++;
	}
}

/* Passes on changes before results, so that a result of a lookup begun before
 * the change is known to be outdated. */
void reach_name_targets_run(struct reach_name_targets *names)
{
	const uint64_t changes = names->engine->network_changes;
	bool changed = changes != names->network_changes;
	int64_t now;

	names->network_changes = changes;
	if (!names->schedule || !names->resolver)
		return;
	now = reach_monotonic();
	if (reach_wakeup_take(names->wakeup, REACH_WAKEUP_FILES) &&
	    names->files && reach_resolver_files_drain(names->files))
		changed = true;
	if (changed) {
		if (!names->files)
			start_files(names);
		reach_name_schedule_changed(names->schedule, now);
	}
	if (reach_wakeup_take(names->wakeup, REACH_WAKEUP_RESOLVER))
		take_results(names, now);
	reach_resolver_retry(names->resolver, now);
	submit_due(names, now);
}

int64_t reach_name_targets_deadline(const struct reach_name_targets *names)
{
	int64_t deadline, due;

	if (!names->schedule || !names->resolver)
		return INT64_MAX;
	deadline = reach_resolver_deadline(names->resolver);
	/* A due name waits for a result, which makes room. Its deadline has
	 * passed, so a timer for it would fire again and again. The eventfd of
	 * the result wakes the caller. */
	if (reach_resolver_is_full(names->resolver))
		return deadline;
	due = reach_name_schedule_deadline(names->schedule);
	return due < deadline ? due : deadline;
}
