/* SPDX-License-Identifier: MIT */
/* A heap of all names by the time they are due, and a tree of them by id.
 * Names that wait for nothing, or for their answer, are due never. */
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

/* A change is often several events, e.g. a file that is truncated and then
 * written, or a link, its address and its route. A network that flaps must not
 * ask the servers for all names ten times a second: the time doubles until
 * nothing has changed for a while. */
#define SETTLE_FIRST (100 * REACH_MILLISECOND)
#define SETTLE_MOST  (5 * REACH_SECOND)
#define QUIET	     (10 * REACH_SECOND)

/* What brings a network back is several events too, and each may be the one
 * that was missing: of those that fail each may ask again, so often in a row
 * and once a second in the long run. */
#define RETURN	    (50 * REACH_MILLISECOND)
#define RETURNS_MAX 10

#define BACK_OFF_FIRST REACH_SECOND
#define BACK_OFF_MOST  (300 * REACH_SECOND)

/* A lookup may hang for as long as all servers take to be given up (30 s by
 * glibc's defaults), so a change does not wait for it; but each costs a
 * thread. */
#define FLIGHTS_MAX 2

struct name {
	uint64_t id;
	int64_t due;
	/* What the next failure waits. */
	int64_t delay;
	/* The generation it was last asked in; 0: never. */
	uint64_t asked;
	size_t position;
	/* Questions since the last answer. */
	unsigned int flights;
	/* The last answer was a failure. */
	bool failed;
	char text[];
};

struct reach_name_schedule {
	/* Counts the changes, from 1. */
	uint64_t generation;
	/* When the names not asked since the last change become due. */
	int64_t settle;
	/* How long the last burst was waited for. */
	int64_t wait;
	/* When the last change came. */
	int64_t changed;
	/* When the names that fail become due; and the generation of the last
	 * return, which no failure asked for before it outlives. */
	int64_t back;
	uint64_t returned;
	/* Until when the returns that were heeded count. */
	int64_t spent;
	struct name **heap;
	size_t count;
	size_t capacity;
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
	names->settle = NEVER;
	names->wait = SETTLE_FIRST;
	names->changed = -QUIET;
	names->back = NEVER;
	names->spent = -RETURNS_MAX * REACH_SECOND;
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

/* A later change of the same burst does not move the time, or a link that
 * flaps would keep all names from being resolved. */
void reach_name_schedule_changed(struct reach_name_schedule *names, int64_t now)
{
	const bool quiet = now - names->changed >= QUIET;

	names->generation++;
	names->changed = now;
	if (names->settle != NEVER && names->count)
		return;
	names->wait = quiet ? SETTLE_FIRST : 2 * names->wait;
	if (names->wait > SETTLE_MOST)
		names->wait = SETTLE_MOST;
	names->settle = now + names->wait;
}

void reach_name_schedule_returned(struct reach_name_schedule *names,
				  int64_t now)
{
	if (names->back != NEVER) {
		names->returned = names->generation;
		return;
	}
	if (names->spent < now - RETURNS_MAX * REACH_SECOND)
		names->spent = now - RETURNS_MAX * REACH_SECOND;
	if (names->spent + REACH_SECOND > now)
		return;
	names->spent += REACH_SECOND;
	names->returned = names->generation;
	names->back = now + RETURN;
}

void reach_name_schedule_done(struct reach_name_schedule *names, uint64_t id,
			      bool good, int64_t now)
{
	struct name *name = find(names, id);
	int64_t due = NEVER;

	if (!name || !name->flights)
		return;
	name->flights = 0;
	name->failed = !good;
	if (!good && name->asked < names->returned) {
		due = names->back != NEVER ? names->back : now;
	} else if (name->asked != names->generation) {
		due = names->settle != NEVER ? names->settle : now;
	} else if (!good) {
		due = now + name->delay;
		name->delay *= 2;
		if (name->delay > BACK_OFF_MOST)
			name->delay = BACK_OFF_MOST;
	}
	reschedule(names, name, due);
}

/* Makes the names that fail or are in flight, or @all, due at @due. A name that
 * was asked after the last change keeps its time, and so does one that has been
 * due for longer: it is not to wait behind the others again. */
static void hasten(struct reach_name_schedule *names, int64_t due, bool all)
{
	for (size_t i = 0; i < names->count; i++) {
		struct name *name = names->heap[i];

		if ((all || name->failed || name->flights) &&
		    name->asked != names->generation &&
		    name->flights < FLIGHTS_MAX && name->due > due)
			name->due = due;
	}
	for (size_t i = names->count / 2; i-- > 0;)
		sift_down(names, i);
}

const char *reach_name_schedule_due(struct reach_name_schedule *names,
				    int64_t now, uint64_t *id)
{
	struct name *name;

	if (names->back <= now) {
		hasten(names, names->back, false);
		names->back = NEVER;
	}
	if (names->settle <= now) {
		hasten(names, names->settle, true);
		names->settle = NEVER;
	}
	if (!names->count || names->heap[0]->due > now)
		return NULL;
	name = names->heap[0];
	reschedule(names, name, NEVER);
	name->flights++;
	if (name->asked != names->generation) {
		name->asked = names->generation;
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
	if (names->back < due)
		due = names->back;
	return due < names->settle ? due : names->settle;
}
