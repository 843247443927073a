/* SPDX-License-Identifier: MIT */
#ifndef REACH_NAMES_RESOLVER_FILES_H
#define REACH_NAMES_RESOLVER_FILES_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* Tells when resolv.conf, hosts or nsswitch.conf of @etc_root changed, also
 * by rename and, for a symlink, at the place it leads to (inotify on the
 * directories). */
struct reach_resolver_files;

int reach_resolver_files_create(struct reach_resolver_files **ret,
				const char *etc_root);
void reach_resolver_files_destroy(struct reach_resolver_files *watch);
/* As reach_resolver_abandon(). */
void reach_resolver_files_abandon(const struct reach_resolver_files *watch);
int reach_resolver_files_fd(const struct reach_resolver_files *watch);

/* Drains the descriptor; whether one of the files may have changed (an
 * overflow of the queue counts as a change). */
bool reach_resolver_files_drain(struct reach_resolver_files *watch);

#pragma GCC visibility pop

#endif
