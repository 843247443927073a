/* SPDX-License-Identifier: MIT */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include <netlink/cache.h>
#include <netlink/route/route.h>

#include "peers.h"

/* Whether the longest prefix in table main that covers the target is a unicast
 * route. */
static bool is_routed(struct nl_cache *cache, uint32_t target)
{
	struct nl_object *object;
	unsigned int best = 0;
	int type = -1;

	for (object = nl_cache_get_first(cache); object;
	     object = nl_cache_get_next(object)) {
		struct rtnl_route *route = (struct rtnl_route *)object;
		struct nl_addr *prefix = rtnl_route_get_dst(route);
		const unsigned int length = nl_addr_get_prefixlen(prefix);
		uint32_t bits = 0;

		if (rtnl_route_get_family(route) != AF_INET ||
		    rtnl_route_get_table(route) != RT_TABLE_MAIN ||
		    (type >= 0 && length <= best))
			continue;
		if (nl_addr_get_len(prefix) == sizeof(bits))
			memcpy(&bits, nl_addr_get_binary_addr(prefix),
			       sizeof(bits));
		if (length && (ntohl(bits) ^ target) >> (32 - length))
			continue;
		best = length;
		type = rtnl_route_get_type(route);
	}
	return type == RTN_UNICAST;
}

void peer_libnl(const char *target, peer_post *post, void *context)
{
	const uint32_t bits = ntohl(inet_addr(target));
	struct nl_cache_mngr *manager;
	struct nl_cache *cache;

	if (nl_cache_mngr_alloc(NULL, NETLINK_ROUTE, NL_AUTO_PROVIDE,
				&manager) ||
	    nl_cache_mngr_add(manager, "route/route", NULL, NULL, &cache))
		exit(1);
	for (;;) {
		post(context, is_routed(cache, bits));
		nl_cache_mngr_poll(manager, -1);
	}
}
