/* SPDX-License-Identifier: MIT */
/* Resolution of names by worker threads. */
#ifndef REACH_NAMES_RESOLVER_H
#define REACH_NAMES_RESOLVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <reach/target.h>

#include "names/lookup.h"

#pragma GCC visibility push(hidden)

/* A queue of names, detached workers that end when it is empty, and a list of
 * results. A worker inside a blocking call outlives its owner, and then holds
 * no descriptor of it. An internal lock protects all calls against the
 * workers. */
struct reach_resolver;

/* Creates a resolver, owned by the caller. @netns_fd is duplicated; with -1
 * workers resolve in the namespace of the thread that submits. @resolve NULL
 * means getaddrinfo(). No thread starts before the first submit. @return 0,
 * -ENOMEM, -EMFILE or -ENFILE. */
int reach_resolver_create(struct reach_resolver **ret, int netns_fd,
			  reach_resolve_function resolve, void *context);

/* Gives up the owner's reference, and all jobs, without waiting for a worker.
 * The last one to leave, owner or worker, frees the memory. NULL is allowed. */
void reach_resolver_release(struct reach_resolver *resolver);

/* In a child of fork(): closes its copies of the descriptors. A worker that the
 * child does not have may hold the lock, so nothing is locked or freed. */
void reach_resolver_abandon(const struct reach_resolver *resolver);

/* An eventfd, readable when there are results or the deadline has changed;
 * owned by the resolver. */
int reach_resolver_fd(const struct reach_resolver *resolver);

/* Queues @name (copied) as job @id, to be resolved for @family like in
 * reach_lookup(), and cancels an earlier job of @id. Starts a thread if none is
 * about to take the job. When the process has no slots left (thread_slots.h)
 * the job waits until a lookup of any resolver ends.
 * @return 0, -ENOMEM, or an errno of pthread_create() if there is no thread at
 * all. */
int reach_resolver_submit(struct reach_resolver *resolver, uint64_t id,
			  const char *name, int family);

/* Don't submit while this many jobs are queued, or finished and not taken. The
 * limit bounds memory and the duration of a dispatch, and is ten times the
 * number of threads. */
#define REACH_RESOLVER_MAX 256
/* Whether that number is reached. Results will then follow. */
bool reach_resolver_is_full(struct reach_resolver *resolver);

/* Tries again to start threads for which there was no slot. Call it when @now,
 * nanoseconds of CLOCK_MONOTONIC, reaches the deadline. */
void reach_resolver_retry(struct reach_resolver *resolver, int64_t now);
/* Time of the next retry; INT64_MAX if no thread is needed. */
int64_t reach_resolver_deadline(struct reach_resolver *resolver);

/* Cancels the job of @id; the result of one that is running is dropped. */
void reach_resolver_cancel(struct reach_resolver *resolver, uint64_t id);

/* Sets @ret to the next result. @return 1, or 0 if there is none, after
 * clearing the eventfd. */
int reach_resolver_next(struct reach_resolver *resolver,
			struct reach_resolved *ret);

#pragma GCC visibility pop

#endif
