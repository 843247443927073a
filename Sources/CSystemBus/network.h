/* SPDX-License-Identifier: MIT */
/* The state of NetworkManager, and its devices. */
#ifndef NETWORK_H
#define NETWORK_H

#include <stdint.h>

#include "network_manager.h"
#include "service.h"

#pragma GCC visibility push(hidden)

struct device_values {
	/* As exported, but its interface is IpInterface alone. */
	struct network_manager_device device;
	/* Interface; "" if it is unknown or too long. */
	char interface[NETWORK_MANAGER_INTERFACE_SIZE];
};

struct device {
	struct object object;
	struct device_values values;
};

struct network_values {
	/* As exported, but `checks` is ConnectivityCheckAvailable alone. */
	struct network_manager_state state;
	uint32_t are_checks_enabled;
};

struct network {
	struct service service;
	struct network_values values;
};

/* The service of a struct network. */
extern const struct service_type system_bus_network;

#pragma GCC visibility pop

#endif
