/* SPDX-License-Identifier: MIT */
/**
 * Modems that aren't connected, but could be.
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

#include <reach/export.h>

REACH_BEGIN_DECLS

/** Bits of struct reach_modem.conditions. */
enum REACH_FLAG_ENUM reach_modem_condition {
	/** Registered with a cellular network, so it can connect. */
	REACH_MODEM_REGISTERED = 1 << 0,
	/** Has a data connection. Routes and links then decide; such a modem
	 * changes no verdict. */
	REACH_MODEM_CONNECTED = 1 << 1,
	/** The SIM needs a PIN or PUK. Ignored if the modem is registered. */
	REACH_MODEM_LOCKED = 1 << 2,
	/** Traffic makes a registered modem connect (dial on demand). */
	REACH_MODEM_ON_TRAFFIC = 1 << 3
};

/**
 * The condition of a modem, for example from ModemManager. rtnetlink doesn't
 * report a modem before it connects.
 *
 * If a target has no usable route, the best modem that isn't connected decides:
 * registered with dial on demand, then registered, then locked. The flags are
 * REACH_FLAG_REACHABLE, REACH_FLAG_TRANSIENT_CONNECTION,
 * REACH_FLAG_CONNECTION_REQUIRED, and REACH_FLAG_IS_WWAN. A registered modem
 * has the reason REACH_REASON_NOT_CONNECTED, and
 * REACH_FLAG_CONNECTION_ON_TRAFFIC if it dials on demand. A locked one has the
 * reason REACH_REASON_LOCKED_SIM and REACH_FLAG_INTERVENTION_REQUIRED.
 *
 * A target has no usable route if its reason is REACH_REASON_NO_ROUTE,
 * REACH_REASON_LINK_DOWN, or REACH_REASON_NO_SOURCE, and it is a unicast
 * address that is not loopback, link-local, on a directly connected network, or
 * an address of this host. The same holds for the remote address of a pair
 * whose local address is usable. A name has the verdict of its best address. If
 * it has no address because of REACH_REASON_NO_NETWORK, it has the modem's
 * verdict. Routes of type unreachable, prohibit, and blackhole, and rules of
 * type prohibit and blackhole, are an administrator's decision: no flags. A
 * rule of type unreachable counts as a missing route, because the kernel
 * returns the same errno for both.
 */
struct reach_modem {
	/** sizeof(struct reach_modem). */
	size_t size;
	/** Index of the modem's network interface, which need not exist; 0 if
	 * unknown. A target bound to an interface uses only the modem of that
	 * interface. */
	uint32_t interface_index;
	/** Bits of enum reach_modem_condition. */
	uint32_t conditions;
};

/** Largest number of modems. */
#define REACH_MODEMS_MAX 8

REACH_END_DECLS

#endif
