/* SPDX-License-Identifier: MIT */
/* Reads evidence that netlink lacks about the class of a link. */
#ifndef REACH_MONITOR_SYSFS_EVIDENCE_H
#define REACH_MONITOR_SYSFS_EVIDENCE_H

#include <reach/engine.h>

#pragma GCC visibility push(hidden)

/* Supplies the evidence of every link that @engine asks for. @root is the path
 * of the sysfs mount; with "" each link is reported to have none. */
void reach_sysfs_evidence_read(struct reach_engine *engine, const char *root);

#pragma GCC visibility pop

#endif
