/* SPDX-License-Identifier: MIT */
#include "engine/verdict/verdict.h"

#include <stddef.h>

#include "engine/state/state.h"
#include "host/host.h"

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
	uint32_t flags = REACH_FLAG_REACHABLE |
			 REACH_FLAG_TRANSIENT_CONNECTION |
			 REACH_FLAG_CONNECTION_REQUIRED | REACH_FLAG_IS_WWAN;

	if (!modem)
		return verdict;
	if (!(modem->modem & REACH_MODEM_REGISTERED)) {
		verdict = reach_verdict_none(REACH_RULE_MODEM,
					     REACH_REASON_LOCKED_SIM,
					     (int)verdict.error);
		flags |= REACH_FLAG_INTERVENTION_REQUIRED;
	} else {
		verdict = reach_verdict_none(REACH_RULE_MODEM,
					     REACH_REASON_NOT_CONNECTED,
					     (int)verdict.error);
		if (modem->modem & REACH_MODEM_ON_TRAFFIC)
			flags |= REACH_FLAG_CONNECTION_ON_TRAFFIC;
	}
	verdict.flags = flags;
	link = reach_links_find_name(&engine->links, modem->interface_name);
	if (link) {
		verdict.interface_index = link->index;
		verdict.interface_class =
			(uint16_t)reach_classify(&engine->links, link);
	}
	return verdict;
}
