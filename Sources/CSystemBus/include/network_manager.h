/* SPDX-License-Identifier: MIT */
/*
 * NetworkManager's reports of the machine's network and of each device.
 *
 * Numbers are those of nm-dbus-interface.h, unchanged.
 */
#ifndef NETWORK_MANAGER_H
#define NETWORK_MANAGER_H

#include <stdint.h>

#include "system_bus.h"

/* Further devices are ignored. */
#define NETWORK_MANAGER_DEVICES 4096

#define NETWORK_MANAGER_URI_SIZE       256
#define NETWORK_MANAGER_PATH_SIZE      128
#define NETWORK_MANAGER_INTERFACE_SIZE 16 /* IFNAMSIZ */

struct network_manager_state {
	/* NMMetered of the primary connection: 0 unknown, 1 yes, 2 no,
	 * 3 guessed yes, 4 guessed no. */
	uint32_t metered;
	/* NMConnectivityState: 0 unknown, 1 none, 2 portal, 3 limited,
	 * 4 full. */
	uint32_t connectivity;
	/* 1 if ConnectivityCheckAvailable and ConnectivityCheckEnabled. */
	uint32_t checks;
	/* ConnectivityCheckUri; "" if it is unknown or too long. */
	char check_uri[NETWORK_MANAGER_URI_SIZE];
};

struct network_manager_device {
	/* D-Bus object path, unique among the devices of a daemon. */
	char path[NETWORK_MANAGER_PATH_SIZE];
	/* IpInterface, else Interface; "" if it is unknown or too long. */
	char interface[NETWORK_MANAGER_INTERFACE_SIZE];
	/* NMMetered. */
	uint32_t metered;
	/* NMConnectivityState of IPv4 and IPv6. */
	uint32_t connectivity[2];
	/* NMDeviceState. */
	uint32_t state;
};

/* Reads the machine's state; zeros unless the status is SYSTEM_BUS_READY. */
void system_bus_network_state(const struct system_bus *bus,
			      struct network_manager_state *ret);

/*
 * Reads the device at a position; the order is unspecified.
 *
 * Returns 1, or 0 if there are no more.
 */
int system_bus_network_device(const struct system_bus *bus, uint32_t position,
			      struct network_manager_device *ret);

#endif
