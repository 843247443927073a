/* SPDX-License-Identifier: MIT */
/* The state of NetworkManager, and a growing table of its devices. */
#ifndef NETWORK_H
#define NETWORK_H

#include <stdint.h>

#include "network_manager.h"
#include "service.h"

#pragma GCC visibility push(hidden)

/* Without padding: compared with memcmp(). */
struct device_values {
	/* Interface and IpInterface; "" if they are unknown or too long. */
	char interfaces[2][NETWORK_MANAGER_INTERFACE_SIZE];
	uint32_t metered;
	uint32_t connectivity[2];
	uint32_t state;
};

struct device {
	char path[NETWORK_MANAGER_PATH_SIZE];
	struct device_values values;
	/* Seen in the list of all objects that is being read. */
	bool is_listed;
};

struct network_values {
	uint32_t metered;
	uint32_t connectivity;
	uint32_t has_checks;
	uint32_t are_checks_enabled;
	char check_uri[NETWORK_MANAGER_URI_SIZE];
};

struct network {
	struct service service;
	struct network_values values;
	/* Owned. */
	struct device *devices;
	uint32_t count;
	uint32_t room;
};

void system_bus_network_init(struct network *network,
			     struct connection *connection);

/* Releases the table. */
void system_bus_network_release(struct network *network);

#pragma GCC visibility pop

#endif
