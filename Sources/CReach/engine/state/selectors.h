/* SPDX-License-Identifier: MIT */
/*
 * Selectors: the properties of a lookup besides the destination (oif, mark,
 * uid, source, scope), interned (store/pool.h). Targets that differ only in the
 * address share them.
 */
#ifndef REACH_ENGINE_STATE_SELECTORS_H
#define REACH_ENGINE_STATE_SELECTORS_H

#include <stdbool.h>
#include <stdint.h>

#include <reach/target.h>

#include "engine/store/pool.h"

#pragma GCC visibility push(hidden)

struct reach_engine;

/* Key of the pool, so without padding. Members as in struct reach_target. */
struct reach_selector_key {
	uint32_t interface_index;
	/* RTA_MARK; 0 is not sent. */
	uint32_t mark;
	/* RTA_UID; REACH_UID_CALLER is not sent. */
	uint32_t uid;
	/* Interface index of a link-local IPv6 destination. */
	uint32_t scope_id;
	/* Interface by name, if `interface_index` is 0. */
	char interface_name[REACH_INTERFACE_NAME_SIZE];
	/* Address pair: the local address. */
	struct reach_address local;
	/* Whether `local` is sent as RTA_SRC. */
	uint16_t with_source;
	/* Whether the destination needs an interface, and nothing names one. */
	uint16_t unscoped;
	/* Whether the destination is an IPv4 multicast group. */
	uint16_t is_group;
	/* Zero: the pool hashes keys 8 bytes at a time. */
	uint16_t reserved;
};

struct reach_selectors {
	struct reach_record record;
	struct reach_selector_key key;
	/* Index of the existing interface that the key names, or 0. Also 0 for
	 * a VRF if the destination is a group: a socket ignores its VRF then
	 * (__ip4_datagram_connect, net/ipv4/datagram.c). */
	uint32_t scope;
	/* The key names an interface that does not exist, or lacks one that it
	 * needs. Nothing is looked up, and the verdict is "no interface". */
	bool missing;
	/* The key names a VRF. */
	bool is_vrf;
	/* `scope`, `missing`, `is_vrf`, or the local address changed, so the
	 * entries must be marked. invalidate/marks.c also sets this, and clears
	 * it. */
	bool moved;
};

/* Finds or creates the selectors of lookups of @destination for @target, and
 * takes a reference. @return their number, or 0 if memory is out. */
uint32_t reach_selectors_hold(struct reach_engine *engine,
			      const struct reach_target *target,
			      const struct reach_address *destination);

/* Selectors @number, until the next reach_selectors_hold(). */
const struct reach_selectors *
reach_selectors_at(const struct reach_engine *engine, uint32_t number);

/* Whether the lookups are bound to an interface (oif). */
bool reach_selectors_are_scoped(const struct reach_selectors *selectors);

/* Resolves all interfaces again after links changed, and sets `moved` where the
 * result differs. @return whether any does. */
bool reach_selectors_resolve(struct reach_engine *engine);

#pragma GCC visibility pop

#endif
