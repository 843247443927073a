/* SPDX-License-Identifier: MIT */
/**
 * Modems: connections that do not exist yet, but could be made.
 *
 *	struct reach_modem modem = {
 *		.size = sizeof(modem),
 *		.conditions = REACH_MODEM_REGISTERED | REACH_MODEM_ON_TRAFFIC,
 *	};
 *
 *	reach_monitor_set_modems(monitor, &modem, 1);
 */
#ifndef REACH_MODEM_H
#define REACH_MODEM_H

#include <stddef.h>
#include <stdint.h>

#include <reach/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bits of struct reach_modem.conditions. */
enum REACH_FLAG_ENUM reach_modem_condition {
	/** Registered with a cellular network: a data connection can be made.
	 */
	REACH_MODEM_REGISTERED = 1 << 0,
	/** Has a data connection. Routes and links tell what that is good for,
	 *  so that such a modem changes no verdict. */
	REACH_MODEM_CONNECTED = 1 << 1,
	/** The SIM wants a PIN or PUK. Not heeded of a modem that is registered
	 *  nevertheless. */
	REACH_MODEM_LOCKED = 1 << 2,
	/** Traffic makes a registered modem connect: dial on demand. */
	REACH_MODEM_ON_TRAFFIC = 1 << 3
};

/**
 * What is known of a modem, from ModemManager for example; rtnetlink knows
 * nothing of it before it is connected.
 *
 * A target that has no way then has REACH_FLAG_REACHABLE,
 * REACH_FLAG_TRANSIENT_CONNECTION, REACH_FLAG_CONNECTION_REQUIRED and
 * REACH_FLAG_IS_WWAN, for a registered modem
 * (REACH_REASON_NOT_CONNECTED), with REACH_FLAG_CONNECTION_ON_TRAFFIC if it
 * dials on demand; else, for a locked one (REACH_REASON_LOCKED_SIM), with
 * REACH_FLAG_INTERVENTION_REQUIRED. Of several modems that are not connected
 * the best decides: registered with dial on demand, registered, locked.
 *
 * No way is REACH_REASON_NO_ROUTE, REACH_REASON_LINK_DOWN or
 * REACH_REASON_NO_SOURCE of a unicast address that is neither loopback,
 * link-local nor an address of this host; also of the remote address of a pair
 * whose local one is usable. A name has the verdict of its best address, and
 * that of a modem if it has no address because of REACH_REASON_NO_NETWORK.
 * Routes and rules of type unreachable, prohibit and blackhole are decisions of
 * the administrator, and are heeded: no flags. (A rule of type unreachable has
 * the errno of no route, and is taken for that.)
 */
struct reach_modem {
	/** sizeof(struct reach_modem). */
	size_t size;
	/** Index of the network interface that its connection uses, which need
	 *  not exist; 0 if it is not known. A target that is bound to an
	 * interface heeds only the modem of that interface. */
	uint32_t interface_index;
	/** Bits of enum reach_modem_condition. */
	uint32_t conditions;
};

/** Largest number of modems. */
#define REACH_MODEMS_MAX 8

#ifdef __cplusplus
}
#endif

#endif
