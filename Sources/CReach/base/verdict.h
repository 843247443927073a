/* SPDX-License-Identifier: MIT */
#ifndef REACH_BASE_VERDICT_H
#define REACH_BASE_VERDICT_H

#include <stdint.h>

#include <reach/address.h>
#include <reach/interface.h>

#pragma GCC visibility push(hidden)

/* What a path or target comes to: all that a state shows of it. Without
 * padding. */
struct reach_verdict {
	uint32_t flags;
	uint32_t interface_index;
	struct reach_address source;
	struct reach_address gateway;
	uint32_t error;
	uint16_t reason;
	/* enum reach_interface_class of the interface, and its name. */
	uint16_t interface_class;
	char interface_name[REACH_INTERFACE_NAME_SIZE];
};

#pragma GCC visibility pop

#endif
