/* SPDX-License-Identifier: MIT */
/* The properties of a modem and of a bearer, read from messages. */
#ifndef MODEM_VALUES_H
#define MODEM_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "modem_manager.h"
#include "sdbus.h"

#pragma GCC visibility push(hidden)

#define MODEM_INTERFACE	     "org.freedesktop.ModemManager1.Modem"
#define MODEM_3GPP_INTERFACE "org.freedesktop.ModemManager1.Modem.Modem3gpp"
#define BEARER_INTERFACE     "org.freedesktop.ModemManager1.Bearer"

/* Without padding: compared with memcmp(). */
struct modem_values {
	char operator_name[MODEM_MANAGER_OPERATOR_SIZE];
	char operator_code[MODEM_MANAGER_CODE_SIZE];
	char ports[MODEM_MANAGER_INTERFACES][MODEM_MANAGER_INTERFACE_SIZE];
	char bearers[MODEM_MANAGER_BEARERS][MODEM_MANAGER_PATH_SIZE];
	int32_t state;
	uint32_t failed_reason;
	uint32_t unlock_required;
	uint32_t power_state;
	uint32_t access_technologies;
	uint32_t registration;
	uint32_t signal;
	uint32_t signal_is_recent;
};

struct bearer_values {
	char interface[MODEM_MANAGER_INTERFACE_SIZE];
	uint32_t is_connected;
	/* MMBearerIpMethod of IPv4 and IPv6. */
	uint32_t methods[2];
};

/* The values before any property is known. */
extern const struct modem_values system_bus_modem_unknown;

/* Resets the values of one D-Bus interface. */
void system_bus_modem_values_reset(struct modem_values *values,
				   const char *interface);

/*
 * Reads an array a{sv} of properties of an interface into the values.
 *
 * Returns 0, or a negative errno if the message has another form.
 */
int system_bus_modem_values_read(struct modem_values *values,
				 const struct sdbus *bus,
				 sd_bus_message *message,
				 const char *interface);
int system_bus_bearer_values_read(struct bearer_values *values,
				  const struct sdbus *bus,
				  sd_bus_message *message);

/* Whether the bearer needs pppd: its interface is then a serial port. */
bool system_bus_bearer_uses_ppp(const struct bearer_values *values);

#pragma GCC visibility pop

#endif
