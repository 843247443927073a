/* SPDX-License-Identifier: MIT */
#include "engine/verdict/verdict.h"

#include <errno.h>
#include <string.h>

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

#define EVIDENCE_SIZE_1_0 REACH_SIZE_TO(struct reach_evidence, reserved)

/* @return 0, -EINVAL or -E2BIG. */
static int copy(const struct reach_evidence *evidence,
		struct reach_evidence *ret)
{
	static const uint8_t zeroes[sizeof(evidence->reserved)];
	const int err = reach_sized_read(ret, sizeof(*ret), EVIDENCE_SIZE_1_0,
					 evidence);

	if (err)
		return err;
	ret->devtype[sizeof(ret->devtype) - 1] = '\0';
	ret->driver[sizeof(ret->driver) - 1] = '\0';
	return memcmp(ret->reserved, zeroes, sizeof(zeroes)) ? -EINVAL : 0;
}

int reach_engine_set_evidence(struct reach_engine *engine, uint32_t index,
			      const struct reach_evidence *evidence)
{
	struct reach_link *link =
		(struct reach_link *)(uintptr_t)reach_links_find(&engine->links,
								 index);
	struct reach_evidence own = { 0 };
	const int err = evidence ? copy(evidence, &own) : 0;

	if (err)
		return err;
	if (!link)
		return -ENOENT;
	link->evidence_asked = true;
	/* No evidence before (`size` 0) and none now: nothing to recompute. */
	if (!evidence && !link->evidence.size)
		return 0;
	link->evidence_known = evidence != NULL;
	link->evidence = own;
	reach_recompute_later(engine);
	return 0;
}
