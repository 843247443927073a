/* SPDX-License-Identifier: MIT */
#ifndef REACH_NAMES_RESOLVER_FILES_H
#define REACH_NAMES_RESOLVER_FILES_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* Tells when resolv.conf, hosts or nsswitch.conf of @etc_root changed, also
 * by rename and, for a symlink, at the place it leads to (inotify on the
 * directories). */
struct reach_watch;

int reach_watch_create(struct reach_watch **ret, const char *etc_root);
void reach_watch_destroy(struct reach_watch *watch);
/* As reach_resolver_abandon(). */
void reach_watch_abandon(const struct reach_watch *watch);
int reach_watch_fd(const struct reach_watch *watch);

/* Drains the descriptor; whether one of the files may have changed (an
 * overflow of the queue counts as a change). */
bool reach_watch_drain(struct reach_watch *watch);

#pragma GCC visibility pop

#endif
