/* SPDX-License-Identifier: MIT */
#ifndef REACH_JOBS_H
#define REACH_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "names/lookup.h"

#pragma GCC visibility push(hidden)

/* A job is in exactly one place: queued, with a worker, or in the results. */
enum place {
	PLACE_QUEUE,
	PLACE_WORKER,
	PLACE_RESULTS
};

/* One submission. What a worker needs no lock for, @name and @resolved, is
 * the worker's alone while the job is with it. */
struct job {
	struct job *previous;
	struct job *next;
	enum place place;
	/* Superseded, cancelled or released while with a worker. */
	bool dropped;
	struct reach_resolved resolved;
	char name[];
};

struct jobs {
	struct job *first;
	struct job *last;
	size_t count;
};

/* None of these locks. */
void reach_jobs_append(struct jobs *jobs, struct job *job);
void reach_jobs_unlink(struct jobs *jobs, struct job *job);

/* NULL if memory is short; to be freed. */
struct job *reach_job_create(uint64_t id, const char *name);

#pragma GCC visibility pop

#endif
