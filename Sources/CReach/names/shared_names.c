/* SPDX-License-Identifier: MIT */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* tdestroy() */
#endif

#include "names/names.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

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
	if (reach_array_grow(&name->ids, &name->capacity, sizeof(*name->ids)) &&
	    tsearch(name, &names->tree, compare))
		return name;
	destroy(name);
	return NULL;
}

int reach_shared_names_join(struct reach_name *name, uint64_t id)
{
	if (name->count == name->capacity &&
	    !reach_array_grow(&name->ids, &name->capacity, sizeof(*name->ids)))
		return -ENOMEM;
	name->ids[name->count++] = id;
	return 0;
}

/* The search is linear: about 1 us among 10,000 targets. */
void reach_shared_names_leave(struct reach_shared_names *names,
			      struct reach_name *name, uint64_t id)
{
	uint32_t i = 0;

	while (name->ids[i] != id)
		i++;
	name->ids[i] = name->ids[--name->count];
	if (name->count)
		return;
	tdelete(name, &names->tree, compare);
	destroy(name);
}
