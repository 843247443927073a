/* SPDX-License-Identifier: MIT */
/**
 * Metered interfaces: traffic over them is charged, or counts against a quota.
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

#include <stddef.h>
#include <stdint.h>

#include <reach/export.h>
#include <reach/interface.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Whether traffic over an interface is charged. */
enum reach_metered {
	/** Nobody has said it. */
	REACH_METERED_UNKNOWN,
	REACH_METERED_YES,
	REACH_METERED_NO
};

/**
 * What is known of an interface, from NetworkManager for example; rtnetlink
 * does not tell it. `metered` of struct reach_state has it for the interface of
 * a target. Flags do not depend on it.
 *
 * It is known by name, so that an interface that appears later, is renamed, or
 * returns with another index has its own value.
 */
struct reach_metered_interface {
	/** sizeof(struct reach_metered_interface). */
	size_t size;
	/** Name of the interface, NUL-terminated, which need not exist; "" for
	 *  all interfaces of class REACH_INTERFACE_VPN that are not in the
	 *  list: what a tunnel's packets cost depends on the network below. */
	char interface_name[REACH_INTERFACE_NAME_SIZE];
	/** REACH_METERED_YES or REACH_METERED_NO. */
	uint32_t metered;
};

#ifdef __cplusplus
}
#endif

#endif
