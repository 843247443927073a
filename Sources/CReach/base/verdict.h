/* SPDX-License-Identifier: MIT */
/* The verdict on a path or a target. */
#ifndef REACH_BASE_VERDICT_H
#define REACH_BASE_VERDICT_H

#include <stdint.h>

#include <reach/address.h>
#include <reach/explanation.h>
#include <reach/interface.h>
#include <reach/target.h>

#pragma GCC visibility push(hidden)

/* The members of struct reach_state that one route determines. Without padding,
 * since it is hashed and compared as bytes. */
struct reach_verdict {
	/* enum reach_flag bits. */
	uint32_t flags;
	uint32_t interface_index;
	struct reach_address source;
	struct reach_address gateway;
	/* Positive errno of the kernel, or 0. */
	uint32_t error;
	/* enum reach_reason. */
	uint8_t reason;
	/* enum reach_rule: which rule decided. The state doesn't have it, so a
	 * different rule alone is not a change. */
	uint8_t rule;
	/* enum reach_interface_class. */
	uint8_t interface_class;
	/* enum reach_metered of the interface. */
	uint8_t metered;
	char interface_name[REACH_INTERFACE_NAME_SIZE];
};

/* Verdict without flags. @error: positive errno of the kernel, or 0. */
static inline struct reach_verdict
reach_verdict_none(enum reach_rule rule, enum reach_reason reason, int error)
{
	return (struct reach_verdict){ .rule = (uint8_t)rule,
				       .reason = (uint8_t)reason,
				       .error = (uint16_t)error };
}

#pragma GCC visibility pop

#endif
