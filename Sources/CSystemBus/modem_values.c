/* SPDX-License-Identifier: MIT */
#include "bus.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

/* MMModem3gppRegistrationState. */
#define REGISTRATION_UNKNOWN 4
/* MMModemPortType. */
#define PORT_TYPE_NET 2
/* MMBearerIpMethod. */
#define IP_METHOD_PPP 1

const struct modem_values system_bus_modem_unknown = {
	.modem = {
		.registration = REGISTRATION_UNKNOWN,
		.signal = MODEM_MANAGER_NO_SIGNAL,
	},
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

/* Reads two fields: the percent, and whether they are recent. */
static int read_signal(const struct sdbus *bus, sd_bus_message *message,
		       void *field)
{
	uint32_t *values = field;
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
	values[0] = percent > 100 ? 100 : percent;
	values[1] = is_recent != 0;
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

#define MODEM(name, type, field, read)                                         \
	{ MODEM_INTERFACE, name, type, PROPERTY(modem_values, field), read }
#define MODEM_3GPP(name, type, field, read)                                    \
	{ MODEM_3GPP_INTERFACE, name, type, PROPERTY(modem_values, field),     \
	  read }

const struct property_table system_bus_modem_table = PROPERTY_TABLE(
	modem_values, MODEM("State", "i", modem.state, NULL),
	MODEM("StateFailedReason", "u", modem.failed_reason, NULL),
	MODEM("UnlockRequired", "u", modem.unlock_required, NULL),
	MODEM("PowerState", "u", modem.power_state, NULL),
	MODEM("AccessTechnologies", "u", modem.access_technologies, NULL),
	{ MODEM_INTERFACE, "SignalQuality", "(ub)",
	  offsetof(struct modem_values, modem.signal), 2 * sizeof(uint32_t),
	  read_signal },
	MODEM("Ports", "a(su)", ports, read_ports),
	MODEM("Bearers", "ao", bearers, read_bearers),
	MODEM_3GPP("OperatorName", "s", modem.operator_name, read_operator),
	MODEM_3GPP("OperatorCode", "s", modem.operator_code, NULL),
	MODEM_3GPP("RegistrationState", "u", modem.registration, NULL));

struct ip_method {
	uint32_t method;
};

static const struct property_table METHOD_TABLE = PROPERTY_TABLE(
	ip_method, { "", "method", "u", PROPERTY(ip_method, method), NULL });

/* Reads the method of an IP configuration a{sv}. */
static int read_method(const struct sdbus *bus, sd_bus_message *message,
		       void *field)
{
	bool is_changed;

	*(uint32_t *)field = 0;
	return system_bus_properties_read(bus, message, "", &METHOD_TABLE,
					  field, &is_changed);
}

#define BEARER(name, type, field, read)                                        \
	{ BEARER_INTERFACE, name, type, PROPERTY(bearer_values, field), read }

const struct property_table system_bus_bearer_table =
	PROPERTY_TABLE(bearer_values, BEARER("Interface", "s", interface, NULL),
		       BEARER("Connected", "b", is_connected, NULL),
		       BEARER("Ip4Config", "a{sv}", methods[0], read_method),
		       BEARER("Ip6Config", "a{sv}", methods[1], read_method));

_Static_assert(sizeof(struct modem_values) <= PROPERTY_VALUES_SIZE,
	       "the largest struct of values");

bool system_bus_bearer_uses_ppp(const struct bearer_values *values)
{
	return values->methods[0] == IP_METHOD_PPP ||
	       values->methods[1] == IP_METHOD_PPP;
}
