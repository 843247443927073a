/* SPDX-License-Identifier: MIT */
/* The modems of a daemon, and the bearers of each. */
#ifndef MODEMS_H
#define MODEMS_H

#include <stdbool.h>
#include <stdint.h>

#include "modem_manager.h"
#include "modem_values.h"
#include "sdbus.h"
#include "service.h"

#pragma GCC visibility push(hidden)

struct bearer {
	struct service *service;
	/* Object path; "" for a free entry. */
	char path[MODEM_MANAGER_PATH_SIZE];
	struct bearer_values values;
	/* The call for its properties, or NULL. Release it with the bearer,
	 * which is its context. */
	sd_bus_slot *call;
};

struct modem {
	struct object object;
	struct modem_values values;
	struct bearer bearers[MODEM_MANAGER_BEARERS];
	/* MODEM_INTERFACE is known; MODEM_3GPP_INTERFACE is not enough. */
	bool is_modem;
};

/* Their objects are struct modem. */
extern const struct service_type system_bus_modems;

#pragma GCC visibility pop

#endif
