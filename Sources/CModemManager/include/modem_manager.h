/* SPDX-License-Identifier: MIT */
/*
 * A client of ModemManager on D-Bus: the modems of the machine and their
 * radio state.
 *
 * Driven by a descriptor and a timeout, like a reach_monitor: it has no
 * threads, never blocks and prints nothing. It connects in the background, and
 * again with a growing delay when libsystemd, the bus or an answer is missing.
 *
 *	for (;;) {
 *		struct pollfd p = { .fd = modem_manager_fd(m),
 *				    .events = modem_manager_events(m) };
 *		poll(&p, 1, modem_manager_timeout(m));
 *		if (modem_manager_dispatch(m) == 1)
 *			... modem_manager_status(), modem_manager_modem() ...
 *	}
 *
 * One thread at a time. In a child of fork() modem_manager_dispatch(), _fd()
 * and _timeout() return -ECHILD: the connection is the parent's.
 */
#ifndef MODEM_MANAGER_H
#define MODEM_MANAGER_H

#include <stdint.h>

/* More modems, interfaces of a modem or bearers of a modem are left out. */
#define MODEM_MANAGER_MODEMS	 16
#define MODEM_MANAGER_INTERFACES 8
#define MODEM_MANAGER_BEARERS	 8

#define MODEM_MANAGER_PATH_SIZE	     128
#define MODEM_MANAGER_OPERATOR_SIZE  64
#define MODEM_MANAGER_INTERFACE_SIZE 16 /* IFNAMSIZ */

/* SignalQuality is not known. */
#define MODEM_MANAGER_NO_SIGNAL UINT32_MAX

enum modem_manager_status {
	/* No answer yet. */
	MODEM_MANAGER_CONNECTING,
	/* libsystemd.so.0 cannot be loaded: ENOENT, or ENOEXEC in a static
	 * executable. */
	MODEM_MANAGER_NO_LIBRARY,
	/* The bus cannot be reached, or the connection ended. */
	MODEM_MANAGER_NO_BUS,
	/* The bus works, and nobody owns the name of ModemManager. */
	MODEM_MANAGER_NO_DAEMON,
	/* ModemManager refused to answer, or did not in time (ETIMEDOUT). */
	MODEM_MANAGER_REFUSED,
	/* The modems are known. */
	MODEM_MANAGER_READY,
};

struct modem_manager;

struct modem_manager_options {
	/* D-Bus address; NULL for DBUS_SYSTEM_BUS_ADDRESS, or the system's. */
	const char *address;
	/* Milliseconds before the first new attempt, doubled with each up to
	 * 64 times that; 0 for 500. */
	uint32_t retry;
	/* Milliseconds to wait for an answer; 0 for 10,000. */
	uint32_t answer;
};

/* Numbers are those of ModemManager-enums.h, unchanged. */
struct modem_manager_modem {
	/* D-Bus object path, unique among the modems of a daemon. */
	char path[MODEM_MANAGER_PATH_SIZE];
	/* Modem3gpp.OperatorName, cut between two characters; "" if unknown. */
	char operator_name[MODEM_MANAGER_OPERATOR_SIZE];
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
	/* MMModemAccessTechnology, a bit mask. */
	uint32_t access_technologies;
	/* MMModem3gppRegistrationState; 4 (unknown) if it is not told. */
	uint32_t registration;
	/* Percent, or MODEM_MANAGER_NO_SIGNAL. */
	uint32_t signal;
	uint32_t signal_is_recent;
};

/*
 * Starts a client. Returns 0, or -ENOMEM; what else is missing is a status.
 * options may be NULL.
 */
int modem_manager_open(struct modem_manager **ret,
		       const struct modem_manager_options *options);

/* Releases a client; NULL is allowed. */
void modem_manager_close(struct modem_manager *m);

/* The descriptor for poll(), which changes with every dispatch; -1 for none. */
int modem_manager_fd(const struct modem_manager *m);

/* The events for poll(). */
short modem_manager_events(const struct modem_manager *m);

/* Milliseconds until modem_manager_dispatch() is due, as for poll(); -1: none.
 */
int modem_manager_timeout(const struct modem_manager *m);

/*
 * Reads what has arrived, a bounded amount, and connects if it is time.
 *
 * Returns 1 if status, error or a modem has changed, 0 if not, or -ECHILD.
 */
int modem_manager_dispatch(struct modem_manager *m);

enum modem_manager_status modem_manager_status(const struct modem_manager *m);

/* A positive errno for NO_LIBRARY, NO_BUS and REFUSED, else 0. */
int modem_manager_error(const struct modem_manager *m);

/*
 * The modem at a position, in no order.
 *
 * Returns 1, or 0 if there are no more.
 */
int modem_manager_modem(const struct modem_manager *m, uint32_t position,
			struct modem_manager_modem *ret);

#endif
