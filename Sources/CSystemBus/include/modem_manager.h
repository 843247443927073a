/* SPDX-License-Identifier: MIT */
/*
 * The modems of ModemManager, and their radio state.
 */
#ifndef MODEM_MANAGER_H
#define MODEM_MANAGER_H

#include <stdint.h>

#include "system_bus.h"

/* Further modems, interfaces, or bearers of a modem are ignored. */
#define MODEM_MANAGER_MODEMS	 16
#define MODEM_MANAGER_INTERFACES 8
#define MODEM_MANAGER_BEARERS	 8

#define MODEM_MANAGER_PATH_SIZE	     128
#define MODEM_MANAGER_OPERATOR_SIZE  64
#define MODEM_MANAGER_CODE_SIZE	     8
#define MODEM_MANAGER_INTERFACE_SIZE 16 /* IFNAMSIZ */

/* SignalQuality is not known. */
#define MODEM_MANAGER_NO_SIGNAL UINT32_MAX

/* Numbers are those of ModemManager-enums.h, unchanged. */
struct modem_manager_modem {
	/* D-Bus object path, unique among the modems of a daemon. */
	char path[MODEM_MANAGER_PATH_SIZE];
	/* Modem3gpp.OperatorName, cut between two characters; "" if unknown. */
	char operator_name[MODEM_MANAGER_OPERATOR_SIZE];
	/* Modem3gpp.OperatorCode: MCC and MNC; "" if unknown. */
	char operator_code[MODEM_MANAGER_CODE_SIZE];
	/* Network interfaces: ports of type net, then those of bearers. */
	char interfaces[MODEM_MANAGER_INTERFACES][MODEM_MANAGER_INTERFACE_SIZE];
	uint32_t interface_count;
	/* Interface of the first bearer that is connected, or "". */
	char data_interface[MODEM_MANAGER_INTERFACE_SIZE];
	/* MMModemState. */
	int32_t state;
	/* MMModemStateFailedReason. */
	uint32_t failed_reason;
	/* MMModemLock. */
	uint32_t unlock_required;
	/* MMModemPowerState. */
	uint32_t power_state;
	/* MMModemAccessTechnology, a bit mask. */
	uint32_t access_technologies;
	/* MMModem3gppRegistrationState; 4 (unknown) if not reported. */
	uint32_t registration;
	/* Percent, or MODEM_MANAGER_NO_SIGNAL. */
	uint32_t signal;
	uint32_t signal_is_recent;
};

/*
 * Reads the modem at a position; the order is unspecified.
 *
 * Returns 1, or 0 if there are no more.
 */
int system_bus_modem(const struct system_bus *bus, uint32_t position,
		     struct modem_manager_modem *ret);

#endif
