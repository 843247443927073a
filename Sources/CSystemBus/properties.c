/* SPDX-License-Identifier: MIT */
#include "properties.h"

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

int system_bus_property_read_number(const struct sdbus *bus,
				    sd_bus_message *message, void *field)
{
	return bus->read_basic(message, 'u', field);
}

int system_bus_property_read_signed(const struct sdbus *bus,
				    sd_bus_message *message, void *field)
{
	return bus->read_basic(message, 'i', field);
}

/* sd-bus stores a boolean in an int. */
int system_bus_property_read_boolean(const struct sdbus *bus,
				     sd_bus_message *message, void *field)
{
	int value;
	int result = bus->read_basic(message, 'b', &value);

	if (result > 0)
		*(uint32_t *)field = value != 0;
	return result;
}

int system_bus_property_read_interface(const struct sdbus *bus,
				       sd_bus_message *message, void *field)
{
	const char *text;
	int result = bus->read_basic(message, 's', &text);

	if (result > 0 &&
	    !system_bus_copy_whole(field, PROPERTY_INTERFACE_SIZE, text))
		memset(field, 0, PROPERTY_INTERFACE_SIZE);
	return result;
}

static const struct property *find(const struct property *properties,
				   size_t count, const char *interface,
				   const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(properties[i].name, name) == 0 &&
		    strcmp(properties[i].interface, interface) == 0)
			return &properties[i];
	return NULL;
}

/* Reads a variant, or skips it if the property has another type. */
static int read_value(const struct sdbus *bus, sd_bus_message *message,
		      const struct property *property, void *values)
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
	result =
		property->read(bus, message, (char *)values + property->offset);
	return result < 0 ? result : bus->exit_container(message);
}

int system_bus_properties_read(const struct sdbus *bus, sd_bus_message *message,
			       const char *interface,
			       const struct property *properties, size_t count,
			       void *values)
{
	int result = bus->enter_container(message, 'a', "{sv}");

	if (result < 0)
		return result;
	while ((result = bus->enter_container(message, 'e', "sv")) > 0) {
		const char *name;

		result = bus->read_basic(message, 's', &name);
		if (result <= 0)
			return result < 0 ? result : -EBADMSG;
		result = read_value(bus, message,
				    find(properties, count, interface, name),
				    values);
		if (result < 0)
			return result;
		result = bus->exit_container(message);
		if (result < 0)
			return result;
	}
	return result < 0 ? result : bus->exit_container(message);
}
