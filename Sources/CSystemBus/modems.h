/* SPDX-License-Identifier: MIT */
/* The modems of a daemon, and the bearers of each: a table of fixed size. */
#ifndef MODEMS_H
#define MODEMS_H

#include <stdbool.h>
#include <stdint.h>

#include "modem_manager.h"
#include "modem_values.h"
#include "sdbus.h"
#include "service.h"

#pragma GCC visibility push(hidden)

struct modems;

struct bearer {
	struct modems *modems;
	/* Object path; "" for a free entry. */
	char path[MODEM_MANAGER_PATH_SIZE];
	struct bearer_values values;
	/* The call for its properties, or NULL. Release it with the bearer,
	 * which is its context. */
	sd_bus_slot *call;
};

struct modem {
	/* Its path is "" for a free entry. */
	struct modem_values values;
	struct bearer bearers[MODEM_MANAGER_BEARERS];
	/* Seen in the list of all objects that is being read. */
	bool is_listed;
	/* MODEM_INTERFACE is known; MODEM_3GPP_INTERFACE is not enough. */
	bool is_modem;
};

struct modems {
	struct service service;
	struct modem all[MODEM_MANAGER_MODEMS];
};

void system_bus_modems_init(struct modems *modems,
			    struct connection *connection);

#pragma GCC visibility pop

#endif
