/* SPDX-License-Identifier: MIT */
/*
 * The process's limit of resolver threads: a counting semaphore of
 * REACH_RESOLVER_THREADS slots, one per thread of any resolver, that never
 * blocks.
 *
 * A resolver with jobs and no thread is starved. One free slot is reserved per
 * starved resolver, so that one with many names cannot keep another without any
 * thread. Each retries after a while. Any thread may call.
 */
#ifndef REACH_SLOTS_H
#define REACH_SLOTS_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* Largest number of resolver threads in the process. Name servers that don't
 * answer hold a thread for up to 30 s with glibc's defaults (3 servers, 5 s, 2
 * attempts), and one socket per server (__res_context_send, resolv/res_send.c).
 * Fewer threads would delay other names longer, and more would use up
 * descriptors. */
#define REACH_RESOLVER_THREADS 24

/* Takes a slot. @is_starved: the caller's resolver is counted as starved;
 * success ends that. @return whether there was a slot for it. */
bool reach_slots_take(bool is_starved);

/* Returns a slot. */
void reach_slots_give(void);

/* Runs @work(@argument) on a detached thread that owns the slot just taken.
 * Returns the slot if the thread cannot start. All signals are blocked in the
 * thread, since the program's handlers must run on the program's threads.
 * @return 0 or a negative errno. */
int reach_slots_run(void *(*work)(void *argument), void *argument);

/* Adds the caller's resolver to the starved ones, or removes it. */
void reach_slots_starve(bool is_starved);

/* Whether fewer slots are free than resolvers are starved: a thread should end
 * after its job, even if its own resolver has more. */
bool reach_slots_are_wanted(void);

#pragma GCC visibility pop

#endif
