/* SPDX-License-Identifier: MIT */
#include "bus.h"

#include <errno.h>
#include <string.h>

bool system_bus_copy_whole(char *to, uint32_t size, const char *text)
{
	size_t length = strnlen(text, size);

	if (length == size)
		return false;
	memset(to, 0, size);
	memcpy(to, text, length);
	return true;
}

static int read_text(const struct sdbus *bus, sd_bus_message *message,
		     char *field, size_t size)
{
	const char *text;
	int result = bus->read_basic(message, 's', &text);

	if (result > 0 && !system_bus_copy_whole(field, (uint32_t)size, text))
		memset(field, 0, size);
	return result;
}

static int read_basic(const struct sdbus *bus, sd_bus_message *message,
		      const struct property *property, void *field)
{
	char type = property->signature[0];
	int result;

	if (type == 's')
		return read_text(bus, message, field, property->size);
	result = bus->read_basic(message, type, field);
	/* sd-bus stores a boolean in an int. */
	if (result > 0 && type == 'b')
		*(uint32_t *)field = *(uint32_t *)field != 0;
	return result;
}

static const struct property *find(const struct property_table *table,
				   const char *interface, const char *name)
{
	for (size_t i = 0; i < table->count; i++)
		if (strcmp(table->all[i].name, name) == 0 &&
		    strcmp(table->all[i].interface, interface) == 0)
			return &table->all[i];
	return NULL;
}

/* Reads a variant, or skips it if the property has another type. */
static int read_value(const struct sdbus *bus, sd_bus_message *message,
		      const struct property *property, char *values)
{
	const char *contents;
	char type;
	int result = bus->peek_type(message, &type, &contents);

	if (result < 0)
		return result;
	if (result == 0 || type != 'v')
		return -EBADMSG;
	if (!property || strcmp(contents, property->signature) != 0)
		return bus->skip(message, "v");
	result = bus->enter_container(message, 'v', contents);
	if (result < 0)
		return result;
	values += property->offset;
	result = property->read ? property->read(bus, message, values)
				: read_basic(bus, message, property, values);
	return result < 0 ? result : bus->exit_container(message);
}

static int read_values(const struct sdbus *bus, sd_bus_message *message,
		       const char *interface,
		       const struct property_table *table, void *values)
{
	int result = bus->enter_container(message, 'a', "{sv}");

	if (result < 0)
		return result;
	while ((result = bus->enter_container(message, 'e', "sv")) > 0) {
		const char *name;

		result = bus->read_basic(message, 's', &name);
		if (result <= 0)
			return result < 0 ? result : -EBADMSG;
		result = read_value(bus, message, find(table, interface, name),
				    values);
		if (result < 0)
			return result;
		result = bus->exit_container(message);
		if (result < 0)
			return result;
	}
	return result < 0 ? result : bus->exit_container(message);
}

int system_bus_properties_read(const struct sdbus *bus, sd_bus_message *message,
			       const char *interface,
			       const struct property_table *table, void *values,
			       bool *is_changed)
{
	char old[PROPERTY_VALUES_SIZE];
	int result;

	memcpy(old, values, table->size);
	result = read_values(bus, message, interface, table, values);
	if (memcmp(old, values, table->size) != 0)
		*is_changed = true;
	return result;
}

void system_bus_properties_copy(const struct property_table *table,
				const char *interface, void *to,
				const void *from)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct property *p = &table->all[i];

		if (strcmp(p->interface, interface) == 0)
			memcpy((char *)to + p->offset,
			       (const char *)from + p->offset, p->size);
	}
}
