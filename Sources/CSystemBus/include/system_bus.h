/* SPDX-License-Identifier: MIT */
/*
 * A client of services on the D-Bus system bus, with one connection for all
 * watched services.
 *
 * Driven by a descriptor and a timeout, like a reach_monitor: it has no
 * threads, never blocks, and prints nothing. It connects in the background.
 * When libsystemd, the bus, or an answer is missing, it retries with a growing
 * delay. It never starts a service.
 *
 *	system_bus_watch(bus, 1U << SYSTEM_BUS_MODEM_MANAGER);
 *	for (;;) {
 *		struct pollfd p = { .fd = system_bus_fd(bus),
 *				    .events = system_bus_events(bus) };
 *		poll(&p, 1, system_bus_timeout(bus));
 *		if (system_bus_dispatch(bus) > 0)
 *			... system_bus_status(), system_bus_modem() ...
 *	}
 *
 * Only one thread at a time may use a client. A child of fork() may not use its
 * parent's; sd-bus refuses to touch the connection there (ECHILD).
 */
#ifndef SYSTEM_BUS_H
#define SYSTEM_BUS_H

#include <stdint.h>

/* Bit positions: a set of services is a mask of 1U << service. */
enum system_bus_service {
	SYSTEM_BUS_MODEM_MANAGER,
	SYSTEM_BUS_NETWORK_MANAGER,
	SYSTEM_BUS_SERVICES,
};

enum system_bus_status {
	/* No answer yet, or not watched. */
	SYSTEM_BUS_CONNECTING,
	/* libsystemd.so.0 cannot be loaded: ENOENT, or ENOEXEC in a static
	 * executable. */
	SYSTEM_BUS_NO_LIBRARY,
	/* The bus cannot be reached, or the connection ended. */
	SYSTEM_BUS_NO_BUS,
	/* The bus works, but the service does not run: no owner of its name. */
	SYSTEM_BUS_NO_DAEMON,
	/* The service refused to answer, or did not in time (ETIMEDOUT). */
	SYSTEM_BUS_REFUSED,
	/* The objects of the service are known. */
	SYSTEM_BUS_READY,
};

struct system_bus;

struct system_bus_options {
	/* D-Bus address; NULL for DBUS_SYSTEM_BUS_ADDRESS, or the system's. */
	const char *address;
	/* Milliseconds before the first retry; 0 for 500. Each retry doubles
	 * the delay, up to 64 times this value. */
	uint32_t retry;
	/* Milliseconds to wait for an answer; 0 for 10,000. */
	uint32_t answer;
};

/*
 * Creates a client that watches nothing and has no connection. Returns 0, or
 * -ENOMEM.
 */
int system_bus_open(struct system_bus **ret,
		    const struct system_bus_options *options);

/* Releases a client. */
void system_bus_close(struct system_bus *bus);

/*
 * Replaces the set of watched services. Forgets the objects of services that
 * are no longer in the set. An empty set closes the connection. For failures,
 * see system_bus_status().
 */
void system_bus_watch(struct system_bus *bus, unsigned int services);

/* The descriptor for poll(), or -1 for none. Every system_bus_watch() and
 * system_bus_dispatch() may change it. */
int system_bus_fd(const struct system_bus *bus);

/* The events for poll(). */
short system_bus_events(const struct system_bus *bus);

/* Milliseconds until system_bus_dispatch() is due, as for poll(); -1 for
 * none. */
int system_bus_timeout(const struct system_bus *bus);

/*
 * Reads a bounded number of messages, and connects if an attempt is due.
 *
 * Returns the mask of watched services whose status, error, or objects have
 * changed, or that were added since the last call.
 */
int system_bus_dispatch(struct system_bus *bus);

enum system_bus_status system_bus_status(const struct system_bus *bus,
					 enum system_bus_service service);

/* A positive errno for NO_LIBRARY, NO_BUS and REFUSED, else 0. */
int system_bus_error(const struct system_bus *bus,
		     enum system_bus_service service);

/* ---- ModemManager ---- */

/*
 * The modems of ModemManager, and their radio state.
 */

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

/* ---- NetworkManager ---- */

/*
 * NetworkManager's reports of the machine's network and of each device.
 *
 * Numbers are those of nm-dbus-interface.h, unchanged.
 */

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
