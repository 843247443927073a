/* SPDX-License-Identifier: MIT */
/**
 * Metered interfaces: traffic costs money, or counts against a quota.
 *
 *	struct reach_metered_interface phone = {
 *		.size = sizeof(phone),
 *		.interface_name = "wlan0",
 *		.metered = REACH_METERED_YES,
 *	};
 *
 *	reach_monitor_set_metered(monitor, &phone, 1);
 */
#ifndef REACH_METERED_H
#define REACH_METERED_H

#include <reach/export.h>
#include <reach/interface.h>

REACH_BEGIN_DECLS

/** Whether traffic over an interface is metered. */
enum reach_metered {
	/** Not known. */
	REACH_METERED_UNKNOWN,
	REACH_METERED_YES,
	REACH_METERED_NO
};

/**
 * Whether an interface is metered. rtnetlink doesn't report it, so you supply
 * it, for example from NetworkManager. `metered` of struct reach_state has the
 * value for the target's interface. Flags don't depend on it.
 *
 * The key is the name: the value applies to the interface that has this name
 * now, even if it appeared later, was renamed to it, or has a new index.
 */
struct reach_metered_interface {
	/** sizeof(struct reach_metered_interface). */
	size_t size;
	/** Name of the interface, NUL-terminated; it need not exist. "" stands
	 * for all interfaces of class REACH_INTERFACE_VPN that aren't listed: a
	 * tunnel costs as much as the network below it. */
	char interface_name[REACH_INTERFACE_NAME_SIZE];
	/** REACH_METERED_YES or REACH_METERED_NO. */
	uint32_t metered;
};

REACH_END_DECLS

#endif
