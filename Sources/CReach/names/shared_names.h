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
	/* Ids of the targets, in no order: &`only` or an allocation. */
	uint64_t *ids;
	uint64_t only;
	uint32_t count;
	/* Family of the addresses wanted; AF_UNSPEC for all. */
	int family;
	/* NUL-terminated, in the allocation of the struct. */
	const char *text;
};

/* tsearch(3) tree of names by text and family. Zeroed is empty. */
struct reach_shared_names {
	void *tree;
};

void reach_shared_names_free(struct reach_shared_names *names);

/* Adds target @id to the name of @text (copied) and @family, created if it is
 * new: `count` is 1 then. @return NULL if out of memory. */
struct reach_name *reach_shared_names_join(struct reach_shared_names *names,
					   const char *text, int family,
					   uint64_t id);

/* @return NULL if there is no such name. */
struct reach_name *
reach_shared_names_find(const struct reach_shared_names *names,
			const char *text, int family);

/* Removes target @id from @name; the last one takes it along. */
void reach_shared_names_leave(struct reach_shared_names *names,
			      struct reach_name *name, uint64_t id);

#pragma GCC visibility pop

#endif
