/* SPDX-License-Identifier: MIT */
#include "engine/verdict/verdict.h"

#include <errno.h>
#include <stdio.h>

#include "base/base.h"
#include "engine/state/state.h"
#include "host/host.h"

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
