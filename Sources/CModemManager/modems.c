/* SPDX-License-Identifier: MIT */
#include "modems.h"

#include <stddef.h>
#include <string.h>

void modems_init(struct modems *modems, const struct sdbus *api)
{
	memset(modems, 0, sizeof(*modems));
	modems->api = api;
}

static void release_bearer(struct modems *modems, struct bearer *bearer)
{
	if (bearer->question)
		modems->api->slot_unref(bearer->question);
	memset(bearer, 0, sizeof(*bearer));
}

static void release(struct modems *modems, struct modem *modem)
{
	for (int i = 0; i < MODEM_MANAGER_BEARERS; i++)
		release_bearer(modems, &modem->bearers[i]);
	memset(modem, 0, sizeof(*modem));
	modems->is_changed = true;
}

void modems_clear(struct modems *modems)
{
	for (int i = 0; i < MODEM_MANAGER_MODEMS; i++)
		if (modems->all[i].path[0])
			release(modems, &modems->all[i]);
	modems->is_truncated = false;
}

struct modem *modems_find(struct modems *modems, const char *path)
{
	for (int i = 0; i < MODEM_MANAGER_MODEMS; i++)
		if (path[0] && strcmp(modems->all[i].path, path) == 0)
			return &modems->all[i];
	return NULL;
}

void modems_remove(struct modems *modems, const char *path)
{
	struct modem *modem = modems_find(modems, path);

	if (modem)
		release(modems, modem);
}

static struct bearer *find_bearer(struct modem *modem, const char *path)
{
	for (int i = 0; i < MODEM_MANAGER_BEARERS; i++)
		if (path[0] && strcmp(modem->bearers[i].path, path) == 0)
			return &modem->bearers[i];
	return NULL;
}

struct bearer *modems_find_bearer(struct modems *modems, const char *path)
{
	for (int i = 0; i < MODEM_MANAGER_MODEMS; i++) {
		struct bearer *bearer = find_bearer(&modems->all[i], path);

		if (bearer)
			return bearer;
	}
	return NULL;
}

static struct modem *find_or_add(struct modems *modems, const char *path)
{
	struct modem *modem = modems_find(modems, path);

	for (int i = 0; !modem && i < MODEM_MANAGER_MODEMS; i++) {
		struct modem *entry = &modems->all[i];

		if (entry->path[0])
			continue;
		if (!copy_whole(entry->path, sizeof(entry->path), path))
			return NULL;
		entry->values = MODEM_VALUES_UNKNOWN;
		modems->is_changed = true;
		modem = entry;
	}
	if (!modem)
		modems->is_truncated = true;
	return modem;
}

static bool is_modem_interface(const char *interface)
{
	return strcmp(interface, MODEM_INTERFACE) == 0 ||
	       strcmp(interface, MODEM_3GPP_INTERFACE) == 0;
}

int modems_read_properties(struct modems *modems, struct modem *modem,
			   sd_bus_message *message, const char *interface)
{
	struct modem_values old = modem->values;
	int result = modem_values_read(&modem->values, modems->api, message,
				       interface);

	if (memcmp(&old, &modem->values, sizeof(old)) != 0)
		modems->is_changed = true;
	return result;
}

int modems_read_bearer(struct bearer *bearer, sd_bus_message *message)
{
	struct bearer_values old = bearer->values;
	int result = bearer_values_read(&bearer->values, bearer->modems->api,
					message);

	if (memcmp(&old, &bearer->values, sizeof(old)) != 0)
		bearer->modems->is_changed = true;
	return result;
}

/* One entry {sa{sv}} of the interfaces of an object, entered already. */
static int read_interface(struct modems *modems, sd_bus_message *message,
			  const char *path, struct modem **modem)
{
	const struct sdbus *api = modems->api;
	const char *interface;
	int result = api->read_basic(message, 's', &interface);

	if (result <= 0)
		return result;
	if (!is_modem_interface(interface))
		return api->skip(message, "a{sv}");
	/* An object with the second interface alone is none. */
	if (strcmp(interface, MODEM_INTERFACE) == 0 ||
	    modems_find(modems, path))
		*modem = find_or_add(modems, path);
	if (!*modem)
		return api->skip(message, "a{sv}");
	return modems_read_properties(modems, *modem, message, interface);
}

int modems_read_object(struct modems *modems, sd_bus_message *message,
		       const char *path)
{
	const struct sdbus *api = modems->api;
	struct modem *modem = NULL;
	int result = api->enter_container(message, 'a', "{sa{sv}}");

	if (result < 0)
		return result;
	while ((result = api->enter_container(message, 'e', "sa{sv}")) > 0) {
		result = read_interface(modems, message, path, &modem);
		if (result < 0)
			return result;
		result = api->exit_container(message);
		if (result < 0)
			return result;
	}
	if (modem)
		modem->is_listed = true;
	return result < 0 ? result : api->exit_container(message);
}

static bool is_listed(const struct modem_values *values, const char *path)
{
	for (int i = 0; i < MODEM_MANAGER_BEARERS; i++)
		if (strcmp(values->bearers[i], path) == 0)
			return true;
	return false;
}

void modems_follow_bearers(struct modems *modems, struct modem *modem,
			   ask_bearer ask, void *context)
{
	const struct modem_values *values = &modem->values;

	for (int i = 0; i < MODEM_MANAGER_BEARERS; i++) {
		struct bearer *bearer = &modem->bearers[i];

		if (!bearer->path[0] || is_listed(values, bearer->path))
			continue;
		release_bearer(modems, bearer);
		modems->is_changed = true;
	}
	for (int i = 0; i < MODEM_MANAGER_BEARERS; i++) {
		struct bearer *bearer = modem->bearers;

		if (!values->bearers[i][0] ||
		    find_bearer(modem, values->bearers[i]))
			continue;
		/* As many entries as paths: one is free. */
		while (bearer->path[0])
			bearer++;
		memcpy(bearer->path, values->bearers[i], sizeof(bearer->path));
		bearer->modems = modems;
		ask(bearer, context);
	}
}

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

void modem_export(const struct modem *modem, struct modem_manager_modem *ret)
{
	const struct modem_values *values = &modem->values;

	memset(ret, 0, sizeof(*ret));
	memcpy(ret->path, modem->path, sizeof(ret->path));
	memcpy(ret->operator_name, values->operator_name,
	       sizeof(ret->operator_name));
	for (int i = 0; i < MODEM_MANAGER_INTERFACES; i++)
		add_interface(ret, values->ports[i]);
	for (int i = 0; i < MODEM_MANAGER_BEARERS; i++) {
		const struct bearer_values *bearer = &modem->bearers[i].values;

		if (bearer_uses_ppp(bearer))
			continue;
		add_interface(ret, bearer->interface);
		if (bearer->is_connected && !ret->data_interface[0])
			memcpy(ret->data_interface, bearer->interface,
			       sizeof(ret->data_interface));
	}
	ret->state = values->state;
	ret->failed_reason = values->failed_reason;
	ret->unlock_required = values->unlock_required;
	ret->access_technologies = values->access_technologies;
	ret->registration = values->registration;
	ret->signal = values->signal;
	ret->signal_is_recent = values->signal_is_recent;
}
