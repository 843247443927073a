/* SPDX-License-Identifier: MIT */
/* Names to addresses, by threads. */
#ifndef REACH_NAMES_RESOLVER_H
#define REACH_NAMES_RESOLVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <reach/monitor.h>

#include "names/lookup.h"

#pragma GCC visibility push(hidden)

/* Detached worker threads, which end when there is no name to resolve and
 * outlive their owner if they must; then they hold no descriptor of it. */
struct reach_resolver;

/* @netns_fd is duplicated; -1 for the namespace of the threads that
 * submit. @resolve NULL
 * means getaddrinfo(). No thread starts before the first submit. */
int reach_resolver_create(struct reach_resolver **ret, int netns_fd,
			  reach_resolve_function resolve, void *context);

/* Never waits for a worker. */
void reach_resolver_release(struct reach_resolver *resolver);

/* In a child of fork(): closes its copies of the descriptors, and touches
 * nothing else. */
void reach_resolver_abandon(const struct reach_resolver *resolver);

/* An eventfd, readable while there are results or the deadline has changed;
 * owned by the resolver. */
int reach_resolver_fd(const struct reach_resolver *resolver);

/* Queues @name (copied), in place of an earlier one of @id. One that hangs does
 * not delay the others as long as the process has threads left; after that they
 * get one when a lookup ends, whichever resolver's. */
int reach_resolver_submit(struct reach_resolver *resolver, uint64_t id,
			  const char *name);

/* Whether so many names are queued, or results not taken yet, that no more are
 * to be submitted; there will be a result before it needs more. */
#define REACH_RESOLVER_MAX 256
bool reach_resolver_is_full(struct reach_resolver *resolver);

/* Tries to get the threads that were not to be had before; to be called at
 * reach_resolver_deadline(), which is INT64_MAX if none are wanted. */
void reach_resolver_retry(struct reach_resolver *resolver, int64_t now);
int64_t reach_resolver_deadline(struct reach_resolver *resolver);

/* Forgets @id: queued or running, its result is dropped. */
void reach_resolver_cancel(struct reach_resolver *resolver, uint64_t id);

/* 1 and the next result, or 0. Clears the eventfd when it returns 0. */
int reach_resolver_next(struct reach_resolver *resolver,
			struct reach_resolved *ret);

#pragma GCC visibility pop

#endif
