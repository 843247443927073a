/* SPDX-License-Identifier: MIT */
/* What the caller knows about interfaces and the kernel doesn't
 * (reach_engine_set_facts()), the verdicts of modems, and evidence from sysfs. Whether an interface is
 * metered is in no verdict. */
#include "engine/verdict/verdict.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FACTS_SIZE_1_0 REACH_SIZE_TO(struct reach_interface_facts, modem)
_Static_assert(FACTS_SIZE_1_0 % _Alignof(struct reach_interface_facts) == 0,
	       "no padding: lists are compared as bytes");

#define CONDITIONS                                                             \
	(REACH_MODEM_REGISTERED | REACH_MODEM_CONNECTED | REACH_MODEM_LOCKED | \
	 REACH_MODEM_ON_TRAFFIC)

/* @return 0, -EINVAL or -E2BIG. */
static int read_one(struct reach_interface_facts *ret, const char *theirs)
{
	const int err =
		reach_sized_read(ret, sizeof(*ret), FACTS_SIZE_1_0, theirs);
	size_t length;

	if (err)
		return err;
	length = strnlen(ret->interface_name, sizeof(ret->interface_name));
	if (length == sizeof(ret->interface_name) ||
	    ret->metered > REACH_METERED_NO ||
	    ret->modem & ~(uint32_t)CONDITIONS)
		return -EINVAL;
	memset(ret->interface_name + length, 0,
	       sizeof(ret->interface_name) - length);
	return 0;
}

/* The caller's `size` is the distance from one item to the next. @return 0,
 * -EINVAL, -E2BIG, or -ENOMEM. */
static int copy(const struct reach_interface_facts *facts, size_t count,
		struct reach_facts *ret)
{
	int err = 0;

	if (!count)
		return 0;
	if (!facts)
		return -EINVAL;
	ret->items = calloc(count, sizeof(*ret->items));
	if (!ret->items)
		return -ENOMEM;
	for (; ret->count < count && !err; ret->count++) {
		const char *at = (const char *)facts + ret->count * facts->size;

		err = memcmp(at, &facts->size, sizeof(facts->size))
			      ? -EINVAL
			      : read_one(&ret->items[ret->count], at);
	}
	if (err)
		free(ret->items);
	return err;
}

static bool is_same(const struct reach_facts *a, const struct reach_facts *b)
{
	return a->count == b->count &&
	       (!a->count ||
		!memcmp(a->items, b->items, a->count * sizeof(*a->items)));
}

uint32_t reach_facts_metered(const struct reach_engine *engine,
			     const char *name, uint32_t class)
{
	uint32_t own = REACH_METERED_UNKNOWN, tunnels = REACH_METERED_UNKNOWN;
	size_t i;

	for (i = 0; i < engine->facts.count; i++) {
		const struct reach_interface_facts *item =
			&engine->facts.items[i];
		uint32_t *value = item->interface_name[0] ? &own : &tunnels;

		if (item->interface_name[0] &&
		    strcmp(item->interface_name, name) != 0)
			continue;
		if (item->metered && *value != REACH_METERED_YES)
			*value = item->metered;
	}
	return own || class != REACH_INTERFACE_VPN ? own : tunnels;
}

int reach_engine_set_facts(struct reach_engine *engine,
			   const struct reach_interface_facts *facts,
			   size_t count)
{
	struct reach_facts list = { 0 };
	const int err = copy(facts, count, &list);

	if (err)
		return err;
	if (is_same(&engine->facts, &list)) {
		free(list.items);
		return 0;
	}
	free(engine->facts.items);
	engine->facts = list;
	reach_recompute_later(engine);
	engine->dirty.facts = true;
	return 0;
}

/* ---- modem verdict ----------------------------------------------------- */

/* Rank of a modem, higher is better; 0 for one that cannot help. */
static int modem_rank(uint32_t conditions)
{
	if (conditions & REACH_MODEM_CONNECTED)
		return 0;
	if (conditions & REACH_MODEM_REGISTERED)
		return conditions & REACH_MODEM_ON_TRAFFIC ? 3 : 2;
	return conditions & REACH_MODEM_LOCKED ? 1 : 0;
}

const struct reach_interface_facts *
reach_modem_best(const struct reach_engine *engine, uint32_t selectors_number)
{
	const struct reach_selectors *selectors =
		reach_selectors_at(engine, selectors_number);
	const bool is_bound = reach_selectors_are_bound(selectors);
	const struct reach_link *bound =
		reach_links_find(&engine->links, selectors->bound);
	const struct reach_interface_facts *best = NULL;
	int rank = 0;
	size_t i;

	for (i = 0; i < engine->facts.count; i++) {
		const struct reach_interface_facts *modem =
			&engine->facts.items[i];

		if (modem_rank(modem->modem) <= rank ||
		    (is_bound && (!bound || strcmp(modem->interface_name,
						   bound->name) != 0)))
			continue;
		best = modem;
		rank = modem_rank(modem->modem);
	}
	return best;
}

struct reach_verdict reach_verdict_by_modem(const struct reach_engine *engine,
					    uint32_t selectors,
					    struct reach_verdict verdict)
{
	const struct reach_interface_facts *modem =
		reach_modem_best(engine, selectors);
	const struct reach_link *link;
	bool is_locked;

	if (!modem)
		return verdict;
	is_locked = !(modem->modem & REACH_MODEM_REGISTERED);
	verdict = reach_verdict_none(REACH_RULE_MODEM,
				     is_locked ? REACH_REASON_LOCKED_SIM
					       : REACH_REASON_NOT_CONNECTED,
				     (int)verdict.error);
	verdict.flags = REACH_FLAG_REACHABLE | REACH_FLAG_TRANSIENT_CONNECTION |
			REACH_FLAG_CONNECTION_REQUIRED | REACH_FLAG_IS_WWAN;
	if (is_locked)
		verdict.flags |= REACH_FLAG_INTERVENTION_REQUIRED;
	else if (modem->modem & REACH_MODEM_ON_TRAFFIC)
		verdict.flags |= REACH_FLAG_CONNECTION_ON_TRAFFIC;
	link = reach_links_find_name(&engine->links, modem->interface_name);
	if (link) {
		verdict.interface_index = link->index;
		verdict.interface_class =
			(uint16_t)reach_classify(&engine->links, link);
	}
	return verdict;
}

/* ---- evidence ---------------------------------------------------------- */

void reach_want_evidence(struct reach_engine *engine, uint32_t index)
{
	if (!engine->evidence_from || index < engine->evidence_from)
		engine->evidence_from = index;
}

uint32_t reach_engine_wants_evidence(struct reach_engine *engine)
{
	size_t i;

	if (!engine->evidence_from)
		return 0;
	/* Links are sorted by index, and the caller calls once for each. So the
	 * search continues where it ended. */
	i = reach_links_position(&engine->links, engine->evidence_from);
	for (; i < engine->links.count; i++) {
		struct reach_link *link = &engine->links.items[i];

		if (link->evidence_asked ||
		    reach_classify_basis(link) != REACH_BASIS_DEVICE)
			continue;
		link->evidence_asked = true;
		engine->evidence_from = link->index + 1;
		return link->index;
	}
	engine->evidence_from = 0;
	return 0;
}

static bool is_empty(const struct reach_evidence *evidence)
{
	return !evidence->devtype[0] && !evidence->driver[0] &&
	       !evidence->wireless;
}

int reach_engine_set_evidence(struct reach_engine *engine, uint32_t index,
			      const char *devtype, const char *driver,
			      int wireless)
{
	struct reach_link *link =
		(struct reach_link *)(uintptr_t)reach_links_find(&engine->links,
								 index);
	struct reach_evidence *ret;

	if (!link)
		return -ENOENT;
	link->evidence_asked = true;
	ret = &link->evidence;
	/* None before, not even of an earlier name, and none now: nothing to
	 * recompute. */
	if (!devtype && is_empty(ret))
		return 0;
	link->evidence_known = devtype != NULL;
	*ret = (struct reach_evidence){ .wireless = devtype && wireless };
	if (devtype) {
		snprintf(ret->devtype, sizeof(ret->devtype), "%s", devtype);
		snprintf(ret->driver, sizeof(ret->driver), "%s", driver);
	}
	reach_recompute_later(engine);
	return 0;
}
