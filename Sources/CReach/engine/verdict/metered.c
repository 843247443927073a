/* SPDX-License-Identifier: MIT */
#include "engine/state/state.h"
#include "engine/verdict/verdict.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

#define METERED_SIZE_1_0 REACH_SIZE_TO(struct reach_metered_interface, metered)

static int compare_names(const struct reach_metered_interface *item,
			 const char *name)
{
	return strncmp(item->interface_name, name,
		       sizeof(item->interface_name));
}

static int compare(const void *left, const void *right)
{
	const struct reach_metered_interface *a = left;
	const struct reach_metered_interface *b = right;
	const int names = compare_names(a, b->interface_name);

	return names ? names : (int)a->metered - (int)b->metered;
}

/* @return 0, -EINVAL or -E2BIG. */
static int read_one(struct reach_metered_interface *ret, const char *theirs)
{
	const int err =
		reach_sized_read(ret, sizeof(*ret), METERED_SIZE_1_0, theirs);
	size_t length;

	if (err)
		return err;
	length = strnlen(ret->interface_name, sizeof(ret->interface_name));
	if (length == sizeof(ret->interface_name) ||
	    (ret->metered != REACH_METERED_YES &&
	     ret->metered != REACH_METERED_NO))
		return -EINVAL;
	/* Lists are compared as bytes. */
	memset(ret->interface_name + length, 0,
	       sizeof(ret->interface_name) - length);
	return 0;
}

/* The caller's `size` is the distance from one item to the next. @return 0,
 * -EINVAL, or -E2BIG. */
static int read_all(struct reach_metered_interface *ret,
		    const struct reach_metered_interface *interfaces,
		    size_t count)
{
	const char *at = (const char *)interfaces;
	size_t i;
	int err;

	for (i = 0; i < count; i++, at += interfaces->size) {
		if (memcmp(at, &interfaces->size, sizeof(size_t)) != 0)
			return -EINVAL;
		err = read_one(&ret[i], at);
		if (err)
			return err;
	}
	return 0;
}

/* @return 0, -EINVAL, -E2BIG or -ENOMEM. */
static int copy(const struct reach_metered_interface *interfaces, size_t count,
		struct reach_metered_list *ret)
{
	int err;

	if (!count)
		return 0;
	if (!interfaces)
		return -EINVAL;
	ret->items = calloc(count, sizeof(*ret->items));
	if (!ret->items)
		return -ENOMEM;
	err = read_all(ret->items, interfaces, count);
	if (err) {
		free(ret->items);
		return err;
	}
	ret->count = count;
	qsort(ret->items, count, sizeof(*ret->items), compare);
	return 0;
}

/* The first item with the name, or NULL. */
static const struct reach_metered_interface *
find(const struct reach_metered_list *list, const char *name)
{
	size_t from = 0, to = list->count;

	while (from < to) {
		const size_t middle = from + (to - from) / 2;

		if (compare_names(&list->items[middle], name) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	if (from == list->count || compare_names(&list->items[from], name))
		return NULL;
	return &list->items[from];
}

uint8_t reach_metered_of(const struct reach_engine *engine, const char *name,
			 uint8_t class)
{
	const struct reach_metered_list *list = &engine->metered;
	const struct reach_metered_interface *found = NULL;

	if (name[0])
		found = find(list, name);
	if (!found && class == REACH_INTERFACE_VPN)
		found = find(list, "");
	return found ? (uint8_t)found->metered : REACH_METERED_UNKNOWN;
}

void reach_metered_free(struct reach_engine *engine)
{
	free(engine->metered.items);
}

int reach_engine_set_metered(struct reach_engine *engine,
			     const struct reach_metered_interface *interfaces,
			     size_t count)
{
	struct reach_metered_list list = { 0 };
	const int err = copy(interfaces, count, &list);

	if (err)
		return err;
	if (count == engine->metered.count &&
	    (!count || memcmp(engine->metered.items, list.items,
			      count * sizeof(*list.items)) == 0)) {
		free(list.items);
		return 0;
	}
	reach_metered_free(engine);
	engine->metered = list;
	reach_recompute_later(engine);
	return 0;
}
