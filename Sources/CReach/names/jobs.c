/* SPDX-License-Identifier: MIT */
#include "names/names.h"

#include <stdlib.h>
#include <string.h>

void reach_jobs_append(struct jobs *jobs, struct job *job)
{
	job->next = NULL;
	job->previous = jobs->last;
	if (jobs->last)
		jobs->last->next = job;
	else
		jobs->first = job;
	jobs->last = job;
	jobs->count++;
}

void reach_jobs_unlink(struct jobs *jobs, struct job *job)
{
	if (job->previous)
		job->previous->next = job->next;
	else
		jobs->first = job->next;
	if (job->next)
		job->next->previous = job->previous;
	else
		jobs->last = job->previous;
	jobs->count--;
}

struct job *reach_job_create(uint64_t id, const char *name, int family)
{
	size_t size = strlen(name) + 1;
	struct job *job = calloc(1, sizeof(*job) + size);

	if (!job)
		return NULL;
	job->resolved.id = id;
	job->family = family;
	memcpy(job->name, name, size);
	return job;
}
