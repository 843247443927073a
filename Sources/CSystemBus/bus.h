/* SPDX-License-Identifier: MIT */
/* What the files of the bus client share. */
#ifndef BUS_H
#define BUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "system_bus.h"

#pragma GCC visibility push(hidden)

/* ---- sdbus.c ---- */

/*
 * The functions of sd-bus in use (libsystemd 237 or later). They are loaded at
 * run time, so you can build without libsystemd and its headers.
 */

typedef struct sd_bus sd_bus;
typedef struct sd_bus_message sd_bus_message;
typedef struct sd_bus_slot sd_bus_slot;

/* The third argument, an sd_bus_error, is not used. */
typedef int (*sdbus_handler)(sd_bus_message *message, void *context,
			     void *error);

struct sdbus {
	void *library;
	int (*new)(sd_bus **ret);
	int (*set_address)(sd_bus *bus, const char *address);
	int (*set_bus_client)(sd_bus *bus, int yes);
	/* Without its socket, start() waits for it with inotify. */
	int (*set_watch_bind)(sd_bus *bus, int yes);
	int (*start)(sd_bus *bus);
	void (*close)(sd_bus *bus);
	sd_bus *(*unref)(sd_bus *bus);
	/* Whether the bus has answered Hello; 0 before. */
	int (*is_ready)(sd_bus *bus);
	int (*get_fd)(sd_bus *bus);
	int (*get_events)(sd_bus *bus);
	/* Microseconds of CLOCK_MONOTONIC; UINT64_MAX for none. */
	int (*get_timeout)(sd_bus *bus, uint64_t *ret);
	int (*process)(sd_bus *bus, sd_bus_message **ret);
	int (*add_match_async)(sd_bus *bus, sd_bus_slot **ret,
			       const char *match, sdbus_handler handler,
			       sdbus_handler installed, void *context);
	int (*call_async)(sd_bus *bus, sd_bus_slot **ret,
			  sd_bus_message *message, sdbus_handler handler,
			  void *context, uint64_t microseconds);
	sd_bus_slot *(*slot_unref)(sd_bus_slot *slot);
	int (*new_method_call)(sd_bus *bus, sd_bus_message **ret,
			       const char *destination, const char *path,
			       const char *interface, const char *member);
	sd_bus_message *(*message_unref)(sd_bus_message *message);
	int (*set_auto_start)(sd_bus_message *message, int yes);
	int (*append_basic)(sd_bus_message *message, char type,
			    const void *value);
	int (*is_method_error)(sd_bus_message *message, const char *name);
	int (*get_errno)(sd_bus_message *message);
	const char *(*get_path)(sd_bus_message *message);
	const char *(*get_member)(sd_bus_message *message);
	const char *(*get_sender)(sd_bus_message *message);
	int (*enter_container)(sd_bus_message *message, char type,
			       const char *contents);
	int (*exit_container)(sd_bus_message *message);
	int (*peek_type)(sd_bus_message *message, char *type,
			 const char **contents);
	int (*read_basic)(sd_bus_message *message, char type, void *value);
	int (*skip)(sd_bus_message *message, const char *types);
};

/* Loads the library. Returns 0, -ENOENT without a usable libsystemd, -ENOEXEC
 * in a static executable, or another negative errno such as -EMFILE. */
int system_bus_sdbus_load(struct sdbus *bus);

/* ---- properties.c ---- */

/*
 * Arrays a{sv} of properties, read from messages into the fields of a struct.
 *
 * A property that is not in the table, or has another type there, is skipped,
 * and its field keeps its value.
 */

/* The largest struct of values. */
#define PROPERTY_VALUES_SIZE 1536

struct property {
	/* D-Bus interface. */
	const char *interface;
	const char *name;
	const char *signature;
	/* The field, and its bytes. */
	size_t offset;
	size_t size;
	/* Reads a value with the signature into the field. NULL for a basic
	 * type: "u", "i", and "b" (0 or 1) have a field of 4 bytes; "s" has a
	 * text, "" if it is too long. */
	int (*read)(const struct sdbus *bus, sd_bus_message *message,
		    void *field);
};

struct property_table {
	const struct property *all;
	size_t count;
	/* Bytes of the struct, which has no padding: compared with memcmp(). */
	size_t size;
};

#define PROPERTY(type, field)                                                  \
	offsetof(struct type, field), sizeof(((struct type *)0)->field)
#define PROPERTY_TABLE(type, ...)                                              \
	{                                                                      \
		(const struct property[]){ __VA_ARGS__ },                      \
		sizeof((const struct property[]){ __VA_ARGS__ }) /             \
			sizeof(struct property),                               \
		sizeof(struct type),                                           \
	}

/* Reads an array into the values, and sets is_changed if they change. Returns 0,
 * or a negative errno if the message has another form. */
int system_bus_properties_read(const struct sdbus *bus, sd_bus_message *message,
			       const char *interface,
			       const struct property_table *table, void *values,
			       bool *is_changed);

/* Copies the fields of one D-Bus interface. */
void system_bus_properties_copy(const struct property_table *table,
				const char *interface, void *to,
				const void *from);

/* Copies a text if it fits with its NUL, and fills the rest with zeros.
 * Otherwise returns false and copies nothing. */
bool system_bus_copy_whole(char *to, uint32_t size, const char *text);

/* ---- service.c ---- */

/*
 * A watched service: the owner of its name, its objects, and their changes as
 * its ObjectManager reports them.
 */

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

/* ---- modem_values.c ---- */

/* The properties of a modem and of a bearer, read from messages. */

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

/* ---- modems.c ---- */

/* The modems of a daemon, and the bearers of each. */

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

/* ---- network.c ---- */

/* The state of NetworkManager, and its devices. */

struct device_values {
	/* As exported, but its interface is IpInterface alone. */
	struct network_manager_device device;
	/* Interface; "" if it is unknown or too long. */
	char interface[NETWORK_MANAGER_INTERFACE_SIZE];
};

struct device {
	struct object object;
	struct device_values values;
};

struct network_values {
	/* As exported, but `checks` is ConnectivityCheckAvailable alone. */
	struct network_manager_state state;
	uint32_t are_checks_enabled;
};

struct network {
	struct service service;
	struct network_values values;
};

/* The service of a struct network. */
extern const struct service_type system_bus_network;

/* ---- system_bus.c ---- */

/* The state of a client. */

struct system_bus {
	struct connection connection;
	bool is_loaded;
	/* When the next attempt to connect is due (CLOCK_MONOTONIC,
	 * milliseconds); 0 for none. */
	int64_t deadline;
	/* Milliseconds to the next attempt if this one fails. */
	uint32_t delay;
	/* The socket is missing: the connection waits for it. */
	bool is_awaiting;
	/* Such connections since the last attempt. */
	uint32_t awaits;
	/* Why the connection is missing, for services that are added later. */
	enum system_bus_status status;
	int error;
	struct service modems;
	struct network network;
	struct service *services[SYSTEM_BUS_SERVICES];
	/* D-Bus address of the options, or NULL; owned. */
	char *address;
};

#pragma GCC visibility pop

#endif
