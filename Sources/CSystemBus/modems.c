/* SPDX-License-Identifier: MIT */
#include "bus.h"

#include <stddef.h>
#include <string.h>

#define SERVICE "org.freedesktop.ModemManager1"
#define ROOT	"/org/freedesktop/ModemManager1"

static void release_bearer(struct service *s, struct bearer *bearer)
{
	if (bearer->call)
		s->connection->api.slot_unref(bearer->call);
	memset(bearer, 0, sizeof(*bearer));
}

static void release(struct service *s, struct object *object)
{
	struct modem *modem = (struct modem *)object;

	for (int i = 0; i < MODEM_MANAGER_BEARERS; i++)
		release_bearer(s, &modem->bearers[i]);
}

static struct modem *find(const struct service *s, const char *path)
{
	return (struct modem *)system_bus_service_find(s, path);
}

static struct bearer *find_bearer(struct modem *modem, const char *path)
{
	for (int i = 0; i < MODEM_MANAGER_BEARERS; i++)
		if (path[0] && strcmp(modem->bearers[i].path, path) == 0)
			return &modem->bearers[i];
	return NULL;
}

static struct bearer *find_any_bearer(struct service *s, const char *path)
{
	struct bearer *bearer = NULL;

	for (uint32_t i = 0; i < s->count && !bearer; i++)
		bearer = find_bearer((struct modem *)s->objects[i], path);
	return bearer;
}

static struct modem *find_or_add(struct service *s, const char *path)
{
	struct modem *modem = find(s, path);

	if (modem)
		return modem;
	modem = (struct modem *)system_bus_service_add(s, path);
	if (modem)
		modem->values = system_bus_modem_unknown;
	return modem;
}

static bool is_modem_interface(const char *interface)
{
	return strcmp(interface, MODEM_INTERFACE) == 0 ||
	       strcmp(interface, MODEM_3GPP_INTERFACE) == 0;
}

static int read_bearer(struct bearer *bearer, sd_bus_message *message)
{
	return system_bus_properties_read(
		&bearer->service->connection->api, message, BEARER_INTERFACE,
		&system_bus_bearer_table, &bearer->values,
		&bearer->service->is_changed);
}

static int on_bearer(sd_bus_message *message, void *context, void *error)
{
	struct bearer *bearer = context;
	const struct sdbus *api = &bearer->service->connection->api;

	(void)error;
	api->slot_unref(bearer->call);
	bearer->call = NULL;
	if (!api->is_method_error(message, NULL))
		read_bearer(bearer, message);
	return 0;
}

/* Asks for a bearer's properties; without an answer they stay unknown. */
static void ask_for_bearer(struct bearer *bearer)
{
	static const char interface[] = BEARER_INTERFACE;
	struct connection *connection = bearer->service->connection;
	const struct sdbus *api = &connection->api;
	sd_bus_message *message;

	if (api->new_method_call(connection->bus, &message, SERVICE,
				 bearer->path, SERVICE_PROPERTIES,
				 "GetAll") < 0)
		return;
	api->set_auto_start(message, 0);
	connection->unwritten++;
	if (api->append_basic(message, 's', interface) >= 0)
		api->call_async(connection->bus, &bearer->call, message,
				on_bearer, bearer,
				connection->answer * UINT64_C(1000));
	api->message_unref(message);
}

static bool is_listed(const struct modem_values *values, const char *path)
{
	for (int i = 0; i < MODEM_MANAGER_BEARERS; i++)
		if (strcmp(values->bearers[i], path) == 0)
			return true;
	return false;
}

/* Matches the bearers of a modem to the paths in its Bearers property. */
static void follow_bearers(struct service *s, struct modem *modem)
{
	const struct modem_values *values = &modem->values;

	for (int i = 0; i < MODEM_MANAGER_BEARERS; i++) {
		struct bearer *bearer = &modem->bearers[i];

		if (!bearer->path[0] || is_listed(values, bearer->path))
			continue;
		release_bearer(s, bearer);
		s->is_changed = true;
	}
	for (int i = 0; i < MODEM_MANAGER_BEARERS; i++) {
		struct bearer *bearer = modem->bearers;

		if (!values->bearers[i][0] ||
		    find_bearer(modem, values->bearers[i]))
			continue;
		/* There are as many entries as paths, so one is free. */
		while (bearer->path[0])
			bearer++;
		memcpy(bearer->path, values->bearers[i], sizeof(bearer->path));
		bearer->service = s;
		ask_for_bearer(bearer);
	}
}

static int read_modem(struct service *s, struct modem *modem,
		      sd_bus_message *message, const char *interface)
{
	int result = system_bus_properties_read(
		&s->connection->api, message, interface,
		&system_bus_modem_table, &modem->values, &s->is_changed);

	modem->object.is_listed = true;
	if (!modem->is_modem && strcmp(interface, MODEM_INTERFACE) == 0) {
		modem->is_modem = true;
		s->is_changed = true;
	}
	follow_bearers(s, modem);
	return result;
}

static int read_object(struct service *s, sd_bus_message *message,
		       const char *path, const char *interface, bool is_all)
{
	struct modem *modem = NULL;
	struct bearer *bearer;

	/* GDBus keeps interfaces in a hash table, so their order varies. */
	if (is_modem_interface(interface))
		modem = is_all ? find_or_add(s, path) : find(s, path);
	if (modem)
		return read_modem(s, modem, message, interface);
	bearer = find_any_bearer(s, path);
	if (bearer && strcmp(interface, BEARER_INTERFACE) == 0)
		return read_bearer(bearer, message);
	return s->connection->api.skip(message, "a{sv}");
}

static bool remove_interface(struct service *s, const char *path,
			     const char *interface)
{
	struct modem *modem = find(s, path);

	if (!modem)
		return false;
	if (strcmp(interface, MODEM_INTERFACE) == 0) {
		system_bus_service_drop(s, &modem->object);
		return true;
	}
	/* Values of the other D-Bus interface are kept. */
	system_bus_properties_copy(&system_bus_modem_table, interface,
				   &modem->values, &system_bus_modem_unknown);
	s->is_changed = true;
	return false;
}

const struct service_type system_bus_modems = {
	.name = SERVICE,
	.root = ROOT,
	.matches = {
		SERVICE_MATCH_OWNER(SERVICE),
		SERVICE_MATCH(SERVICE, SERVICE_OBJECT_MANAGER)
		",path='" ROOT "'",
		SERVICE_MATCH(SERVICE, SERVICE_PROPERTIES)
		",path_namespace='" ROOT "',member='PropertiesChanged'",
	},
	.object_size = sizeof(struct modem),
	.most = MODEM_MANAGER_MODEMS,
	.release = release,
	.read = read_object,
	.remove = remove_interface,
};

static void add_interface(struct modem_manager_modem *modem, const char *name)
{
	for (uint32_t i = 0; i < modem->interface_count; i++)
		if (strcmp(modem->interfaces[i], name) == 0)
			return;
	if (!name[0] || modem->interface_count == MODEM_MANAGER_INTERFACES)
		return;
	memcpy(modem->interfaces[modem->interface_count++], name,
	       MODEM_MANAGER_INTERFACE_SIZE);
}

static void export(const struct modem *modem, struct modem_manager_modem *ret)
{
	const struct modem_values *values = &modem->values;

	*ret = values->modem;
	memcpy(ret->path, modem->object.path, sizeof(ret->path));
	for (int i = 0; i < MODEM_MANAGER_INTERFACES; i++)
		add_interface(ret, values->ports[i]);
	for (int i = 0; i < MODEM_MANAGER_BEARERS; i++) {
		const struct bearer_values *bearer = &modem->bearers[i].values;

		if (system_bus_bearer_uses_ppp(bearer))
			continue;
		add_interface(ret, bearer->interface);
		if (bearer->is_connected && !ret->data_interface[0])
			memcpy(ret->data_interface, bearer->interface,
			       sizeof(ret->data_interface));
	}
}

int system_bus_modem(const struct system_bus *bus, uint32_t position,
		     struct modem_manager_modem *ret)
{
	for (uint32_t i = 0; i < bus->modems.count; i++) {
		const struct modem *modem =
			(const struct modem *)bus->modems.objects[i];

		if (!modem->is_modem || position-- > 0)
			continue;
		export(modem, ret);
		return 1;
	}
	return 0;
}
