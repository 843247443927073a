/* SPDX-License-Identifier: MIT */
/* Names that targets share: those with one name and family are resolved by one
 * lookup, and each gets its result. */
#ifndef REACH_NAMES_SHARED_NAMES_H
#define REACH_NAMES_SHARED_NAMES_H

#include <stdint.h>

#include "names/name_schedule.h"

#pragma GCC visibility push(hidden)

struct reach_name {
	/* First, so that a pointer to it is one to the name. */
	struct reach_scheduled scheduled;
	/* Ids of the targets, in no order: an allocation, or NULL while there
	 * has been only one. */
	uint64_t *ids;
	uint64_t only;
	uint32_t count;
	/* Family of the addresses wanted; AF_UNSPEC for all. */
	int family;
	/* NUL-terminated, in the allocation of the struct. */
	const char *text;
};

/* The `count` ids of @name. */
static inline uint64_t *reach_name_ids(struct reach_name *name)
{
	return name->ids ? name->ids : &name->only;
}

/* tsearch(3) tree of names by text and family. Zeroed is empty. */
struct reach_shared_names {
	void *tree;
};

void reach_shared_names_free(struct reach_shared_names *names);

/* @return NULL if there is no such name. */
struct reach_name *
reach_shared_names_find(const struct reach_shared_names *names,
			const char *text, int family);

/* The same, but creates a name without targets if there is none; one has to
 * join it. @text is copied. @return NULL if out of memory. */
struct reach_name *reach_shared_names_obtain(struct reach_shared_names *names,
					     const char *text, int family);

/* Adds target @id to @name. @return 0 or -ENOMEM; the first never fails. */
int reach_shared_names_join(struct reach_name *name, uint64_t id);

/* Removes target @id from @name; the last one takes it along. */
void reach_shared_names_leave(struct reach_shared_names *names,
			      struct reach_name *name, uint64_t id);

#pragma GCC visibility pop

#endif
