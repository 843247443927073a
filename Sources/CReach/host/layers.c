/* SPDX-License-Identifier: MIT */
/* What the links above and below a link do to its packets. */
#include "host/host.h"

#include <string.h>

/* Whether @link is a bond that has ports, of which none is usable, or a bridge
 * without a usable port. */
static bool lacks_ports(const struct reach_links *links,
			const struct reach_link *link)
{
	bool any = strcmp(link->kind, "bridge") == 0;

	if (!any && strcmp(link->kind, "bond") != 0)
		return false;
	for (size_t i = 0; i < links->count; i++) {
		if (links->items[i].master != link->index)
			continue;
		if (reach_link_usable(&links->items[i]))
			return false;
		any = true;
	}
	return any;
}

bool reach_links_pass(const struct reach_links *links,
		      const struct reach_link *link, bool by_vrf)
{
	const struct reach_link *master = reach_links_find(links, link->master);
	const struct reach_link *lower = NULL;

	if (!reach_link_usable(link) ||
	    (by_vrf && master && reach_link_is_vrf(master) &&
	     !reach_link_usable(master)))
		return false;
	if (strcmp(link->kind, "vlan") == 0 && !link->lower_elsewhere)
		lower = reach_links_find(links, link->lower);
	if (lower)
		link = lower;
	return !lacks_ports(links, link);
}
