/* SPDX-License-Identifier: MIT */
/* Worker threads around blocking calls. getaddrinfo() cannot be interrupted, so
 * no function joins a thread. The owner and its workers share the state, and
 * the last to leave frees it. One mutex protects it, and is never held while a
 * name is resolved. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* setns() */
#endif

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/base.h"
#include "names/names.h"

/* Interval of attempts to get a slot for a thread, in nanoseconds. There is no
 * notification when another resolver returns one. */
#define RETRY (100 * REACH_MILLISECOND)

enum place {
	/* Also of a zeroed job. */
	QUEUED,
	/* With a worker, which frees the job if it is dropped. */
	RUNNING,
	FINISHED,
	PLACES
};

/* One submission of a name. Protected by the resolver's lock, except `name` and
 * `resolved` while it is running, which belong to the worker. */
struct job {
	/* Links of the list, as insque(3) wants them: first. */
	struct job *next, *previous;
	enum place place;
	/* Was dropped while it was running, and is no longer in the list. */
	bool dropped;
	/* Family of the requested addresses; AF_UNSPEC for all. */
	int family;
	/* `id` is set from the start, the rest when resolved. */
	struct reach_resolved resolved;
	/* Behind the job, in its allocation. */
	const char *name;
};

struct reach_resolver {
	/* Constant after creation. */
	reach_resolve_function resolve;
	void *context;
	pthread_mutex_t lock;

	/* Protected by the lock, like all below. Namespace of the workers, or
	 * -1. Owned by the owner. */
	int netns_fd;
	/* eventfd of results. Owned by the owner. */
	int event_fd;
	/* The owner has left; workers end. */
	bool released;
	/* Threads that run or are starting. */
	size_t workers;
	/* Those of them that have not tried to take a job yet. */
	size_t starting;
	/* Time of the next attempt to start workers, if they are wanted. */
	int64_t retry;
	/* Head of the circular list, the oldest first, and the jobs per place.
	 * At most REACH_RESOLVER_MAX + REACH_RESOLVER_THREADS: a search takes
	 * less than any lookup. */
	struct job list;
	size_t counts[PLACES];
};

/* The oldest job at @place, or NULL. Under the lock, like the next two. */
static struct job *first(struct reach_resolver *resolver, enum place place)
{
	struct job *job = resolver->list.next;

	while (job != &resolver->list && job->place != place)
		job = job->next;
	return job != &resolver->list ? job : NULL;
}

static void move(struct reach_resolver *resolver, struct job *job,
		 enum place place)
{
	resolver->counts[job->place]--;
	resolver->counts[place]++;
	job->place = place;
}

/* Removes @job, and frees it or makes its worker do so. */
static void drop(struct reach_resolver *resolver, struct job *job)
{
	remque(job);
	resolver->counts[job->place]--;
	if (job->place == RUNNING)
		job->dropped = true;
	else
		free(job);
}

/* Drops the job of @id, if there is one. Under the lock. */
static void drop_id(struct reach_resolver *resolver, uint64_t id)
{
	struct job *job = resolver->list.next;

	while (job != &resolver->list && job->resolved.id != id)
		job = job->next;
	if (job != &resolver->list)
		drop(resolver, job);
}

/* ---- workers ----------------------------------------------------------- */

static void destroy(struct reach_resolver *resolver)
{
	pthread_mutex_destroy(&resolver->lock);
	free(resolver);
}

/* Takes the next job from the queue; NULL if it is empty. Under the lock. */
static struct job *take(struct reach_resolver *resolver)
{
	struct job *job = first(resolver, QUEUED);

	if (job)
		move(resolver, job, RUNNING);
	return job;
}

/* Makes @job a result, or frees it if it was cancelled. Under the lock. */
static void finish(struct reach_resolver *resolver, struct job *job)
{
	if (job->dropped) {
		free(job);
		return;
	}
	move(resolver, job, FINISHED);
	eventfd_write(resolver->event_fd, 1);
}

/* Moves the worker, and so its DNS sockets, to the resolver's namespace. Files
 * in /etc, and services behind Unix sockets (nscd, systemd-resolved), stay
 * those of the process. Under the lock, since the owner closes the
 * descriptor. */
static int enter_namespace(const struct reach_resolver *resolver)
{
	if (resolver->netns_fd < 0 || !setns(resolver->netns_fd, CLONE_NEWNET))
		return 0;
	return -errno;
}

static void *work(void *argument)
{
	struct reach_resolver *resolver = argument;
	struct job *job;
	bool last;
	int error;

	pthread_setname_np(pthread_self(), "reach-resolver");
	pthread_mutex_lock(&resolver->lock);
	resolver->starting--;
	error = enter_namespace(resolver);
	while ((job = take(resolver))) {
		pthread_mutex_unlock(&resolver->lock);
		job->resolved.error = error;
		if (!error)
			reach_lookup(resolver->resolve, resolver->context,
				     job->name, job->family, &job->resolved);
		pthread_mutex_lock(&resolver->lock);
		finish(resolver, job);
	}
	resolver->workers--;
	reach_slots_give();
	last = !resolver->workers && resolver->released;
	pthread_mutex_unlock(&resolver->lock);
	if (last)
		destroy(resolver);
	return NULL;
}

/* Starts workers until one is starting per job, @jobs in all, or no slot is
 * left. Without a slot, jobs wait: that is no error. @return 0, or a negative
 * errno if a thread could not start and there is no other. Under the lock. */
static int start_workers(struct reach_resolver *resolver, size_t jobs)
{
	int error = 0;

	while (jobs > resolver->starting &&
	       resolver->workers < REACH_RESOLVER_SHARE && reach_slots_take()) {
		error = reach_slots_run(work, resolver);
		if (error < 0)
			break;
		resolver->workers++;
		resolver->starting++;
	}
	return resolver->workers ? 0 : error;
}

/* ---- interface --------------------------------------------------------- */

void reach_resolver_abandon(const struct reach_resolver *resolver)
{
	close(resolver->event_fd);
	if (resolver->netns_fd >= 0)
		close(resolver->netns_fd);
}

int reach_resolver_create(struct reach_resolver **ret, int netns_fd,
			  reach_resolve_function resolve, void *context)
{
	struct reach_resolver *resolver = calloc(1, sizeof(*resolver));

	if (!resolver)
		return -ENOMEM;
	resolver->resolve = resolve;
	resolver->context = context;
	resolver->list.next = resolver->list.previous = &resolver->list;
	resolver->netns_fd = -1;
	resolver->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (resolver->event_fd >= 0 && netns_fd != -1)
		resolver->netns_fd = fcntl(netns_fd, F_DUPFD_CLOEXEC, 0);
	if (resolver->event_fd < 0 ||
	    (netns_fd != -1 && resolver->netns_fd < 0)) {
		const int error = -errno;

		if (resolver->event_fd >= 0)
			close(resolver->event_fd);
		free(resolver);
		return error;
	}
	pthread_mutex_init(&resolver->lock, NULL);
	*ret = resolver;
	return 0;
}

void reach_resolver_release(struct reach_resolver *resolver)
{
	struct job *job, *next;
	bool last;

	if (!resolver)
		return;
	pthread_mutex_lock(&resolver->lock);
	resolver->released = true;
	for (job = resolver->list.next; job != &resolver->list; job = next) {
		next = job->next;
		drop(resolver, job);
	}
	/* A worker in a blocking call keeps only memory. */
	reach_resolver_abandon(resolver);
	resolver->netns_fd = -1;
	last = !resolver->workers;
	pthread_mutex_unlock(&resolver->lock);
	if (last)
		destroy(resolver);
}

int reach_resolver_fd(const struct reach_resolver *resolver)
{
	return resolver->event_fd;
}

int reach_resolver_submit(struct reach_resolver *resolver, uint64_t id,
			  const char *name, int family)
{
	const size_t size = strlen(name) + 1;
	struct job *job = calloc(1, sizeof(*job) + size);
	int error;

	if (!job)
		return -ENOMEM;
	job->resolved.id = id;
	job->family = family;
	job->name = memcpy(job + 1, name, size);
	pthread_mutex_lock(&resolver->lock);
	error = start_workers(resolver, resolver->counts[QUEUED] + 1);
	if (error < 0) {
		free(job);
	} else {
		drop_id(resolver, id);
		if (!resolver->counts[QUEUED])
			resolver->retry = reach_monotonic() + RETRY;
		insque(job, resolver->list.previous);
		resolver->counts[QUEUED]++;
	}
	pthread_mutex_unlock(&resolver->lock);
	return error;
}

bool reach_resolver_is_full(struct reach_resolver *resolver)
{
	bool full;

	pthread_mutex_lock(&resolver->lock);
	full = resolver->counts[QUEUED] + resolver->counts[FINISHED] >=
	       REACH_RESOLVER_MAX;
	pthread_mutex_unlock(&resolver->lock);
	return full;
}

/* Whether jobs wait that no starting worker will take, and more workers could.
 * Under the lock. */
static bool wants_more(const struct reach_resolver *resolver)
{
	return resolver->counts[QUEUED] > resolver->starting &&
	       resolver->workers < REACH_RESOLVER_SHARE;
}

void reach_resolver_retry(struct reach_resolver *resolver, int64_t now)
{
	pthread_mutex_lock(&resolver->lock);
	if (wants_more(resolver) && resolver->retry <= now) {
		(void)start_workers(resolver, resolver->counts[QUEUED]);
		resolver->retry = now + RETRY;
	}
	pthread_mutex_unlock(&resolver->lock);
}

int64_t reach_resolver_deadline(struct reach_resolver *resolver)
{
	int64_t deadline;

	pthread_mutex_lock(&resolver->lock);
	deadline = wants_more(resolver) ? resolver->retry : INT64_MAX;
	pthread_mutex_unlock(&resolver->lock);
	return deadline;
}

void reach_resolver_cancel(struct reach_resolver *resolver, uint64_t id)
{
	pthread_mutex_lock(&resolver->lock);
	drop_id(resolver, id);
	pthread_mutex_unlock(&resolver->lock);
}

int reach_resolver_next(struct reach_resolver *resolver,
			struct reach_resolved *ret)
{
	struct job *job;

	pthread_mutex_lock(&resolver->lock);
	job = first(resolver, FINISHED);
	if (job) {
		*ret = job->resolved;
		drop(resolver, job);
	} else {
		eventfd_t count;

		eventfd_read(resolver->event_fd, &count);
	}
	pthread_mutex_unlock(&resolver->lock);
	return job != NULL;
}
