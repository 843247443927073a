/* SPDX-License-Identifier: MIT */
/*
 * Answers that change with a neighbor, without an event of a route: those over a
 * link without carrier, or instead of one (query/change_over.c), and what IPv6
 * answers where a gateway has failed and nothing usable lies behind its route.
 *
 * The prediction names one successor, but the kernel may take another one, and
 * it keeps that when the cable is plugged in again until a probe of the old
 * gateway succeeds (rt6_probe(), net/ipv6/route.c). While there are such
 * answers, and only then, the monitor is in RTNLGRP_NEIGH, and each neighbor that
 * fails, is removed, or answers has them looked up again. The filter drops the
 * other events of neighbors (filter/filter_program.c).
 *
 * Hosts that need it: two uplinks of which one is unplugged, or a rejecting IPv6
 * default route behind a gateway that reboots. Without it, they may report the
 * wrong interface, or "not reachable", until a route changes. A permanent
 * rejecting IPv6 route has the same answer, so that its host stays in the group:
 * with ten neighbors that get UDP all the time, it woke up 6 times in two
 * minutes, for 9 ms of CPU in all; with ten that answer pings, twice.
 */
#include "engine/invalidate/invalidate.h"

#include <sys/socket.h>

#include "engine/state/state.h"
#include "engine/verdict/verdict.h"

/* Links on which the kernel uses a gateway again are awaited no longer. Sockets
 * that name an interface have no choice. */
static void end_returns(struct reach_engine *engine)
{
	uint32_t i;

	for (i = 0; (i = reach_pool_next(&engine->paths, i));) {
		const struct reach_path_key *key =
			&reach_path_at(engine, i)->key;

		if (key->gateway.family && !key->predicted &&
		    !reach_selectors_are_bound(
			    reach_selectors_at(engine, key->selectors)))
			reach_links_set_left(&engine->links, key->output,
					     key->family, false);
	}
}

void reach_recheck(struct reach_engine *engine)
{
	bool awaits;
	uint32_t i;

	if (!engine->uncertain)
		return;
	end_returns(engine);
	awaits = reach_links_await(&engine->links);
	engine->uncertain = awaits;
	for (i = 0; (i = reach_pool_next(&engine->paths, i));) {
		const struct reach_path_key *key =
			&reach_path_at(engine, i)->key;
		const bool uncertain = reach_path_is_uncertain(engine, key);

		engine->uncertain |= uncertain;
		/* While IPv6 probes a gateway, it answers with its route. */
		if (awaits || uncertain ||
		    (key->family == AF_INET6 && key->gateway.family))
			reach_mark_path(engine, i);
	}
}
