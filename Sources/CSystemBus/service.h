/* SPDX-License-Identifier: MIT */
/*
 * A watched service: who owns its name, the list of its objects, and their
 * changes as its ObjectManager tells them.
 */
#ifndef SERVICE_H
#define SERVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "sdbus.h"
#include "system_bus.h"

#pragma GCC visibility push(hidden)

#define SERVICE_OBJECT_MANAGER "org.freedesktop.DBus.ObjectManager"
#define SERVICE_PROPERTIES     "org.freedesktop.DBus.Properties"

/* Match rules of the signals of a service. */
#define SERVICE_MATCH_OWNER(name)                                              \
	"type='signal',sender='org.freedesktop.DBus',"                         \
	"interface='org.freedesktop.DBus',"                                    \
	"member='NameOwnerChanged',arg0='" name "'"
#define SERVICE_MATCH(name, interface)                                         \
	"type='signal',sender='" name "',interface='" interface "'"

/* The longest name of D-Bus, and its NUL. */
#define SERVICE_OWNER_SIZE 256
/* Matches of a service, that of its name included. */
#define SERVICE_MATCHES 4

struct connection {
	struct sdbus api;
	/* NULL between two attempts. */
	sd_bus *bus;
	/* Milliseconds, as in struct system_bus_options. */
	uint32_t retry;
	uint32_t answer;
	/* Messages since the bus had taken all that was written. */
	uint32_t unwritten;
	/* Positive errno: the connection is to be ended. */
	int error;
};

struct service;

struct service_type {
	const char *name;
	/* Object path of the ObjectManager. */
	const char *root;
	/* Matches of signals in use: of NameOwnerChanged, of the ObjectManager,
	 * and PropertiesChanged in the rest. */
	const char *matches[SERVICE_MATCHES];
	/* Forgets all objects, and withdraws calls for them. */
	void (*clear)(struct service *service);
	/* A list of all objects begins. */
	void (*begin)(struct service *service);
	/* It ends: objects that were not in it are gone. */
	void (*end)(struct service *service);
	/*
	 * Reads or skips an array a{sv} of properties of an object: of all, by
	 * which it is added, or of those that have changed.
	 *
	 * Returns 0, or a negative errno if the message is something else.
	 */
	int (*read)(struct service *service, sd_bus_message *message,
		    const char *path, const char *interface, bool is_all);
	/* An interface of an object is gone; true if the object is. */
	bool (*remove)(struct service *service, const char *path,
		       const char *interface);
};

struct service {
	const struct service_type *type;
	struct connection *connection;
	bool is_watched;
	enum system_bus_status status;
	int error;
	/* Something that is public has changed. */
	bool is_changed;
	/* An object was left out for lack of room. */
	bool is_truncated;
	/* CLOCK_MONOTONIC in milliseconds: the end of waiting for an answer,
	 * or the next call; 0 for none. */
	int64_t deadline;
	bool is_asked;
	/* Milliseconds to the next call, once this one fails. */
	uint32_t delay;
	/* The bus refused a match: positive errno. */
	int match_error;
	/* The unique name that answered last, or "": the only sender whose
	 * signals count. */
	char owner[SERVICE_OWNER_SIZE];
	/* The call for all objects, or NULL. */
	sd_bus_slot *call;
	/* NULL without matches. */
	sd_bus_slot *matches[SERVICE_MATCHES];
};

int64_t system_bus_service_now(void);

void system_bus_service_set_status(struct service *service,
				   enum system_bus_status status, int error);

/* Subscribes to signals and asks for all objects; nothing is waited for. A
 * failure is one of the connection. */
void system_bus_service_start(struct service *service);

/* Forgets the objects, and what there is on the connection. */
void system_bus_service_stop(struct service *service);

/* Handles a match that was refused, and the deadline. */
void system_bus_service_work(struct service *service);

#pragma GCC visibility pop

#endif
