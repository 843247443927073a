/* SPDX-License-Identifier: MIT */
#include "base/base.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A change grows with its state. */
_Static_assert(REACH_SIZE_TO(struct reach_change, state) ==
		       sizeof(struct reach_change),
	       "the state is the last member");

static size_t size_of(const void *sized)
{
	size_t size;

	memcpy(&size, sized, sizeof(size));
	return size;
}

bool reach_sized_is_valid(const void *theirs, size_t first)
{
	const size_t size = size_of(theirs);

	return size >= first && size <= REACH_SIZE_MAX;
}

int reach_sized_read(void *ours, size_t size, size_t first, const void *theirs)
{
	const size_t given = size_of(theirs);
	const unsigned char *bytes = theirs;
	size_t i;

	if (!reach_sized_is_valid(theirs, first))
		return -EINVAL;
	for (i = size; i < given; i++)
		if (bytes[i])
			return -E2BIG;
	memset(ours, 0, size);
	memcpy(ours, theirs, given < size ? given : size);
	memcpy(ours, &size, sizeof(size));
	return 0;
}

void reach_sized_write(void *theirs, const void *ours, size_t size)
{
	const size_t given = size_of(theirs);
	const size_t known = given < size ? given : size;
	unsigned char *bytes = theirs;

	memcpy(bytes + sizeof(size_t),
	       (const unsigned char *)ours + sizeof(size_t),
	       known - sizeof(size_t));
	memset(bytes + known, 0, given - known);
}

/* ---- array ------------------------------------------------------------- */

bool reach_array_grow(void *array, uint32_t *capacity, size_t item_size)
{
	const uint32_t doubled = *capacity ? *capacity * 2 : 4;
	void *items;

	/* Callers double counts of their own once more, within 32 bits. */
	if (doubled > UINT32_MAX / 4)
		return false;
	memcpy(&items, array, sizeof(items));
	items = reallocarray(items, doubled, item_size);
	if (!items)
		return false;
	memcpy(array, &items, sizeof(items));
	*capacity = doubled;
	return true;
}

/* ---- clock ------------------------------------------------------------- */

int64_t reach_monotonic(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * REACH_SECOND + now.tv_nsec;
}
