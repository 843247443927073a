/* SPDX-License-Identifier: MIT */
/*
 *	network KEY=VALUE...	changes the manager: metered, connectivity,
 *				available, enabled, uri
 *	device N KEY=VALUE...	adds a device, or changes it: interface,
 *				ipinterface, metered, ip4, ip6, state
 *	remove N		removes a device
 *	many COUNT		adds devices from 100 on
 *	noise COUNT		announces access points and statistics
 *	named 0|1		removes or adds a device with a named path
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

#define SERVICE	   "org.freedesktop.NetworkManager"
#define ROOT	   "/org/freedesktop"
#define NETWORK	   "/org/freedesktop/NetworkManager"
#define DEVICE	   SERVICE ".Device"
#define STATISTICS SERVICE ".Device.Statistics"
#define MOST	   8192

struct device {
	int exists;
	char interface[64], ipinterface[64];
	unsigned metered, ip4, ip6, state;
};

static struct device devices[MOST];
static struct network {
	unsigned metered, connectivity, available, enabled;
	char uri[1024];
} network;

static void append_network(sd_bus_message *message, const void *object)
{
	(void)object;
	check(api.append(message, "a{sv}", 6, "Metered", "u", network.metered,
			 "Connectivity", "u", network.connectivity,
			 "ConnectivityCheckAvailable", "b", network.available,
			 "ConnectivityCheckEnabled", "b", network.enabled,
			 "ConnectivityCheckUri", "s", network.uri, "Version",
			 "s", "fake"),
	      "network");
}

static void append_device(sd_bus_message *message, const void *device)
{
	const struct device *d = device;

	check(api.append(message, "a{sv}", 7, "Interface", "s", d->interface,
			 "IpInterface", "s", d->ipinterface, "Metered", "u",
			 d->metered, "Ip4Connectivity", "u", d->ip4,
			 "Ip6Connectivity", "u", d->ip6, "State", "u", d->state,
			 "Driver", "s", "fake"),
	      "device");
}

static const char *device_path(int number)
{
	static char path[64];

	snprintf(path, sizeof(path), NETWORK "/Devices/%d", number);
	return path;
}

/* Properties of an interface that no client of the tests reads. */
static void append_statistics(sd_bus_message *message)
{
	check(api.append(message, "{sa{sv}}", STATISTICS, 2, "RxBytes", "t",
			 UINT64_C(1), "RefreshRateMs", "u", 1000),
	      "statistics");
}

static void append_interfaces(sd_bus_message *message, const struct device *d)
{
	check(api.open_container(message, 'a', "{sa{sv}}"), "interfaces");
	append_statistics(message);
	append_interface(message, DEVICE, append_device, d);
	check(api.close_container(message), "interfaces");
}

static void append_manager(sd_bus_message *reply)
{
	check(api.open_container(reply, 'e', "oa{sa{sv}}"), "manager");
	check(api.append(reply, "o", NETWORK), "path");
	check(api.open_container(reply, 'a', "{sa{sv}}"), "interfaces");
	append_interface(reply, SERVICE, append_network, NULL);
	check(api.close_container(reply), "interfaces");
	check(api.close_container(reply), "manager");
}

static void answer_call(sd_bus_message *call, const char *member,
			const char *path)
{
	sd_bus_message *reply;

	/* The client asks for nothing else. */
	check(strcmp(path, ROOT) ? -22 : 0, path);
	check(strcmp(member, "GetManagedObjects") ? -22 : 0, member);
	check(api.new_method_return(call, &reply), "reply");
	check(api.open_container(reply, 'a', "{oa{sa{sv}}}"), "objects");
	for (int i = 0; i < MOST; i++) {
		if (!devices[i].exists)
			continue;
		check(api.open_container(reply, 'e', "oa{sa{sv}}"), "object");
		check(api.append(reply, "o", device_path(i)), "path");
		append_interfaces(reply, &devices[i]);
		check(api.close_container(reply), "object");
	}
	append_manager(reply);
	check(api.close_container(reply), "objects");
	send_message(reply);
}

static const struct setting NETWORK_SETTINGS[] = {
	NUMBER(network, metered),   NUMBER(network, connectivity),
	NUMBER(network, available), NUMBER(network, enabled),
	TEXT(network, uri),	    { NULL, 0, 0 },
};

static const struct setting DEVICE_SETTINGS[] = {
	NUMBER(device, metered), NUMBER(device, ip4),
	NUMBER(device, ip6),	 NUMBER(device, state),
	TEXT(device, interface), TEXT(device, ipinterface),
	{ NULL, 0, 0 },
};

static void network_command(int number, char *rest)
{
	(void)number;
	take_settings(rest, NETWORK_SETTINGS, &network);
	send_properties(NETWORK, SERVICE, append_network, NULL);
}

static void announce(int number, int was_there)
{
	sd_bus_message *message;

	if (was_there) {
		send_properties(device_path(number), DEVICE, append_device,
				&devices[number]);
		return;
	}
	message = signal_of(ROOT, MANAGER, "InterfacesAdded");
	check(api.append(message, "o", device_path(number)), "path");
	append_interfaces(message, &devices[number]);
	send_message(message);
}

static void device_command(int number, char *rest)
{
	struct device *d = &devices[number];
	int was_there = d->exists;

	take_settings(rest, DEVICE_SETTINGS, d);
	d->exists = 1;
	announce(number, was_there);
}

static void remove_command(int number, char *rest)
{
	sd_bus_message *message = signal_of(ROOT, MANAGER, "InterfacesRemoved");

	(void)rest;
	devices[number].exists = 0;
	check(api.append(message, "oas", device_path(number), 2, STATISTICS,
			 DEVICE),
	      "removed");
	send_message(message);
}

static void many_command(int count, char *rest)
{
	(void)rest;
	for (int i = 100; i < 100 + count && i < MOST; i++) {
		snprintf(devices[i].interface, sizeof(devices[i].interface),
			 "veth%d", i);
		devices[i].exists = 1;
		announce(i, 0);
	}
}

/* The path ends in a name, as python-dbusmock makes it. */
static void named_command(int count, char *rest)
{
	static const struct device d = { .interface = "eth7", .metered = 1 };
	sd_bus_message *message = signal_of(
		ROOT, MANAGER, count ? "InterfacesAdded" : "InterfacesRemoved");

	(void)rest;
	check(api.append(message, "o", NETWORK "/Devices/mock_eth7"), "path");
	if (count)
		append_interfaces(message, &d);
	else
		check(api.append(message, "as", 1, DEVICE), "interfaces");
	send_message(message);
}

static void noise_command(int count, char *rest)
{
	(void)rest;
	for (int i = 0; i < count; i++) {
		sd_bus_message *message = signal_of(device_path(1), PROPERTY,
						    "PropertiesChanged");

		check(api.append(message, "sa{sv}as", STATISTICS, 1, "RxBytes",
				 "t", (uint64_t)i, 0),
		      "statistics");
		send_message(message);
		message = signal_of(ROOT, MANAGER, "InterfacesAdded");
		check(api.append(message, "oa{sa{sv}}",
				 NETWORK "/AccessPoint/1", 1,
				 SERVICE ".AccessPoint", 1, "Strength", "y",
				 i % 100),
		      "access point");
		send_message(message);
	}
}

static const struct command COMMANDS[] = {
	{ "network", network_command },
	{ "device", device_command },
	{ "remove", remove_command },
	{ "many", many_command },
	{ "named", named_command },
	{ "noise", noise_command },
	{ NULL, NULL },
};

const struct fake fake_network_manager = { SERVICE, COMMANDS, answer_call,
					   NULL };
