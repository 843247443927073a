/* SPDX-License-Identifier: MIT */
#include "monitor/monitor.h"

#include <stdbool.h>

#include "engine/engine.h"
#include "system/system.h"

/* Whether sysfs describes link @index: not if it was removed meanwhile, or if
 * the mount belongs to another namespace. */
static bool read_link(const struct reach_engine *engine, uint32_t index,
		      const char *root, struct reach_evidence *ret)
{
	const struct reach_link *link = reach_links_find(&engine->links, index);

	return link && *root &&
	       reach_sysfs_read(root, link->name, link->index,
				link->hardware_address,
				link->hardware_address_length, ret) == 0;
}

void reach_sysfs_evidence_read(struct reach_engine *engine, const char *root)
{
	uint32_t index;

	while ((index = reach_engine_wants_evidence(engine))) {
		struct reach_evidence evidence = { 0 };
		const bool known = read_link(engine, index, root, &evidence);

		(void)reach_engine_set_evidence(
			engine, index, known ? evidence.devtype : NULL,
			evidence.driver, evidence.wireless);
	}
}
