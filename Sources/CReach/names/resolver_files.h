/* SPDX-License-Identifier: MIT */
/* Watches the files that decide what names resolve to. */
#ifndef REACH_NAMES_RESOLVER_FILES_H
#define REACH_NAMES_RESOLVER_FILES_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* An inotify(7) instance for resolv.conf, hosts and nsswitch.conf, and for all
 * that their paths lead through. */
struct reach_resolver_files;

/* Watches the files in the directory @etc_root, which may be missing; ""
 * watches none. The caller owns @ret. @return 0, -ENAMETOOLONG, -ENOMEM,
 * -EMFILE or -ENFILE. */
int reach_resolver_files_create(struct reach_resolver_files **ret,
				const char *etc_root);
void reach_resolver_files_destroy(struct reach_resolver_files *watch);
/* In a child of fork(): closes its copy of the descriptor and frees nothing. */
void reach_resolver_files_abandon(const struct reach_resolver_files *watch);
/* The inotify descriptor, owned by @watch; -1 if nothing is watched. */
int reach_resolver_files_fd(const struct reach_resolver_files *watch);

/* Reads the queued events and renews the watches after a change. @return
 * whether one of the files may have changed; a queue overflow counts as a
 * change. */
bool reach_resolver_files_drain(struct reach_resolver_files *watch);

#pragma GCC visibility pop

#endif
