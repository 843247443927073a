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

#endif
