/* SPDX-License-Identifier: MIT */
#include "modem_values.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "properties.h"

/* MMModem3gppRegistrationState. */
#define REGISTRATION_UNKNOWN 4
/* MMModemPortType. */
#define PORT_TYPE_NET 2
/* MMBearerIpMethod. */
#define IP_METHOD_PPP 1

const struct modem_values system_bus_modem_unknown = {
	.registration = REGISTRATION_UNKNOWN,
	.signal = MODEM_MANAGER_NO_SIGNAL,
};

/* Reads the operator's name, which sd-bus has checked to be UTF-8. */
static int read_operator(const struct sdbus *bus, sd_bus_message *message,
			 void *field)
{
	const char *text;
	size_t length;
	int result = bus->read_basic(message, 's', &text);

	if (result <= 0)
		return result;
	length = strnlen(text, MODEM_MANAGER_OPERATOR_SIZE);
	if (length == MODEM_MANAGER_OPERATOR_SIZE) {
		length--;
		while (length > 0 &&
		       ((unsigned char)text[length] & 0xc0) == 0x80)
			length--;
	}
	memset(field, 0, MODEM_MANAGER_OPERATOR_SIZE);
	memcpy(field, text, length);
	return result;
}

/* Reads the operator's code; "" if it is too long for one. */
static int read_code(const struct sdbus *bus, sd_bus_message *message,
		     void *field)
{
	const char *text;
	int result = bus->read_basic(message, 's', &text);

	if (result > 0 &&
	    !system_bus_copy_whole(field, MODEM_MANAGER_CODE_SIZE, text))
		memset(field, 0, MODEM_MANAGER_CODE_SIZE);
	return result;
}

static int read_signal(const struct sdbus *bus, sd_bus_message *message,
		       void *field)
{
	struct modem_values *values = field;
	uint32_t percent;
	int is_recent;
	int result = bus->enter_container(message, 'r', "ub");

	if (result <= 0)
		return result;
	result = bus->read_basic(message, 'u', &percent);
	if (result > 0)
		result = bus->read_basic(message, 'b', &is_recent);
	if (result <= 0)
		return result;
	values->signal = percent > 100 ? 100 : percent;
	values->signal_is_recent = is_recent != 0;
	return bus->exit_container(message);
}

static int read_ports(const struct sdbus *bus, sd_bus_message *message,
		      void *field)
{
	char (*ports)[MODEM_MANAGER_INTERFACE_SIZE] = field;
	uint32_t count = 0;
	int result = bus->enter_container(message, 'a', "(su)");

	if (result < 0)
		return result;
	memset(ports, 0, sizeof(((struct modem_values *)0)->ports));
	while ((result = bus->enter_container(message, 'r', "su")) > 0) {
		const char *name;
		uint32_t type;

		result = bus->read_basic(message, 's', &name);
		if (result > 0)
			result = bus->read_basic(message, 'u', &type);
		if (result <= 0)
			return result;
		if (type == PORT_TYPE_NET && name[0] &&
		    count < MODEM_MANAGER_INTERFACES &&
		    system_bus_copy_whole(ports[count],
					  MODEM_MANAGER_INTERFACE_SIZE, name))
			count++;
		result = bus->exit_container(message);
		if (result < 0)
			return result;
	}
	return result < 0 ? result : bus->exit_container(message);
}

static int read_bearers(const struct sdbus *bus, sd_bus_message *message,
			void *field)
{
	char (*bearers)[MODEM_MANAGER_PATH_SIZE] = field;
	uint32_t count = 0;
	const char *path;
	int result = bus->enter_container(message, 'a', "o");

	if (result < 0)
		return result;
	memset(bearers, 0, sizeof(((struct modem_values *)0)->bearers));
	while ((result = bus->read_basic(message, 'o', &path)) > 0)
		if (count < MODEM_MANAGER_BEARERS &&
		    system_bus_copy_whole(bearers[count],
					  MODEM_MANAGER_PATH_SIZE, path))
			count++;
	return result < 0 ? result : bus->exit_container(message);
}

#define VALUE(field) offsetof(struct modem_values, field)

static const struct property MODEM_PROPERTIES[] = {
	{ MODEM_INTERFACE, "State", "i", VALUE(state),
	  system_bus_property_read_signed },
	{ MODEM_INTERFACE, "StateFailedReason", "u", VALUE(failed_reason),
	  system_bus_property_read_number },
	{ MODEM_INTERFACE, "UnlockRequired", "u", VALUE(unlock_required),
	  system_bus_property_read_number },
	{ MODEM_INTERFACE, "PowerState", "u", VALUE(power_state),
	  system_bus_property_read_number },
	{ MODEM_INTERFACE, "AccessTechnologies", "u",
	  VALUE(access_technologies), system_bus_property_read_number },
	{ MODEM_INTERFACE, "SignalQuality", "(ub)", 0, read_signal },
	{ MODEM_INTERFACE, "Ports", "a(su)", VALUE(ports), read_ports },
	{ MODEM_INTERFACE, "Bearers", "ao", VALUE(bearers), read_bearers },
	{ MODEM_3GPP_INTERFACE, "OperatorName", "s", VALUE(operator_name),
	  read_operator },
	{ MODEM_3GPP_INTERFACE, "OperatorCode", "s", VALUE(operator_code),
	  read_code },
	{ MODEM_3GPP_INTERFACE, "RegistrationState", "u", VALUE(registration),
	  system_bus_property_read_number },
};

static const struct property METHOD = { "", "method", "u", 0,
					system_bus_property_read_number };

/* Reads the method of an IP configuration a{sv}. */
static int read_method(const struct sdbus *bus, sd_bus_message *message,
		       void *field)
{
	*(uint32_t *)field = 0;
	return system_bus_properties_read(bus, message, "", &METHOD, 1, field);
}

static const struct property BEARER_PROPERTIES[] = {
	{ BEARER_INTERFACE, "Interface", "s",
	  offsetof(struct bearer_values, interface),
	  system_bus_property_read_interface },
	{ BEARER_INTERFACE, "Connected", "b",
	  offsetof(struct bearer_values, is_connected),
	  system_bus_property_read_boolean },
	{ BEARER_INTERFACE, "Ip4Config", "a{sv}",
	  offsetof(struct bearer_values, methods[0]), read_method },
	{ BEARER_INTERFACE, "Ip6Config", "a{sv}",
	  offsetof(struct bearer_values, methods[1]), read_method },
};

int system_bus_modem_values_read(struct modem_values *values,
				 const struct sdbus *bus,
				 sd_bus_message *message, const char *interface)
{
	return system_bus_properties_read(
		bus, message, interface, MODEM_PROPERTIES,
		sizeof(MODEM_PROPERTIES) / sizeof(MODEM_PROPERTIES[0]), values);
}

int system_bus_bearer_values_read(struct bearer_values *values,
				  const struct sdbus *bus,
				  sd_bus_message *message)
{
	return system_bus_properties_read(
		bus, message, BEARER_INTERFACE, BEARER_PROPERTIES,
		sizeof(BEARER_PROPERTIES) / sizeof(BEARER_PROPERTIES[0]),
		values);
}

void system_bus_modem_values_reset(struct modem_values *values,
				   const char *interface)
{
	struct modem_values unknown = system_bus_modem_unknown;
	bool is_3gpp = strcmp(interface, MODEM_3GPP_INTERFACE) == 0;

	if (!is_3gpp && strcmp(interface, MODEM_INTERFACE) != 0)
		return;
	/* Values of the other D-Bus interface are kept. */
	if (is_3gpp) {
		memset(values->operator_name, 0, sizeof(values->operator_name));
		memset(values->operator_code, 0, sizeof(values->operator_code));
		values->registration = unknown.registration;
		return;
	}
	memcpy(unknown.operator_name, values->operator_name,
	       sizeof(unknown.operator_name));
	memcpy(unknown.operator_code, values->operator_code,
	       sizeof(unknown.operator_code));
	unknown.registration = values->registration;
	*values = unknown;
}

bool system_bus_bearer_uses_ppp(const struct bearer_values *values)
{
	return values->methods[0] == IP_METHOD_PPP ||
	       values->methods[1] == IP_METHOD_PPP;
}
