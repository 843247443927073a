/* SPDX-License-Identifier: MIT */
/*
 * Door of names/: resolver threads, the schedule of names, watched files of
 * /etc.
 */
#ifndef REACH_NAMES_NAMES_H
#define REACH_NAMES_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <reach/target.h>

#pragma GCC visibility push(hidden)

struct reach_name_schedule;
struct reach_resolver;
struct reach_resolver_files;

/* The blocking resolution of one name. */

struct reach_resolved {
	/* Id of the submission. */
	uint64_t id;
	/* 0, or a negative errno for reach_engine_resolution_failed(). */
	int error;
	/* Number of `addresses`; 0 with an error. */
	size_t count;
	/* Best first, no duplicates. */
	struct reach_address addresses[REACH_ADDRESSES_MAX];
};

/* Resolves @name on the calling thread, by @resolve with @context, or by
 * getaddrinfo() if @resolve is NULL. getaddrinfo() is asked for addresses of
 * @family only; @resolve returns those of any. Blocks for up to 30 s with
 * glibc's defaults. Sets all members of @resolved but its id. */
void reach_lookup(reach_resolve_function resolve, void *context,
		  const char *name, int family,
		  struct reach_resolved *resolved);

/* When each name must be resolved. Pure: names and times go in, due names come
 * out. Times are nanoseconds of CLOCK_MONOTONIC. */

/* The schedule's state of a name. Zeroed by the owner, and private to the
 * schedule from then on. */
struct reach_scheduled {
	/* Links of the list, as insque(3) wants them: first. */
	struct reach_scheduled *next;
	struct reach_scheduled *previous;
	/* Time of the next lookup, or INT64_MAX. */
	int64_t due;
	/* Time of the last result. */
	int64_t done;
	/* Back-off after the next failure. */
	int64_t delay;
	/* Number of the change that the latest lookup has seen; 0 before the
	 * first. */
	uint64_t change;
	/* Lookups since the last result. */
	uint16_t in_flight;
	/* The last result had no addresses. */
	bool failed;
};

/* @return 0 or -ENOMEM. The caller owns @ret. */
int reach_name_schedule_create(struct reach_name_schedule **ret);
/* Frees the schedule, and none of its names. */
void reach_name_schedule_destroy(struct reach_name_schedule *names);

/* Adds @name, borrowed until it is removed or the schedule destroyed, due at
 * once. */
void reach_name_schedule_add(struct reach_name_schedule *names,
			     struct reach_scheduled *name);
void reach_name_schedule_remove(struct reach_name_schedule *names,
				struct reach_scheduled *name);

/* Records that another target has @name. Unless a lookup of this network is in
 * flight, or its result is recent (addresses 60 s, a failure 1 s), the name
 * becomes due at once. @return whether the result is recent. */
bool reach_name_schedule_join(struct reach_name_schedule *names,
			      struct reach_scheduled *name, int64_t now);

/* Records a change of the network or of the resolver's files. Every name
 * becomes due, and its back-off starts over. A burst of changes causes one
 * resolution, 100 ms after its first change. A token bucket limits bursts: ten
 * in a row, one per second in the long run. A name whose lookup is in flight
 * becomes due, too, since that lookup may hang, but only once until a result
 * comes. The result of the later lookup counts. */
void reach_name_schedule_changed(struct reach_name_schedule *names,
				 int64_t now);

/* Records the result of the latest lookup of @name. Without addresses (@good
 * false) the name is due again after 1 s, doubled each time up to 5 minutes;
 * with addresses only after a change. */
void reach_name_schedule_done(struct reach_name_schedule *names,
			      struct reach_scheduled *name, bool good,
			      int64_t now);

/* Takes the next name that is due at @now; it counts as in flight from then on.
 * @return NULL if there is none. */
struct reach_scheduled *
reach_name_schedule_due(struct reach_name_schedule *names, int64_t now);

/* Time at which the next name is due, or INT64_MAX. */
int64_t reach_name_schedule_deadline(struct reach_name_schedule *names);

/* Resolution of names by worker threads. */

/* A queue of names, detached workers that end when it is empty, and a list of
 * results. A worker inside a blocking call outlives its owner, and then holds
 * no descriptor of it. An internal lock protects all calls against the
 * workers. */

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

/* An eventfd, readable when there are results; owned by the resolver. */
int reach_resolver_fd(const struct reach_resolver *resolver);

/* Queues @name (copied) as job @id, to be resolved for @family like in
 * reach_lookup(), and cancels an earlier job of @id. Starts a thread if none is
 * about to take the job. When the process has no slots left
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

/* Watches the files that decide what names resolve to. */

/* An inotify(7) instance for resolv.conf, hosts and nsswitch.conf, and for all
 * that their paths lead through. */

/* Watches the files in the directory @etc_root, which may be missing. The caller
 * owns @ret. @return 0, -ENAMETOOLONG, -ENOMEM, -EMFILE or -ENFILE. */
int reach_resolver_files_create(struct reach_resolver_files **ret,
				const char *etc_root);
void reach_resolver_files_destroy(struct reach_resolver_files *watch);
/* The inotify descriptor, owned by @watch. */
int reach_resolver_files_fd(const struct reach_resolver_files *watch);

/* Reads the queued events, and renews the watches if there were any. @return
 * whether one of the files has changed. */
bool reach_resolver_files_drain(struct reach_resolver_files *watch);

/*
 * The process's limit of resolver threads: a counting semaphore of
 * REACH_RESOLVER_THREADS slots, one per thread of any resolver, that never
 * blocks. A resolver without a slot retries after a while. Any thread may call.
 */

/* Largest number of resolver threads in the process. Name servers that don't
 * answer hold a thread for up to 30 s with glibc's defaults (3 servers, 5 s, 2
 * attempts), and one socket per server (__res_context_send, resolv/res_send.c).
 * Fewer threads would delay other names longer, and more would use up
 * descriptors. */
#define REACH_RESOLVER_THREADS 24

/* Most threads of one resolver: many names whose servers don't answer leave
 * slots for other resolvers, such as that of a reach_check(). */
#define REACH_RESOLVER_SHARE 20

/* Takes a slot. @return whether there was one. */
bool reach_slots_take(void);

/* Returns a slot. */
void reach_slots_give(void);

/* Runs @work(@argument) on a detached thread that owns the slot just taken.
 * Returns the slot if the thread cannot start. All signals are blocked in the
 * thread, since the program's handlers must run on the program's threads.
 * @return 0 or a negative errno. */
int reach_slots_run(void *(*work)(void *argument), void *argument);

#pragma GCC visibility pop

#endif
