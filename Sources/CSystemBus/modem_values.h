/* SPDX-License-Identifier: MIT */
/* The properties of a modem and of a bearer, read from messages. */
#ifndef MODEM_VALUES_H
#define MODEM_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "modem_manager.h"
#include "properties.h"

#pragma GCC visibility push(hidden)

#define MODEM_INTERFACE	     "org.freedesktop.ModemManager1.Modem"
#define MODEM_3GPP_INTERFACE "org.freedesktop.ModemManager1.Modem.Modem3gpp"
#define BEARER_INTERFACE     "org.freedesktop.ModemManager1.Bearer"

struct modem_values {
	/* As exported, but without interfaces. */
	struct modem_manager_modem modem;
	char ports[MODEM_MANAGER_INTERFACES][MODEM_MANAGER_INTERFACE_SIZE];
	char bearers[MODEM_MANAGER_BEARERS][MODEM_MANAGER_PATH_SIZE];
};

struct bearer_values {
	char interface[MODEM_MANAGER_INTERFACE_SIZE];
	uint32_t is_connected;
	/* MMBearerIpMethod of IPv4 and IPv6. */
	uint32_t methods[2];
};

/* The values before any property is known. */
extern const struct modem_values system_bus_modem_unknown;

extern const struct property_table system_bus_modem_table;
extern const struct property_table system_bus_bearer_table;

/* Whether the bearer needs pppd: its interface is then a serial port. */
bool system_bus_bearer_uses_ppp(const struct bearer_values *values);

#pragma GCC visibility pop

#endif
