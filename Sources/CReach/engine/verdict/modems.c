/* SPDX-License-Identifier: MIT */
#include "engine/state/state.h"

#include <errno.h>
#include <string.h>

#include "base/base.h"
#include "engine/verdict/verdict.h"

#define MODEM_SIZE_1_0 REACH_SIZE_TO(struct reach_modem, conditions)

#define CONDITIONS                                                             \
	(REACH_MODEM_REGISTERED | REACH_MODEM_CONNECTED | REACH_MODEM_LOCKED | \
	 REACH_MODEM_ON_TRAFFIC)

/* Copies the list: the caller's `size` is the distance from one item to the
 * next. @return 0, -EINVAL, or -E2BIG. */
static int copy(const struct reach_modem *modems, size_t count,
		struct reach_modems *ret)
{
	const char *at = (const char *)modems;
	size_t i;
	int err;

	if (count > REACH_MODEMS_MAX || (count && !modems))
		return -EINVAL;
	for (i = 0; i < count; i++, at += modems->size) {
		struct reach_modem *item = &ret->items[i];

		if (memcmp(at, &modems->size, sizeof(modems->size)) != 0)
			return -EINVAL;
		err = reach_sized_read(item, sizeof(*item), MODEM_SIZE_1_0, at);
		if (err)
			return err;
		if (item->conditions & ~(uint32_t)CONDITIONS)
			return -EINVAL;
	}
	ret->count = count;
	return 0;
}

/* Evaluates the names that have no address for lack of a network. They are on
 * no path that could change. */
static void evaluate_names(struct reach_engine *engine)
{
	uint32_t number;

	for (number = REACH_LISTS; number < engine->entries.table.used;
	     number++) {
		const struct reach_entry *entry =
			reach_entry_at(&engine->entries, number);

		if (entry->kind == REACH_ENTRY_AGGREGATE &&
		    entry->aggregate->failure == REACH_REASON_NO_NETWORK)
			reach_evaluate(engine, number);
	}
}

int reach_engine_set_modems(struct reach_engine *engine,
			    const struct reach_modem *modems, size_t count)
{
	struct reach_modems list = { 0 };
	const int err = copy(modems, count, &list);

	if (err)
		return err;
	if (memcmp(&engine->modems, &list, sizeof(list)) == 0)
		return 0;
	engine->modems = list;
	reach_recompute_later(engine);
	evaluate_names(engine);
	return 0;
}
