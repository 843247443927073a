/* SPDX-License-Identifier: MIT */
/* Evidence from sysfs about the device of an interface. */
#ifndef REACH_SYSTEM_SYSFS_H
#define REACH_SYSTEM_SYSFS_H

#include <stddef.h>
#include <stdint.h>

#include <reach/interface.h>

#pragma GCC visibility push(hidden)

/* Reads class/net/@name below @root, the path of a sysfs mount. @index and the
 * @length bytes of @hardware_address come from rtnetlink. If sysfs has others,
 * it shows another namespace, or an interface that was renamed meanwhile.
 * @return 0, -ENOENT if the interface is missing or differs, or another
 * negative errno. */
int reach_sysfs_read(const char *root, const char *name, uint32_t index,
		     const uint8_t *hardware_address, size_t length,
		     struct reach_evidence *ret);

#pragma GCC visibility pop

#endif
