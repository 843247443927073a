/* SPDX-License-Identifier: MIT */
/*
 * A binary heap of all names by due time, and a tsearch(3) tree of them by id.
 * Names that are resolved or in flight stay in the heap, due at NEVER.
 *
 * A generation counter counts changes of the network. Each name has the
 * generation of its latest lookup, so that a change costs O(1): a name of an
 * older generation is outdated, and the heap is rebuilt once when the burst has
 * settled.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* tdestroy() */
#endif

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "names/name_schedule.h"

#define NEVER INT64_MAX

/* Delay between a change and the resolutions because of it. One change is
 * several events as a rule (a file truncated and written; a link, its address,
 * its route): 100 ms join them. While a network flaps the delay doubles up to 5
 * s, or the servers would be asked for all names ten times a second. 10 s
 * without a change reset it. */
#define SETTLE_FIRST (100 * REACH_MILLISECOND)
#define SETTLE_MOST  (5 * REACH_SECOND)
#define QUIET	     (10 * REACH_SECOND)

/* Delay between a possible return of the network and the resolution of failed
 * names. Several events make a return, and any may have been the missing one,
 * so each may cause a resolution: RETURNS_MAX in a row, one a second in the
 * long run. */
#define RETURN_DELAY (50 * REACH_MILLISECOND)
#define RETURNS_MAX  10

/* Delay after the first failure, and the limit of its doubling. */
#define BACK_OFF_FIRST REACH_SECOND
#define BACK_OFF_MOST  (300 * REACH_SECOND)

/* Lookups of one name at a time. The first may hang until all servers have
 * timed out (30 s with glibc's defaults), so after a change a second one is
 * started beside it. No more: each holds a thread. */
#define FLIGHTS_MAX 2

struct name {
	/* Id of the target. */
	uint64_t id;
	/* Time of the next lookup, or NEVER. */
	int64_t due;
	/* Back-off after the next failure. */
	int64_t delay;
	/* Generation of the latest lookup; 0 before the first. */
	uint64_t generation;
	/* Index in the heap. */
	size_t position;
	/* Lookups since the last result. */
	unsigned int in_flight;
	/* The last result had no addresses. */
	bool failed;
	/* NUL-terminated. */
	char text[];
};

struct reach_name_schedule {
	/* Number of changes, from 1. */
	uint64_t generation;
	/* Time at which names of older generations become due, or NEVER. */
	int64_t settle_due;
	/* Delay of the last burst. */
	int64_t settle_delay;
	/* Time of the last change. */
	int64_t last_change;
	/* Time at which failed names become due because of a return, or NEVER.
	 */
	int64_t return_due;
	/* Generation of the last return; a failure of an older lookup does not
	 * count. */
	uint64_t return_generation;
	/* Token bucket of returns, as a time: each adds a second, and it is not
	 * less than RETURNS_MAX seconds ago nor more than now. */
	int64_t bucket;
	/* Owned, as are the names in it. */
	struct name **heap;
	size_t count;
	size_t capacity;
	/* Root of the tree by id. */
	void *tree;
};

/* ---- heap -------------------------------------------------------------- */

static bool sooner(const struct name *a, const struct name *b)
{
	return a->due != b->due ? a->due < b->due : a->id < b->id;
}

static void place(struct reach_name_schedule *names, size_t position,
		  struct name *name)
{
	names->heap[position] = name;
	name->position = position;
}

static void sift_up(struct reach_name_schedule *names, size_t position)
{
	struct name *name = names->heap[position];

	while (position > 0) {
		size_t parent = (position - 1) / 2;

		if (!sooner(name, names->heap[parent]))
			break;
		place(names, position, names->heap[parent]);
		position = parent;
	}
	place(names, position, name);
}

static void sift_down(struct reach_name_schedule *names, size_t position)
{
	struct name *name = names->heap[position];
	size_t child;

	while ((child = 2 * position + 1) < names->count) {
		if (child + 1 < names->count &&
		    sooner(names->heap[child + 1], names->heap[child]))
			child++;
		if (!sooner(names->heap[child], name))
			break;
		place(names, position, names->heap[child]);
		position = child;
	}
	place(names, position, name);
}

static void push(struct reach_name_schedule *names, struct name *name)
{
	place(names, names->count++, name);
	sift_up(names, name->position);
}

static void reschedule(struct reach_name_schedule *names, struct name *name,
		       int64_t due)
{
	name->due = due;
	sift_up(names, name->position);
	sift_down(names, name->position);
}

static void take(struct reach_name_schedule *names, struct name *name)
{
	size_t position = name->position;
	struct name *last = names->heap[--names->count];

	if (last == name)
		return;
	place(names, position, last);
	sift_up(names, position);
	sift_down(names, last->position);
}

static int reserve(struct reach_name_schedule *names)
{
	size_t capacity = names->capacity ? 2 * names->capacity : 8;
	struct name **heap;

	if (names->count < names->capacity)
		return 0;
	heap = reallocarray(names->heap, capacity, sizeof(*heap));
	if (!heap)
		return -ENOMEM;
	names->heap = heap;
	names->capacity = capacity;
	return 0;
}

/* ---- tree -------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	uint64_t left = ((const struct name *)a)->id;
	uint64_t right = ((const struct name *)b)->id;

	return (left > right) - (left < right);
}

static struct name *find(struct reach_name_schedule *names, uint64_t id)
{
	struct name key = { .id = id };
	struct name **node = tfind(&key, &names->tree, compare);

	return node ? *node : NULL;
}

/* ---- interface --------------------------------------------------------- */

int reach_name_schedule_create(struct reach_name_schedule **ret)
{
	struct reach_name_schedule *names = calloc(1, sizeof(*names));

	if (!names)
		return -ENOMEM;
	names->generation = 1;
	names->settle_due = NEVER;
	names->settle_delay = SETTLE_FIRST;
	names->last_change = -QUIET;
	names->return_due = NEVER;
	names->bucket = -RETURNS_MAX * REACH_SECOND;
	*ret = names;
	return 0;
}

void reach_name_schedule_destroy(struct reach_name_schedule *names)
{
	if (!names)
		return;
	tdestroy(names->tree, free);
	free(names->heap);
	free(names);
}

int reach_name_schedule_add(struct reach_name_schedule *names, uint64_t id,
			    const char *text)
{
	size_t size = strlen(text) + 1;
	struct name *name;

	if (find(names, id))
		return -EEXIST;
	if (reserve(names) < 0)
		return -ENOMEM;
	name = calloc(1, sizeof(*name) + size);
	if (!name)
		return -ENOMEM;
	name->id = id;
	memcpy(name->text, text, size);
	if (!tsearch(name, &names->tree, compare)) {
		free(name);
		return -ENOMEM;
	}
	push(names, name);
	return 0;
}

void reach_name_schedule_remove(struct reach_name_schedule *names, uint64_t id)
{
	struct name *name = find(names, id);

	if (!name)
		return;
	take(names, name);
	tdelete(name, &names->tree, compare);
	free(name);
}

/* A later change of the same burst does not postpone it: a link that flaps
 * would keep names from being resolved at all. */
void reach_name_schedule_changed(struct reach_name_schedule *names, int64_t now)
{
	const bool quiet = now - names->last_change >= QUIET;

	names->generation++;
	names->last_change = now;
	if (names->settle_due != NEVER && names->count)
		return;
	names->settle_delay = quiet ? SETTLE_FIRST : 2 * names->settle_delay;
	if (names->settle_delay > SETTLE_MOST)
		names->settle_delay = SETTLE_MOST;
	names->settle_due = now + names->settle_delay;
}

/* A return while one is due is part of it, and takes no token. */
void reach_name_schedule_returned(struct reach_name_schedule *names,
				  int64_t now)
{
	if (names->return_due != NEVER) {
		names->return_generation = names->generation;
		return;
	}
	if (names->bucket < now - RETURNS_MAX * REACH_SECOND)
		names->bucket = now - RETURNS_MAX * REACH_SECOND;
	if (names->bucket + REACH_SECOND > now)
		return;
	names->bucket += REACH_SECOND;
	names->return_generation = names->generation;
	names->return_due = now + RETURN_DELAY;
}

/* A result of a lookup that began before the last change, or a failure before
 * the last return, is outdated: the name is due with the others instead of a
 * back-off. */
void reach_name_schedule_done(struct reach_name_schedule *names, uint64_t id,
			      bool good, int64_t now)
{
	struct name *name = find(names, id);
	int64_t due = NEVER;

	if (!name || !name->in_flight)
		return;
	name->in_flight = 0;
	name->failed = !good;
	if (!good && name->generation < names->return_generation) {
		due = names->return_due != NEVER ? names->return_due : now;
	} else if (name->generation != names->generation) {
		due = names->settle_due != NEVER ? names->settle_due : now;
	} else if (!good) {
		due = now + name->delay;
		name->delay *= 2;
		if (name->delay > BACK_OFF_MOST)
			name->delay = BACK_OFF_MOST;
	}
	reschedule(names, name, due);
}

/* Makes names due at @due: @all, or those that failed or are in flight. Names
 * that were looked up since the last change keep their time, and so do those
 * that are due earlier, which would go behind the others again. Rebuilds the
 * heap in O(n). */
static void hasten(struct reach_name_schedule *names, int64_t due, bool all)
{
	for (size_t i = 0; i < names->count; i++) {
		struct name *name = names->heap[i];

		if ((all || name->failed || name->in_flight) &&
		    name->generation != names->generation &&
		    name->in_flight < FLIGHTS_MAX && name->due > due)
			name->due = due;
	}
	for (size_t i = names->count / 2; i-- > 0;)
		sift_down(names, i);
}

const char *reach_name_schedule_due(struct reach_name_schedule *names,
				    int64_t now, uint64_t *id)
{
	struct name *name;

	if (names->return_due <= now) {
		hasten(names, names->return_due, false);
		names->return_due = NEVER;
	}
	if (names->settle_due <= now) {
		hasten(names, names->settle_due, true);
		names->settle_due = NEVER;
	}
	if (!names->count || names->heap[0]->due > now)
		return NULL;
	name = names->heap[0];
	reschedule(names, name, NEVER);
	name->in_flight++;
	if (name->generation != names->generation) {
		name->generation = names->generation;
		name->delay = BACK_OFF_FIRST;
	}
	*id = name->id;
	return name->text;
}

int64_t reach_name_schedule_deadline(const struct reach_name_schedule *names)
{
	int64_t due;

	if (!names->count)
		return NEVER;
	due = names->heap[0]->due;
	if (names->return_due < due)
		due = names->return_due;
	return due < names->settle_due ? due : names->settle_due;
}
