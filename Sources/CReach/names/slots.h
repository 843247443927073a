/* SPDX-License-Identifier: MIT */
#ifndef REACH_SLOTS_H
#define REACH_SLOTS_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* Threads that all resolvers of the process have together at most. A dead name
 * server costs one up to 30 s by glibc's defaults (3 servers, 5 s, 2 attempts),
 * and a socket for each server (__res_context_send, resolv/res_send.c). */
#define REACH_RESOLVER_THREADS 24

/* Of REACH_RESOLVER_THREADS slots each thread of a resolver has one. A resolver
 * that has jobs and no thread counts as starved; it tries again after a while,
 * and nobody else takes a slot that it could have. Any thread. */

/* Takes a slot; whether there was one. A resolver that counts as starved does
 * so no more if it gets one. */
bool reach_slots_take(bool is_starved);
void reach_slots_give(void);

/* Runs @work(@argument) on a detached thread that has the slot just taken, and
 * gives that back if it could not start. The thread inherits a mask with all
 * signals blocked: the program's handlers belong on the program's threads.
 * @return 0 or a negative errno. */
int reach_slots_run(void *(*work)(void *argument), void *argument);

/* Counts the caller's resolver as starved, or no more. */
void reach_slots_starve(bool is_starved);

/* Whether there are fewer slots than starved resolvers, so that a thread is to
 * end although its own resolver has more for it to do. */
bool reach_slots_are_wanted(void);

#pragma GCC visibility pop

#endif
