/* SPDX-License-Identifier: MIT */
/* The state of a client. */
#ifndef BUS_H
#define BUS_H

#include <stdbool.h>
#include <stdint.h>

#include "modems.h"
#include "network.h"
#include "service.h"
#include "socket_watch.h"

struct system_bus {
	struct connection connection;
	bool is_loaded;
	/* When the next attempt to connect is due (CLOCK_MONOTONIC,
	 * milliseconds); 0 for none. */
	int64_t deadline;
	/* Milliseconds to the next attempt if this one fails. */
	uint32_t delay;
	/* Open until the connection works, if the address has a path. */
	struct socket_watch socket;
	/* Why the connection is missing, for services that are added later. */
	enum system_bus_status status;
	int error;
	struct service modems;
	struct network network;
	struct service *services[SYSTEM_BUS_SERVICES];
	/* D-Bus address of the options, or NULL; owned. */
	char *address;
};

#endif
