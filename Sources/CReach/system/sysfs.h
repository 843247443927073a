/* SPDX-License-Identifier: MIT */
/* What sysfs has about the device of an interface. */
#ifndef REACH_SYSTEM_SYSFS_H
#define REACH_SYSTEM_SYSFS_H

#include <stddef.h>
#include <stdint.h>

#include <reach/interface.h>

#pragma GCC visibility push(hidden)

/* Reads class/net/@name below @root, the path of a sysfs mount. @index and the
 * @length bytes of @hardware_address are those of rtnetlink; sysfs must have
 * the same, or it is that of another namespace, or of an interface that was
 * renamed meanwhile.
 * @return 0, -ENOENT if the interface is not there or differs, or another
 * negative errno. */
int reach_sysfs_read(const char *root, const char *name, uint32_t index,
		     const uint8_t *hardware_address, size_t length,
		     struct reach_evidence *ret);

#pragma GCC visibility pop

#endif
