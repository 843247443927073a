/* SPDX-License-Identifier: MIT */
/*
 * Public structs that grow. Each begins with a size_t, the sizeof of the
 * caller's headers, which may be older or newer than the library. Members are
 * added at the end, where there is no padding: an older caller's struct ends
 * before them.
 */
#ifndef REACH_BASE_SIZED_H
#define REACH_BASE_SIZED_H

#include <stdbool.h>
#include <stddef.h>

#include <reach/target.h>

#pragma GCC visibility push(hidden)

/* Size in bytes of a struct whose last member is @member, as in an older
 * version. */
#define REACH_SIZE_TO(type, member)                                            \
	(offsetof(type, member) + sizeof(((type *)0)->member))

#define REACH_TARGET_SIZE_1_0 REACH_SIZE_TO(struct reach_target, reserved)
#define REACH_STATE_SIZE_1_0  REACH_SIZE_TO(struct reach_state, addresses)
#define REACH_CHANGE_SIZE_1_0                                                  \
	(offsetof(struct reach_change, state) + REACH_STATE_SIZE_1_0)

/* No struct will ever be this large. A caller that passes more has not set
 * `size`. */
#define REACH_SIZE_MAX 65536

/* Whether the caller's struct has all members of 1.0, whose size is @first. */
bool reach_sized_is_valid(const void *theirs, size_t first);

/* Copies the caller's struct to ours, of @size bytes: members that it lacks are
 * 0. @return 0; -EINVAL for a bad size; -E2BIG if a member that the library
 * doesn't know is not 0. */
int reach_sized_read(void *ours, size_t size, size_t first, const void *theirs);

/* Copies our struct, of @size bytes, to the caller's, whose size is valid and
 * stays: members that the library doesn't know are 0. */
void reach_sized_write(void *theirs, const void *ours, size_t size);

#pragma GCC visibility pop

#endif
