/* SPDX-License-Identifier: MIT */
#ifndef REACH_SYSTEM_NETNS_H
#define REACH_SYSTEM_NETNS_H

#pragma GCC visibility push(hidden)

/* Runs @work(@context) on a thread of its own that has entered the namespace
 * @netns_fd (-1: stays), waits for it, and returns its result. The caller's
 * thread never leaves its namespace. */
int reach_netns_run(int netns_fd, int (*work)(void *context), void *context);

#pragma GCC visibility pop

#endif
