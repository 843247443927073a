/* SPDX-License-Identifier: MIT */
/* Interface classes. */
#ifndef REACH_HOST_CLASSIFY_H
#define REACH_HOST_CLASSIFY_H

#include "host/links.h"

#pragma GCC visibility push(hidden)

/* The kernel nests no deeper (MAX_NEST_DEV of linux/netdevice.h), and has no
 * cycles; what bytes say may differ. */
#define REACH_LAYERS_MAX 8

/* The class of @link: netlink evidence first, sysfs second, what is below
 * or behind it for layered links. Pure. */
enum reach_interface_class reach_classify(const struct reach_links *links,
					  const struct reach_link *link);

/* The class of @link in a namespace without physical links, where an Ethernet
 * link whose lower link or peer is in another namespace (veth, netkit, macvlan,
 * ipvlan, VLAN) stands for a wired one, and for those above it. */
enum reach_interface_class
reach_classify_contained(const struct reach_links *links,
			 const struct reach_link *link);

/* Whether a link is wired, Wi-Fi or cellular, usable or not. */
bool reach_classify_has_physical(const struct reach_links *links);

/* What tells the class of a link: netlink's own words, what sysfs tells of the
 * device, the other end (veth), the link below, or the ports. */
enum reach_basis {
	REACH_BASIS_WORD,
	REACH_BASIS_DEVICE,
	REACH_BASIS_PEER,
	REACH_BASIS_LOWER,
	REACH_BASIS_PORTS
};

enum reach_basis reach_classify_basis(const struct reach_link *link);

#pragma GCC visibility pop

#endif
