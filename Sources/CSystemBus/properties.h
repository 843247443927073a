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

#pragma GCC visibility pop

#endif
