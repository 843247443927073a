/* SPDX-License-Identifier: MIT */
/* Names that targets share. One lookup resolves all targets with the same name
 * and family, and each gets its result. */
#ifndef REACH_NAMES_SHARED_NAMES_H
#define REACH_NAMES_SHARED_NAMES_H

#include <stdint.h>

#include "names/name_schedule.h"

#pragma GCC visibility push(hidden)

struct reach_name {
	/* The first member, so a pointer to it also points to the name. */
	struct reach_scheduled scheduled;
	/* Ids of the targets, unordered: an allocation, or NULL while there has
	 * been only one. */
	uint64_t *ids;
	uint64_t only;
	uint32_t count;
	/* Family of the requested addresses; AF_UNSPEC for all. */
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

/* Finds the name, or creates it without targets; one must join it. @text is
 * copied. @return NULL if memory is out. */
struct reach_name *reach_shared_names_obtain(struct reach_shared_names *names,
					     const char *text, int family);

/* Adds target @id to @name. @return 0 or -ENOMEM; the first never fails. */
int reach_shared_names_join(struct reach_name *name, uint64_t id);

/* Removes target @id from @name, and with the last one the name. */
void reach_shared_names_leave(struct reach_shared_names *names,
			      struct reach_name *name, uint64_t id);

#pragma GCC visibility pop

#endif
