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
 * join them. While a network flaps the delay doubles up to 5 s. Otherwise the
 * servers would be asked for all names ten times per second. 10 s without a
 * change reset it. */
#define HOLDOFF_FIRST (100 * REACH_MILLISECOND)
#define HOLDOFF_MOST  (5 * REACH_SECOND)
#define QUIET	      (10 * REACH_SECOND)

/* Delay between a possible return of the network and the resolution of failed
 * names. A return has several events, and any of them may have been the missing
 * one. So each may cause a resolution: RETURNS_MAX in a row, one per second in
 * the long run. */
#define RETURN_DELAY (50 * REACH_MILLISECOND)
#define RETURNS_MAX  10

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
	/* Delay of the last burst. */
	int64_t holdoff;
	/* Time of the last change. */
	int64_t last_change;
	/* Time at which failed names become due because of a return, or NEVER.
	 */
	int64_t return_due;
	/* `changes` at the last return; a failure of an older lookup does not
	 * count. */
	uint64_t return_change;
	/* Token bucket of returns, as a time. Each return adds a second. It is
	 * between RETURNS_MAX seconds ago and now. */
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
	names->holdoff = HOLDOFF_FIRST;
	names->last_change = -QUIET;
	names->return_due = NEVER;
	names->bucket = -RETURNS_MAX * REACH_SECOND;
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
	const bool quiet = now - names->last_change >= QUIET;

	names->changes++;
	names->last_change = now;
	if (names->holdoff_due != NEVER && names->list.next != &names->list)
		return;
	names->holdoff = quiet ? HOLDOFF_FIRST : 2 * names->holdoff;
	if (names->holdoff > HOLDOFF_MOST)
		names->holdoff = HOLDOFF_MOST;
	names->holdoff_due = now + names->holdoff;
}

/* A return while another is due is part of that one, and takes no token. */
void reach_name_schedule_returned(struct reach_name_schedule *names,
				  int64_t now)
{
	if (names->return_due != NEVER) {
		names->return_change = names->changes;
		return;
	}
	if (names->bucket < now - RETURNS_MAX * REACH_SECOND)
		names->bucket = now - RETURNS_MAX * REACH_SECOND;
	if (names->bucket + REACH_SECOND > now)
		return;
	names->bucket += REACH_SECOND;
	names->return_change = names->changes;
	names->return_due = now + RETURN_DELAY;
}

/* A result of a lookup that began before the last change, or a failure before
 * the last return, is outdated. The name is then due with the others, without a
 * back-off. */
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
	if (!good && name->change < names->return_change) {
		due = names->return_due != NEVER ? names->return_due : now;
	} else if (name->change != names->changes) {
		due = names->holdoff_due != NEVER ? names->holdoff_due : now;
	} else if (!good) {
		due = now + name->delay;
		name->delay *= 2;
		if (name->delay > BACK_OFF_MOST)
			name->delay = BACK_OFF_MOST;
	}
	reschedule(names, name, due);
}

/* Makes names due at @due: @all, or those that failed or are in flight. Names
 * looked up since the last change, and names that are due earlier, keep their
 * time. */
static void hasten(struct reach_name_schedule *names, int64_t due, bool all)
{
	struct reach_scheduled *name;

	for (name = names->list.next; name != &names->list; name = name->next)
		if ((all || name->failed || name->in_flight) &&
		    name->change != names->changes &&
		    name->in_flight < FLIGHTS_MAX && name->due > due)
			reschedule(names, name, due);
}

struct reach_scheduled *
reach_name_schedule_due(struct reach_name_schedule *names, int64_t now)
{
	struct reach_scheduled *name;

	if (names->return_due <= now) {
		hasten(names, names->return_due, false);
		names->return_due = NEVER;
	}
	if (names->holdoff_due <= now) {
		hasten(names, names->holdoff_due, true);
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
	int64_t due;

	if (names->list.next == &names->list)
		return NEVER;
	if (names->earliest == UNKNOWN)
		(void)find(names, UNKNOWN);
	due = names->earliest;
	if (names->return_due < due)
		due = names->return_due;
	return due < names->holdoff_due ? due : names->holdoff_due;
}
