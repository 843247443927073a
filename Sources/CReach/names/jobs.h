/* SPDX-License-Identifier: MIT */
/* Doubly linked lists of the resolver's jobs. */
#ifndef REACH_JOBS_H
#define REACH_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "names/lookup.h"

#pragma GCC visibility push(hidden)

/* Where a job is, and who frees it. */
enum place {
	/* In the queue. */
	PLACE_QUEUE,
	/* With a worker, in no list. */
	PLACE_WORKER,
	/* In the results. */
	PLACE_RESULTS
};

/* One submission of a name. Protected by the resolver's lock, except `name` and
 * `resolved` at PLACE_WORKER: they belong to the worker alone. */
struct job {
	/* Links of the list. */
	struct job *previous;
	struct job *next;
	enum place place;
	/* Superseded or cancelled at PLACE_WORKER; the worker frees it. */
	bool dropped;
	/* Family of the requested addresses; AF_UNSPEC for all. */
	int family;
	/* `id` is set from the start, the rest when resolved. */
	struct reach_resolved resolved;
	/* Name to resolve, NUL-terminated. */
	char name[];
};

struct jobs {
	struct job *first;
	struct job *last;
	size_t count;
};

/* The caller holds the resolver's lock. */
void reach_jobs_append(struct jobs *jobs, struct job *job);
void reach_jobs_unlink(struct jobs *jobs, struct job *job);

/* A job in no list, with a copy of @name; free it with free(). @return NULL if
 * memory is out. */
struct job *reach_job_create(uint64_t id, const char *name, int family);

#pragma GCC visibility pop

#endif
