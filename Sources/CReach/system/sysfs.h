/* SPDX-License-Identifier: MIT */
#ifndef REACH_SYSTEM_SYSFS_H
#define REACH_SYSTEM_SYSFS_H

#include <stddef.h>
#include <stdint.h>

#include <reach/engine.h>

#pragma GCC visibility push(hidden)

/* Reads what the sysfs at @root has of interface @name. -ENOENT if it has
 * nothing or is another namespace's: @index and the @length bytes of
 * @hardware_address must agree. */
int reach_sysfs_read(const char *root, const char *name, uint32_t index,
		     const uint8_t *hardware_address, size_t length,
		     struct reach_evidence *ret);

#pragma GCC visibility pop

#endif
