/* SPDX-License-Identifier: MIT */
/* The class of a link, from netlink and sysfs. */
#ifndef REACH_HOST_CLASSIFY_H
#define REACH_HOST_CLASSIFY_H

#include "host/links.h"

#pragma GCC visibility push(hidden)

/* Depth to which layered links are followed: MAX_NEST_DEV of linux/netdevice.h.
 * The kernel allows no cycle, but malformed messages could build one. */
#define REACH_LAYERS_MAX 8

/* The class of @link, by netlink first, then by the evidence from sysfs. A
 * layered link takes it from the lower link or the ports. Pure. */
enum reach_interface_class reach_classify(const struct reach_links *links,
					  const struct reach_link *link);

/* As reach_classify(), for a namespace without physical links (a container): an
 * Ethernet link whose lower link or peer is in another namespace (veth, netkit,
 * macvlan, ipvlan, VLAN) counts as wired, and so do links above it. */
enum reach_interface_class
reach_classify_contained(const struct reach_links *links,
			 const struct reach_link *link);

/* Whether the table has a wired, Wi-Fi or cellular device, up or not. */
bool reach_classify_has_physical(const struct reach_links *links);

/* The basis of a link's class. */
enum reach_basis {
	/* Its rtnetlink kind or hardware type alone. */
	REACH_BASIS_WORD,
	/* The evidence from sysfs about its device. */
	REACH_BASIS_DEVICE,
	/* Whether its peer is in another namespace (veth, netkit). */
	REACH_BASIS_PEER,
	/* The lower link (VLAN, macvlan). */
	REACH_BASIS_LOWER,
	/* The ports (bridge, bond, team). */
	REACH_BASIS_PORTS
};

enum reach_basis reach_classify_basis(const struct reach_link *link);

/* The link that @link inherits its class from: its lower link, or the first
 * port of that class, usable ones first. NULL if @link has no link below it, or
 * none in the table. */
const struct reach_link *reach_classify_below(const struct reach_links *links,
					      const struct reach_link *link);

#pragma GCC visibility pop

#endif
