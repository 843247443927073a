/* SPDX-License-Identifier: MIT */
/*
 * A list of all names; the one looked up last is at its end. Names that are
 * resolved or in flight stay in it, due at NEVER. A search visits all of them:
 * 10,000 take 30 us, less than one lookup of a name.
 *
 * Changes of the network are counted. Each name has the number of the change that
 * its latest lookup has seen, so a change costs O(1): a name with an older one is
 * outdated, and becomes due when the burst has ended.
 */
#include "names/names.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>

#include "base/base.h"

#define NEVER	INT64_MAX
#define UNKNOWN INT64_MIN

/* Delay between a change and its resolutions. One change is usually several
 * events (a file truncated and written; a link, its address, its route): 100 ms
 * join them. */
#define HOLDOFF (100 * REACH_MILLISECOND)

/* Resolutions that changes may cause in a row; in the long run one per second.
 * A network that comes back has several changes, and any of them may have been
 * the missing one. One that flaps would have the servers asked for all names ten
 * times per second. */
#define CHANGES_MAX 10

/* Delay after the first failure, and the limit of its doubling. */
#define BACK_OFF_FIRST REACH_SECOND
#define BACK_OFF_MOST  (300 * REACH_SECOND)

/* Maximum age of addresses that another target of the name takes without a
 * lookup. Their time to live is unknown: getaddrinfo() doesn't return it. */
#define RECENT (60 * REACH_SECOND)

/* Concurrent lookups of one name. The first may hang until all servers have
 * timed out (30 s with glibc's defaults), so a change starts a second one
 * beside it. No more: each holds a thread. */
#define FLIGHTS_MAX 2

struct reach_name_schedule {
	/* Number of changes, from 1. */
	uint64_t changes;
	/* Time at which outdated names become due, or NEVER. */
	int64_t holdoff_due;
	/* Token bucket of changes, as a time. Each burst adds a second. It is
	 * at least CHANGES_MAX seconds ago. */
	int64_t bucket;
	/* Time at which the next name is due; UNKNOWN after a change. */
	int64_t earliest;
	/* Head of the circular list. The names in it are not owned. */
	struct reach_scheduled list;
};

/* The first name in the list that is due at @now. Without one, sets `earliest`,
 * and returns NULL. */
static struct reach_scheduled *find(struct reach_name_schedule *names,
				    int64_t now)
{
	struct reach_scheduled *name;
	int64_t earliest = NEVER;

	for (name = names->list.next; name != &names->list; name = name->next) {
		if (name->due <= now)
			return name;
		if (name->due < earliest)
			earliest = name->due;
	}
	names->earliest = earliest;
	return NULL;
}

static void reschedule(struct reach_name_schedule *names,
		       struct reach_scheduled *name, int64_t due)
{
	name->due = due;
	names->earliest = UNKNOWN;
}

/* ---- interface --------------------------------------------------------- */

int reach_name_schedule_create(struct reach_name_schedule **ret)
{
	struct reach_name_schedule *names = calloc(1, sizeof(*names));

	if (!names)
		return -ENOMEM;
	names->changes = 1;
	names->holdoff_due = NEVER;
	names->bucket = -CHANGES_MAX * REACH_SECOND;
	names->earliest = NEVER;
	names->list.next = &names->list;
	names->list.previous = &names->list;
	*ret = names;
	return 0;
}

void reach_name_schedule_destroy(struct reach_name_schedule *names)
{
	free(names);
}

void reach_name_schedule_add(struct reach_name_schedule *names,
			     struct reach_scheduled *name)
{
	insque(name, names->list.previous);
	names->earliest = UNKNOWN;
}

void reach_name_schedule_remove(struct reach_name_schedule *names,
				struct reach_scheduled *name)
{
	remque(name);
	names->earliest = UNKNOWN;
}

bool reach_name_schedule_join(struct reach_name_schedule *names,
			      struct reach_scheduled *name, int64_t now)
{
	const bool current = name->change == names->changes;
	const int64_t age = now - name->done;
	const bool recent = current && !name->in_flight &&
			    age < (name->failed ? BACK_OFF_FIRST : RECENT);

	if (!recent && name->in_flight < (current ? 1 : FLIGHTS_MAX) &&
	    name->due > now)
		reschedule(names, name, now);
	return recent;
}

/* A later change of the same burst doesn't postpone it. Otherwise a link that
 * flaps would keep names from being resolved at all. */
void reach_name_schedule_changed(struct reach_name_schedule *names, int64_t now)
{
	names->changes++;
	if (names->holdoff_due != NEVER || names->list.next == &names->list)
		return;
	if (names->bucket < now - CHANGES_MAX * REACH_SECOND)
		names->bucket = now - CHANGES_MAX * REACH_SECOND;
	names->bucket += REACH_SECOND;
	names->holdoff_due = now + HOLDOFF;
	if (names->holdoff_due < names->bucket)
		names->holdoff_due = names->bucket;
}

/* A result of a lookup that began before the last change is outdated. The name
 * is then due with the others, without a back-off. */
void reach_name_schedule_done(struct reach_name_schedule *names,
			      struct reach_scheduled *name, bool good,
			      int64_t now)
{
	int64_t due = NEVER;

	if (!name->in_flight)
		return;
	name->in_flight = 0;
	name->done = now;
	name->failed = !good;
	if (name->change != names->changes) {
		due = names->holdoff_due != NEVER ? names->holdoff_due : now;
	} else if (!good) {
		due = now + name->delay;
		name->delay *= 2;
		if (name->delay > BACK_OFF_MOST)
			name->delay = BACK_OFF_MOST;
	}
	reschedule(names, name, due);
}

/* Makes names that no lookup since the last change is about due at @due, unless
 * they are due earlier. */
static void hasten(struct reach_name_schedule *names, int64_t due)
{
	struct reach_scheduled *name;

	for (name = names->list.next; name != &names->list; name = name->next)
		if (name->change != names->changes &&
		    name->in_flight < FLIGHTS_MAX && name->due > due)
			reschedule(names, name, due);
}

struct reach_scheduled *
reach_name_schedule_due(struct reach_name_schedule *names, int64_t now)
{
	struct reach_scheduled *name;

	if (names->holdoff_due <= now) {
		hasten(names, names->holdoff_due);
		names->holdoff_due = NEVER;
	}
	name = names->earliest > now ? NULL : find(names, now);
	if (!name)
		return NULL;
	reschedule(names, name, NEVER);
	remque(name);
	insque(name, names->list.previous);
	name->in_flight++;
	if (name->change != names->changes) {
		name->change = names->changes;
		name->delay = BACK_OFF_FIRST;
	}
	return name;
}

int64_t reach_name_schedule_deadline(struct reach_name_schedule *names)
{
	if (names->list.next == &names->list)
		return NEVER;
	if (names->earliest == UNKNOWN)
		(void)find(names, UNKNOWN);
	return names->earliest < names->holdoff_due ? names->earliest
						    : names->holdoff_due;
}
