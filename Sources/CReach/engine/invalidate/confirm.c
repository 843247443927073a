/* SPDX-License-Identifier: MIT */
/* The look that confirms doubted answers (state/confirmation.c). */
#include "engine/invalidate/confirm.h"

#include <string.h>

#include "base/address.h"
#include "engine/invalidate/equivalence.h"
#include "engine/state/state.h"
#include "engine/store/lists.h"

/* Whether nothing is asked or to be asked. */
static bool is_quiet(const struct reach_engine *engine)
{
	return !engine->batch.outstanding && !engine->dirty.all &&
	       !engine->dirty.inet && !engine->dirty.inet6 &&
	       !engine->dirty.redraw && !engine->wanted_first &&
	       reach_list_empty(&engine->entries, REACH_LIST_DIRTY,
				REACH_HOOK_DIRTY);
}

static struct reach_address address_of(const struct reach_entry *entry)
{
	struct reach_address address = { .family = entry->family };

	memcpy(address.bytes, entry->bytes, sizeof(address.bytes));
	return address;
}

/* Those in the prefix of the first have one and the same route (equivalence.c),
 * and the others another one of that length. */
static void look_at(struct reach_engine *engine, struct reach_path *path)
{
	const uint8_t length =
		path->key.length != REACH_LENGTH_UNKNOWN ? path->key.length : 0;
	const struct reach_address prefix =
		address_of(reach_entry_at(&engine->entries, path->first));
	uint32_t number = path->first;

	reach_equivalence_begin(engine);
	while (number != REACH_NO_ENTRY) {
		struct reach_entry *entry =
			reach_entry_at(&engine->entries, number);
		const struct reach_address address = address_of(entry);
		const uint32_t next = entry->path_next, at = number;

		if (!(entry->bits & REACH_BIT_UNCONFIRMED) && !path->scattered)
			break;
		number = next;
		if (!(entry->bits & REACH_BIT_UNCONFIRMED))
			continue;
		entry->bits &= (uint16_t)~REACH_BIT_UNCONFIRMED;
		if (reach_address_in_prefix(&address, &prefix, length))
			reach_equivalence_mark(engine, at, length);
		else
			reach_mark(engine, at);
	}
	path->fronted = 0;
	path->scattered = false;
}

void reach_confirm_due(struct reach_engine *engine)
{
	struct reach_confirmation *confirmation = &engine->confirmation;
	uint32_t i;

	if (engine->clock.now < confirmation->look)
		return;
	confirmation->look = INT64_MAX;
	/* Else what is to be asked already may explain what comes. */
	confirmation->looking = is_quiet(engine);
	for (i = 1; i < engine->paths.used; i++) {
		struct reach_path *path = reach_path_at(engine, i);

		if (path->record.references)
			look_at(engine, path);
	}
}
