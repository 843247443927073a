/* SPDX-License-Identifier: MIT */
/* Evidence of sysfs about the class of links. */
#ifndef REACH_MONITOR_SYSFS_EVIDENCE_H
#define REACH_MONITOR_SYSFS_EVIDENCE_H

#include <reach/engine.h>

#pragma GCC visibility push(hidden)

/* Answers every wish of @engine for evidence of a link; @root is the mount of
 * sysfs, "" for none. */
void reach_sysfs_evidence_read(struct reach_engine *engine, const char *root);

#pragma GCC visibility pop

#endif
