/* SPDX-License-Identifier: MIT */
/* The parts that the fake services share. */
#ifndef FAKE_H
#define FAKE_H

#include <stddef.h>

#include "sdbus_service.h"

#define MANAGER	 "org.freedesktop.DBus.ObjectManager"
#define PROPERTY "org.freedesktop.DBus.Properties"

struct command {
	const char *name;
	/* Gets the number after the name, or 0, and the rest of the line. */
	void (*run)(int number, char *rest);
};

/* A member of a struct that a command sets: a number, or a text of @size bytes. */
struct setting {
	const char *key;
	size_t offset;
	size_t size;
};

#define NUMBER(type, member) { #member, offsetof(struct type, member), 0 }
#define TEXT(type, member)                                                     \
	{ #member, offsetof(struct type, member),                              \
	  sizeof(((struct type *)0)->member) }

struct fake {
	/* The name on the bus. */
	const char *name;
	/* Ends with a name of NULL. */
	const struct command *commands;
	/* Answers GetManagedObjects and GetAll. */
	void (*answer)(sd_bus_message *call, const char *member,
		       const char *path);
	/* A signal for the command "forge", or NULL. Modems alone have one. */
	sd_bus_message *(*forged)(const char *what);
};

extern const struct fake fake_modem_manager;
extern const struct fake fake_network_manager;

extern struct sdbus_service api;
extern sd_bus *bus;

/* Ends the program if a result is an error. */
void check(int result, const char *what);

/* Takes "KEY=VALUE"... off a line into the members of @object. */
void take_settings(char *line, const struct setting *settings, void *object);

void send_message(sd_bus_message *message);

sd_bus_message *signal_of(const char *path, const char *interface,
			  const char *member);

/* Appends the properties of @object, a{sv}. */
typedef void append_properties(sd_bus_message *message, const void *object);

/* Appends an interface and its properties, {sa{sv}}. */
void append_interface(sd_bus_message *message, const char *interface,
		      append_properties *append, const void *object);

/* Announces all properties of an interface. */
void send_properties(const char *path, const char *interface,
		     append_properties *append, const void *object);

#endif
