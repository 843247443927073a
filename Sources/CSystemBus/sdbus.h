/* SPDX-License-Identifier: MIT */
/*
 * The functions of sd-bus in use (libsystemd 237 or later). They are loaded at
 * run time, so you can build without libsystemd and its headers.
 */
#ifndef SDBUS_H
#define SDBUS_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

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

#pragma GCC visibility pop

#endif
