/* SPDX-License-Identifier: MIT */
/* getaddrinfo() cannot be interrupted, so nobody ever waits for a worker: the
 * state is shared by the owner and its workers, and the last to leave frees
 * it. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* setns() */
#endif

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <search.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"
#include "jobs.h"
#include "lookup.h"

/* A dead name server costs a worker up to 30 s by glibc's defaults (3 servers,
 * 5 s, 2 attempts); past this many such names the others wait. */
#define WORKERS_MAX  32
#define IDLE_SECONDS 10

/* In bytes. The default, 8 MiB, is a quarter of a gigabyte for all of them to a
 * process that has locked its memory. */
#define STACK_SIZE (512 * 1024)

struct reach_resolver {
	/* Set once. */
	int netns_fd;
	int event_fd;
	reach_resolve_function resolve;
	void *context;
	pthread_mutex_t lock;
	pthread_cond_t wake;

	/* Below: under the lock. */
	bool released;
	size_t workers;
	/* Workers without a job, those still starting included. */
	size_t idle;
	struct jobs queue;
	struct jobs results;
	/* By id, the latest submission of each. */
	void *tree;
};

static int compare(const void *a, const void *b)
{
	uint64_t left = ((const struct job *)a)->resolved.id;
	uint64_t right = ((const struct job *)b)->resolved.id;

	return (left > right) - (left < right);
}

/* Ends @job, which the tree does not hold any more. */
static void drop(struct reach_resolver *resolver, struct job *job)
{
	switch (job->place) {
	case PLACE_WORKER:
		job->dropped = true;
		return;
	case PLACE_QUEUE:
		reach_jobs_unlink(&resolver->queue, job);
		break;
	case PLACE_RESULTS:
		reach_jobs_unlink(&resolver->results, job);
		break;
	}
	free(job);
}

static void forget(struct reach_resolver *resolver, struct job *job)
{
	tdelete(job, &resolver->tree, compare);
	drop(resolver, job);
}

/* ---- workers ----------------------------------------------------------- */

static void destroy(struct reach_resolver *resolver)
{
	pthread_cond_destroy(&resolver->wake);
	pthread_mutex_destroy(&resolver->lock);
	if (resolver->netns_fd >= 0)
		close(resolver->netns_fd);
	close(resolver->event_fd);
	free(resolver);
}

/* The next job, or NULL when the worker is to end. Under the lock. */
static struct job *await(struct reach_resolver *resolver)
{
	struct timespec until;
	int error = 0;
	struct job *job;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += IDLE_SECONDS;
	while (!resolver->queue.first && !resolver->released && !error)
		error = pthread_cond_timedwait(&resolver->wake, &resolver->lock,
					       &until);
	job = resolver->queue.first;
	if (!job)
		return NULL;
	reach_jobs_unlink(&resolver->queue, job);
	job->place = PLACE_WORKER;
	resolver->idle--;
	return job;
}

/* Takes @job back from its worker. Under the lock. */
static void finish(struct reach_resolver *resolver, struct job *job)
{
	resolver->idle++;
	if (job->dropped) {
		free(job);
		return;
	}
	job->place = PLACE_RESULTS;
	reach_jobs_append(&resolver->results, job);
	eventfd_write(resolver->event_fd, 1);
}

/* The namespace is that of the DNS sockets. Files in /etc, and services that
 * NSS reaches by a Unix socket (nscd, systemd-resolved), stay the process's. */
static int enter_namespace(const struct reach_resolver *resolver)
{
	if (resolver->netns_fd < 0 || !setns(resolver->netns_fd, CLONE_NEWNET))
		return 0;
	return -errno;
}

static void *work(void *argument)
{
	struct reach_resolver *resolver = argument;
	int error = enter_namespace(resolver);
	struct job *job;
	bool last;

	pthread_setname_np(pthread_self(), "reach-resolver");
	pthread_mutex_lock(&resolver->lock);
	while ((job = await(resolver))) {
		pthread_mutex_unlock(&resolver->lock);
		job->resolved.error = error;
		if (!error)
			reach_lookup(resolver->resolve, resolver->context,
				     job->name, &job->resolved);
		pthread_mutex_lock(&resolver->lock);
		finish(resolver, job);
	}
	resolver->idle--;
	last = !--resolver->workers && resolver->released;
	pthread_mutex_unlock(&resolver->lock);
	if (last)
		destroy(resolver);
	return NULL;
}

/* A detached thread; @stack in bytes, 0 for the default. A positive errno. */
static int detach(struct reach_resolver *resolver, size_t stack)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int error = pthread_attr_init(&attributes);

	if (error)
		return error;
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	if (stack)
		pthread_attr_setstacksize(&attributes, stack);
	error = pthread_create(&thread, &attributes, work, resolver);
	pthread_attr_destroy(&attributes);
	return error;
}

/* The worker inherits a mask with all signals blocked: the program's handlers
 * belong on the program's threads. */
static int start(struct reach_resolver *resolver)
{
	sigset_t all, before;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = detach(resolver, STACK_SIZE);
	/* glibc takes a program's static thread-local data out of the stack;
	 * there may be more of it than that. */
	if (error == EINVAL)
		error = detach(resolver, 0);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error)
		return -error;
	resolver->workers++;
	resolver->idle++;
	return 0;
}

/* ---- interface --------------------------------------------------------- */

static int initialize(struct reach_resolver *resolver, int netns_fd)
{
	pthread_condattr_t attributes;

	resolver->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (resolver->event_fd < 0)
		return -errno;
	resolver->netns_fd = -1;
	if (netns_fd != -1) {
		resolver->netns_fd = fcntl(netns_fd, F_DUPFD_CLOEXEC, 0);
		if (resolver->netns_fd < 0) {
			int error = -errno;

			close(resolver->event_fd);
			return error;
		}
	}
	pthread_mutex_init(&resolver->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&resolver->wake, &attributes);
	pthread_condattr_destroy(&attributes);
	return 0;
}

int reach_resolver_create(struct reach_resolver **ret, int netns_fd,
			  reach_resolve_function resolve, void *context)
{
	struct reach_resolver *resolver = calloc(1, sizeof(*resolver));
	int error;

	if (!resolver)
		return -ENOMEM;
	resolver->resolve = resolve;
	resolver->context = context;
	error = initialize(resolver, netns_fd);
	if (error < 0) {
		free(resolver);
		return error;
	}
	*ret = resolver;
	return 0;
}

void reach_resolver_release(struct reach_resolver *resolver)
{
	bool last;

	if (!resolver)
		return;
	pthread_mutex_lock(&resolver->lock);
	resolver->released = true;
	while (resolver->tree)
		forget(resolver, *(struct job **)resolver->tree);
	last = !resolver->workers;
	pthread_cond_broadcast(&resolver->wake);
	pthread_mutex_unlock(&resolver->lock);
	if (last)
		destroy(resolver);
}

int reach_resolver_fd(const struct reach_resolver *resolver)
{
	return resolver->event_fd;
}

/* Under the lock; takes nothing over unless it returns 0. */
static int enqueue(struct reach_resolver *resolver, struct job *job)
{
	struct job **node;

	/* As many without a job as jobs that wait: who was woken but did not
	 * run yet counts for one, so a hanging name holds up no other. */
	if (resolver->queue.count >= resolver->idle &&
	    resolver->workers < WORKERS_MAX) {
		int error = start(resolver);

		if (error < 0 && !resolver->workers)
			return error;
	}
	node = tsearch(job, &resolver->tree, compare);
	if (!node)
		return -ENOMEM;
	if (*node != job) {
		struct job *older = *node;

		*node = job;
		drop(resolver, older);
	}
	job->place = PLACE_QUEUE;
	reach_jobs_append(&resolver->queue, job);
	pthread_cond_signal(&resolver->wake);
	return 0;
}

int reach_resolver_submit(struct reach_resolver *resolver, uint64_t id,
			  const char *name)
{
	struct job *job = reach_job_create(id, name);
	int error;

	if (!job)
		return -ENOMEM;
	pthread_mutex_lock(&resolver->lock);
	error = enqueue(resolver, job);
	pthread_mutex_unlock(&resolver->lock);
	if (error < 0)
		free(job);
	return error;
}

bool reach_resolver_is_full(struct reach_resolver *resolver)
{
	bool full;

	pthread_mutex_lock(&resolver->lock);
	full = resolver->queue.count + resolver->results.count >=
	       REACH_RESOLVER_MAX;
	pthread_mutex_unlock(&resolver->lock);
	return full;
}

void reach_resolver_cancel(struct reach_resolver *resolver, uint64_t id)
{
	struct job key = { .resolved.id = id };
	struct job **node;

	pthread_mutex_lock(&resolver->lock);
	node = tfind(&key, &resolver->tree, compare);
	if (node)
		forget(resolver, *node);
	pthread_mutex_unlock(&resolver->lock);
}

int reach_resolver_next(struct reach_resolver *resolver,
			struct reach_resolved *ret)
{
	struct job *job;

	pthread_mutex_lock(&resolver->lock);
	job = resolver->results.first;
	if (job) {
		reach_jobs_unlink(&resolver->results, job);
		tdelete(job, &resolver->tree, compare);
		*ret = job->resolved;
	} else {
		eventfd_t count;

		eventfd_read(resolver->event_fd, &count);
	}
	pthread_mutex_unlock(&resolver->lock);
	free(job);
	return job != NULL;
}
