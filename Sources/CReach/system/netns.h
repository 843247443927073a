/* SPDX-License-Identifier: MIT */
/* Work in another network namespace. */
#ifndef REACH_SYSTEM_NETNS_H
#define REACH_SYSTEM_NETNS_H

#pragma GCC visibility push(hidden)

/* Calls @work with @context on a new thread inside the namespace @netns_fd, a
 * descriptor that stays the caller's, and waits for it. With -1, @work runs on
 * the calling thread, which never changes its namespace. @return the result of
 * @work, or a negative errno of pthread_create() or setns(). */
int reach_netns_run(int netns_fd, int (*work)(void *context), void *context);

#pragma GCC visibility pop

#endif
