/* SPDX-License-Identifier: MIT */
/*
 * Arrays a{sv} of properties, read from messages into the fields of a struct.
 *
 * A property that is not in the table, or has another type there, is skipped,
 * and its field keeps its value.
 */
#ifndef PROPERTIES_H
#define PROPERTIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sdbus.h"

#pragma GCC visibility push(hidden)

#define PROPERTY_INTERFACE_SIZE 16 /* IFNAMSIZ */

struct property {
	/* D-Bus interface. */
	const char *interface;
	const char *name;
	const char *signature;
	size_t offset;
	/* Reads a value with the signature into the field at the offset. */
	int (*read)(const struct sdbus *bus, sd_bus_message *message,
		    void *field);
};

/* Returns 0, or a negative errno if the message has another form. */
int system_bus_properties_read(const struct sdbus *bus, sd_bus_message *message,
			       const char *interface,
			       const struct property *properties, size_t count,
			       void *values);

/* Readers of the fields uint32_t, int32_t, uint32_t (0 or 1), and the name of a
 * network interface ("" if it is too long). */
int system_bus_property_read_number(const struct sdbus *bus,
				    sd_bus_message *message, void *field);
int system_bus_property_read_signed(const struct sdbus *bus,
				    sd_bus_message *message, void *field);
int system_bus_property_read_boolean(const struct sdbus *bus,
				     sd_bus_message *message, void *field);
int system_bus_property_read_interface(const struct sdbus *bus,
				       sd_bus_message *message, void *field);

/* Copies a text if it fits with its NUL, and fills the rest with zeros.
 * Otherwise returns false and copies nothing. */
bool system_bus_copy_whole(char *to, uint32_t size, const char *text);

#pragma GCC visibility pop

#endif
