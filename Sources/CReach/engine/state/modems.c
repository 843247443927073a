/* SPDX-License-Identifier: MIT */
#include "engine/state/modems.h"

#include <errno.h>
#include <string.h>

#include "engine/state/evaluate.h"
#include "engine/state/state.h"

#define CONDITIONS                                                             \
	(REACH_MODEM_REGISTERED | REACH_MODEM_CONNECTED | REACH_MODEM_LOCKED | \
	 REACH_MODEM_ON_TRAFFIC)

/* Copies the list. The caller's struct may be longer than ours: its `size` is
 * the distance from one to the next. @return 0 or -EINVAL. */
static int copy(const struct reach_modem *modems, size_t count,
		struct reach_modems *ret)
{
	const char *at = (const char *)modems;
	size_t i;

	if (count > REACH_MODEMS_MAX || (count && !modems))
		return -EINVAL;
	for (i = 0; i < count; i++, at += modems->size) {
		struct reach_modem *item = &ret->items[i];

		memcpy(item, at, sizeof(*item));
		if (item->size < sizeof(*item) || item->size != modems->size ||
		    item->conditions & ~(uint32_t)CONDITIONS)
			return -EINVAL;
	}
	ret->count = count;
	return 0;
}

/* Evaluates the names that have no address for lack of a network: they are on
 * no path that could change. */
static void evaluate_names(struct reach_engine *engine)
{
	uint32_t number;

	for (number = REACH_LISTS; number < engine->entries.used; number++) {
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
	reach_redraw_later(engine);
	evaluate_names(engine);
	return 0;
}
