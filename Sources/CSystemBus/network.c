/* SPDX-License-Identifier: MIT */
#include "bus.h"

#include <stddef.h>
#include <string.h>

#define SERVICE "org.freedesktop.NetworkManager"
#define ROOT	"/org/freedesktop"
#define MANAGER "/org/freedesktop/NetworkManager"
#define DEVICES "/org/freedesktop/NetworkManager/Devices"

#define MANAGER_INTERFACE SERVICE
#define DEVICE_INTERFACE  SERVICE ".Device"

#define STATE(name, type, field)                                               \
	{ MANAGER_INTERFACE, name, type, PROPERTY(network_values, field), NULL }
#define DEVICE(name, type, field)                                              \
	{ DEVICE_INTERFACE, name, type, PROPERTY(device_values, field), NULL }

static const struct property_table MANAGER_TABLE = PROPERTY_TABLE(
	network_values, STATE("Metered", "u", state.metered),
	STATE("Connectivity", "u", state.connectivity),
	STATE("ConnectivityCheckAvailable", "b", state.checks),
	STATE("ConnectivityCheckEnabled", "b", are_checks_enabled),
	STATE("ConnectivityCheckUri", "s", state.check_uri));

static const struct property_table DEVICE_TABLE =
	PROPERTY_TABLE(device_values, DEVICE("Interface", "s", interface),
		       DEVICE("IpInterface", "s", device.interface),
		       DEVICE("Metered", "u", device.metered),
		       DEVICE("Ip4Connectivity", "u", device.connectivity[0]),
		       DEVICE("Ip6Connectivity", "u", device.connectivity[1]),
		       DEVICE("State", "u", device.state));

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

static struct device *find(const struct network *network, const char *path)
{
	return (struct device *)system_bus_service_find(&network->service,
							path);
}

static struct device *find_or_add(struct network *network, const char *path)
{
	struct device *device = find(network, path);

	return device ? device
		      : (struct device *)system_bus_service_add(
				&network->service, path);
}

static void clear(struct service *service)
{
	struct network *network = network_of(service);

	memset(&network->values, 0, sizeof(network->values));
}

static int read_device(struct network *network, sd_bus_message *message,
		       struct device *device)
{
	device->object.is_listed = true;
	return system_bus_properties_read(
		&network->service.connection->api, message, DEVICE_INTERFACE,
		&DEVICE_TABLE, &device->values, &network->service.is_changed);
}

static int read_manager(struct network *network, sd_bus_message *message)
{
	return system_bus_properties_read(
		&network->service.connection->api, message, MANAGER_INTERFACE,
		&MANAGER_TABLE, &network->values, &network->service.is_changed);
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
		system_bus_service_drop(service, &device->object);
	return device;
}

const struct service_type system_bus_network = {
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
	.object_size = sizeof(struct device),
	.most = NETWORK_MANAGER_DEVICES,
	.clear = clear,
	.read = read_object,
	.remove = remove_interface,
};

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
	const struct service *service = &bus->network.service;
	const struct device_values *values;

	if (position >= service->count)
		return 0;
	values = &((const struct device *)service->objects[position])->values;
	*ret = values->device;
	memcpy(ret->path, service->objects[position]->path, sizeof(ret->path));
	if (!ret->interface[0])
		memcpy(ret->interface, values->interface,
		       sizeof(ret->interface));
	return 1;
}
