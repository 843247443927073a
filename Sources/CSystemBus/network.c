/* SPDX-License-Identifier: MIT */
#include "network.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "bus.h"
#include "properties.h"

#define SERVICE "org.freedesktop.NetworkManager"
#define ROOT	"/org/freedesktop"
#define MANAGER "/org/freedesktop/NetworkManager"
#define DEVICES "/org/freedesktop/NetworkManager/Devices"

#define MANAGER_INTERFACE SERVICE
#define DEVICE_INTERFACE  SERVICE ".Device"

#define FIRST_ROOM 16

static int read_uri(const struct sdbus *bus, sd_bus_message *message,
		    void *field)
{
	const char *text;
	int result = bus->read_basic(message, 's', &text);

	if (result > 0 &&
	    !system_bus_copy_whole(field, NETWORK_MANAGER_URI_SIZE, text))
		memset(field, 0, NETWORK_MANAGER_URI_SIZE);
	return result;
}

#define STATE(field)  offsetof(struct network_values, state.field)
#define DEVICE(field) offsetof(struct device_values, device.field)

static const struct property MANAGER_PROPERTIES[] = {
	{ MANAGER_INTERFACE, "Metered", "u", STATE(metered),
	  system_bus_property_read_number },
	{ MANAGER_INTERFACE, "Connectivity", "u", STATE(connectivity),
	  system_bus_property_read_number },
	{ MANAGER_INTERFACE, "ConnectivityCheckAvailable", "b", STATE(checks),
	  system_bus_property_read_boolean },
	{ MANAGER_INTERFACE, "ConnectivityCheckEnabled", "b",
	  offsetof(struct network_values, are_checks_enabled),
	  system_bus_property_read_boolean },
	{ MANAGER_INTERFACE, "ConnectivityCheckUri", "s", STATE(check_uri),
	  read_uri },
};

static const struct property DEVICE_PROPERTIES[] = {
	{ DEVICE_INTERFACE, "Interface", "s",
	  offsetof(struct device_values, interface),
	  system_bus_property_read_interface },
	{ DEVICE_INTERFACE, "IpInterface", "s", DEVICE(interface),
	  system_bus_property_read_interface },
	{ DEVICE_INTERFACE, "Metered", "u", DEVICE(metered),
	  system_bus_property_read_number },
	{ DEVICE_INTERFACE, "Ip4Connectivity", "u", DEVICE(connectivity[0]),
	  system_bus_property_read_number },
	{ DEVICE_INTERFACE, "Ip6Connectivity", "u", DEVICE(connectivity[1]),
	  system_bus_property_read_number },
	{ DEVICE_INTERFACE, "State", "u", DEVICE(state),
	  system_bus_property_read_number },
};

static struct network *network_of(struct service *service)
{
	return (struct network *)service;
}

/* Whether @path is a device. NetworkManager numbers devices, but a mock may
 * name them. */
static bool is_device(const char *path)
{
	return strncmp(path, DEVICES "/", sizeof(DEVICES)) == 0;
}

static struct device *find(struct network *network, const char *path)
{
	for (uint32_t i = 0; i < network->count; i++)
		if (strcmp(network->devices[i].values.device.path +
				   sizeof(DEVICES),
			   path + sizeof(DEVICES)) == 0)
			return &network->devices[i];
	return NULL;
}

static bool grow(struct network *network)
{
	uint32_t room = network->room ? network->room * 2 : FIRST_ROOM;
	struct device *devices;

	if (room > NETWORK_MANAGER_DEVICES)
		return false;
	devices = realloc(network->devices, room * sizeof(*devices));
	if (!devices)
		return false;
	network->devices = devices;
	network->room = room;
	return true;
}

static struct device *find_or_add(struct network *network, const char *path)
{
	struct device *device = find(network, path);

	if (device)
		return device;
	if (strlen(path) >= NETWORK_MANAGER_PATH_SIZE ||
	    (network->count == network->room && !grow(network))) {
		network->service.is_truncated = true;
		return NULL;
	}
	device = &network->devices[network->count++];
	memset(device, 0, sizeof(*device));
	strcpy(device->values.device.path, path);
	network->service.is_changed = true;
	return device;
}

void system_bus_network_release(struct network *network)
{
	free(network->devices);
	network->devices = NULL;
	network->count = 0;
	network->room = 0;
}

static void remove_device(struct network *network, struct device *device)
{
	*device = network->devices[--network->count];
	network->service.is_changed = true;
}

/* ---- the service type ---------------------------------------------- */

static void clear(struct service *service)
{
	struct network *network = network_of(service);

	system_bus_network_release(network);
	memset(&network->values, 0, sizeof(network->values));
}

static void begin(struct service *service)
{
	struct network *network = network_of(service);

	for (uint32_t i = 0; i < network->count; i++)
		network->devices[i].is_listed = false;
}

static void end(struct service *service)
{
	struct network *network = network_of(service);

	for (uint32_t i = network->count; i > 0; i--)
		if (!network->devices[i - 1].is_listed)
			remove_device(network, &network->devices[i - 1]);
}

static int read_device(struct network *network, sd_bus_message *message,
		       struct device *device)
{
	struct device_values old = device->values;
	int result = system_bus_properties_read(
		&network->service.connection->api, message, DEVICE_INTERFACE,
		DEVICE_PROPERTIES,
		sizeof(DEVICE_PROPERTIES) / sizeof(DEVICE_PROPERTIES[0]),
		&device->values);

	device->is_listed = true;
	if (memcmp(&old, &device->values, sizeof(old)) != 0)
		network->service.is_changed = true;
	return result;
}

static int read_manager(struct network *network, sd_bus_message *message)
{
	struct network_values old = network->values;
	int result = system_bus_properties_read(
		&network->service.connection->api, message, MANAGER_INTERFACE,
		MANAGER_PROPERTIES,
		sizeof(MANAGER_PROPERTIES) / sizeof(MANAGER_PROPERTIES[0]),
		&network->values);

	if (memcmp(&old, &network->values, sizeof(old)) != 0)
		network->service.is_changed = true;
	return result;
}

static int read_object(struct service *service, sd_bus_message *message,
		       const char *path, const char *interface, bool is_all)
{
	struct network *network = network_of(service);
	struct device *device = NULL;

	if (strcmp(interface, MANAGER_INTERFACE) == 0 &&
	    strcmp(path, MANAGER) == 0)
		return read_manager(network, message);
	if (strcmp(interface, DEVICE_INTERFACE) == 0 && is_device(path))
		device = is_all ? find_or_add(network, path)
				: find(network, path);
	if (device)
		return read_device(network, message, device);
	return service->connection->api.skip(message, "a{sv}");
}

static bool remove_interface(struct service *service, const char *path,
			     const char *interface)
{
	struct network *network = network_of(service);
	struct device *device = NULL;

	if (strcmp(interface, DEVICE_INTERFACE) == 0 && is_device(path))
		device = find(network, path);
	if (device)
		remove_device(network, device);
	return device;
}

static const struct service_type TYPE = {
	.name = SERVICE,
	.root = ROOT,
	/* The paths and interfaces in the rules keep out signals of access
	 * points, connections, settings, and device statistics. */
	.matches = {
		SERVICE_MATCH_OWNER(SERVICE),
		SERVICE_MATCH(SERVICE, SERVICE_OBJECT_MANAGER)
		",path='" ROOT "',arg0path='" DEVICES "/'",
		SERVICE_MATCH(SERVICE, SERVICE_PROPERTIES)
		",path='" MANAGER "',arg0='" MANAGER_INTERFACE "'",
		SERVICE_MATCH(SERVICE, SERVICE_PROPERTIES)
		",path_namespace='" DEVICES "',arg0='" DEVICE_INTERFACE "'",
	},
	.clear = clear,
	.begin = begin,
	.end = end,
	.read = read_object,
	.remove = remove_interface,
};

void system_bus_network_init(struct network *network,
			     struct connection *connection)
{
	network->service.type = &TYPE;
	network->service.connection = connection;
}

void system_bus_network_state(const struct system_bus *bus,
			      struct network_manager_state *ret)
{
	const struct network_values *values = &bus->network.values;

	memset(ret, 0, sizeof(*ret));
	if (bus->network.service.status != SYSTEM_BUS_READY)
		return;
	*ret = values->state;
	ret->checks = values->state.checks && values->are_checks_enabled;
}

int system_bus_network_device(const struct system_bus *bus, uint32_t position,
			      struct network_manager_device *ret)
{
	const struct device_values *values;

	if (position >= bus->network.count)
		return 0;
	values = &bus->network.devices[position].values;
	*ret = values->device;
	if (!ret->interface[0])
		memcpy(ret->interface, values->interface,
		       sizeof(ret->interface));
	return 1;
}
