/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

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
