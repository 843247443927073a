/* SPDX-License-Identifier: MIT */
/* The canonical form of targets. */
#ifndef REACH_BASE_TARGET_H
#define REACH_BASE_TARGET_H

#include <reach/target.h>

#pragma GCC visibility push(hidden)

/* Copies the caller's target, which may have another size, and checks it.
 * @return 0, or an error of reach_target_validate(). */
int reach_target_read(struct reach_target *ret,
		      const struct reach_target *target);

/* Converts a valid target to its canonical form, in place. A numeric name
 * becomes an address, an IPv4-mapped address IPv4, and a special address
 * (0.0.0.0, ::, 169.254.0.0) its own kind. A pair without a remote or local
 * part is reduced to the rest. */
void reach_target_normalize(struct reach_target *target);

#pragma GCC visibility pop

#endif
