/* SPDX-License-Identifier: MIT */
#ifndef REACH_BASE_TARGET_H
#define REACH_BASE_TARGET_H

#include <reach/target.h>

#pragma GCC visibility push(hidden)

/* Makes of a valid target what it means: numeric names become addresses,
 * mapped addresses IPv4, special addresses their own kinds. */
void reach_target_normalize(struct reach_target *target);

#pragma GCC visibility pop

#endif
