/* SPDX-License-Identifier: MIT */
/*
 * A watched service: the owner of its name, its objects, and their changes as
 * its ObjectManager reports them.
 */
#ifndef SERVICE_H
#define SERVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sdbus.h"
#include "system_bus.h"

#pragma GCC visibility push(hidden)

#define SERVICE_OBJECT_MANAGER "org.freedesktop.DBus.ObjectManager"
#define SERVICE_PROPERTIES     "org.freedesktop.DBus.Properties"

/* Match rules for the signals of a service. */
#define SERVICE_MATCH_OWNER(name)                                              \
	"type='signal',sender='org.freedesktop.DBus',"                         \
	"interface='org.freedesktop.DBus',"                                    \
	"member='NameOwnerChanged',arg0='" name "'"
#define SERVICE_MATCH(name, interface)                                         \
	"type='signal',sender='" name "',interface='" interface "'"

/* The longest name of D-Bus, and its NUL. */
#define SERVICE_OWNER_SIZE 256
/* The longest path of an object that is kept, and its NUL. */
#define SERVICE_PATH_SIZE 128
/* Match rules per service, including the one for its name. */
#define SERVICE_MATCHES 4

struct connection {
	struct sdbus api;
	/* NULL between two attempts. */
	sd_bus *bus;
	/* Milliseconds, as in struct system_bus_options. */
	uint32_t retry;
	uint32_t answer;
	/* Messages sent since the queue to the bus was last empty. */
	uint32_t unwritten;
	/* Positive errno: the connection must be closed. */
	int error;
};

struct service;

/* The first member of an object's struct. */
struct object {
	/* Seen in the list of all objects that is being read. */
	bool is_listed;
	char path[SERVICE_PATH_SIZE];
};

struct service_type {
	const char *name;
	/* Object path of the ObjectManager. */
	const char *root;
	/* Match rules, or NULL: first NameOwnerChanged, then the signals of the
	 * ObjectManager. The rest are PropertiesChanged. */
	const char *matches[SERVICE_MATCHES];
	/* The size of an object's struct, and the most objects to keep. */
	size_t object_size;
	uint32_t most;
	/* Cancels the calls for an object, or NULL. */
	void (*release)(struct service *service, struct object *object);
	/* Forgets values that belong to no object, or NULL. */
	void (*clear)(struct service *service);
	/*
	 * Reads or skips an array a{sv} of properties of an object, and marks
	 * the object as listed. With is_all the array has all properties, and
	 * the object is added if it is new. Otherwise it has those that have
	 * changed.
	 *
	 * Returns 0, or a negative errno if the message has another form.
	 */
	int (*read)(struct service *service, sd_bus_message *message,
		    const char *path, const char *interface, bool is_all);
	/* Removes an interface of an object; true if the object is gone. */
	bool (*remove)(struct service *service, const char *path,
		       const char *interface);
};

struct service {
	const struct service_type *type;
	struct connection *connection;
	bool is_watched;
	enum system_bus_status status;
	int error;
	/* The next system_bus_dispatch() reports the service. */
	bool is_changed;
	/* Owned, and so is each. An array, since readers count positions. */
	struct object **objects;
	uint32_t count;
	/* An object was left out for lack of room. */
	bool is_truncated;
	/* When the wait for an answer ends (is_asked), or the next call is due;
	 * 0 for none. CLOCK_MONOTONIC, milliseconds. */
	int64_t deadline;
	bool is_asked;
	/* Milliseconds to the next call if this one fails. */
	uint32_t delay;
	/* Positive errno if the bus refused a match rule, or 0. */
	int match_error;
	/* The unique name that answered last, or "". Signals from other senders
	 * are ignored. */
	char owner[SERVICE_OWNER_SIZE];
	/* The call for all objects, or NULL. */
	sd_bus_slot *call;
	/* NULL unless subscribed. */
	sd_bus_slot *matches[SERVICE_MATCHES];
};

int64_t system_bus_service_now(void);

void system_bus_service_set_status(struct service *service,
				   enum system_bus_status status, int error);

/* The object with a path, or NULL. */
struct object *system_bus_service_find(const struct service *service,
				       const char *path);

/* Adds an object, which is zero but for its path. NULL without room, or if the
 * path is too long. */
struct object *system_bus_service_add(struct service *service,
				      const char *path);

/* Releases an object. */
void system_bus_service_drop(struct service *service, struct object *object);

/* Frees the objects without releasing what they own, as in a child of
 * fork(). */
void system_bus_service_free(struct service *service);

/* Subscribes to signals and asks for all objects, without waiting. A failure
 * sets the error of the connection. */
void system_bus_service_start(struct service *service);

/* Forgets the objects, the call, and the match rules. */
void system_bus_service_stop(struct service *service);

/* Handles a refused match rule, and the deadline. */
void system_bus_service_work(struct service *service);

#pragma GCC visibility pop

#endif
