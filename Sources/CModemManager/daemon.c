/* SPDX-License-Identifier: MIT */
/* Questions to ModemManager, and its signals. */
#include <errno.h>
#include <string.h>

#include "client.h"

#define BUS	       "org.freedesktop.DBus"
#define SERVICE	       "org.freedesktop.ModemManager1"
#define ROOT	       "/org/freedesktop/ModemManager1"
#define OBJECT_MANAGER "org.freedesktop.DBus.ObjectManager"
#define PROPERTIES     "org.freedesktop.DBus.Properties"

/* The error of a call to a name that nobody owns. */
static bool is_unowned(struct modem_manager *m, sd_bus_message *message)
{
	static const char *const NAMES[] = {
		"org.freedesktop.DBus.Error.ServiceUnknown",
		"org.freedesktop.DBus.Error.NameHasNoOwner",
	};

	for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++)
		if (m->api.is_method_error(message, NAMES[i]))
			return true;
	return false;
}

/*
 * Whether a message is of a sender. A match does not tell: the bus delivers
 * signals that are addressed to this connection whether they match or not, and
 * sd-bus does not know who owns a name.
 */
static bool is_from(struct modem_manager *m, sd_bus_message *message,
		    const char *name)
{
	const char *sender = m->api.get_sender(message);

	return sender && name[0] && strcmp(sender, name) == 0;
}

static void set_owner(struct modem_manager *m, const char *name)
{
	if (!name || !copy_whole(m->owner, sizeof(m->owner), name))
		m->owner[0] = '\0';
}

/* ---- questions ----------------------------------------------------- */

static int on_bearer(sd_bus_message *message, void *context, void *error)
{
	struct bearer *bearer = context;
	const struct sdbus *api = bearer->modems->api;

	(void)error;
	api->slot_unref(bearer->question);
	bearer->question = NULL;
	if (!api->is_method_error(message, NULL))
		modems_read_bearer(bearer, message);
	return 0;
}

/* Asks for properties; without an answer they stay unknown. */
static void ask_for_bearer(struct bearer *bearer, void *context)
{
	static const char interface[] = BEARER_INTERFACE;
	struct modem_manager *m = context;
	sd_bus_message *message;

	if (m->api.new_method_call(m->bus, &message, SERVICE, bearer->path,
				   PROPERTIES, "GetAll") < 0)
		return;
	m->api.set_auto_start(message, 0);
	m->unwritten++;
	if (m->api.append_basic(message, 's', interface) >= 0)
		m->api.call_async(m->bus, &bearer->question, message, on_bearer,
				  bearer, m->options.answer * UINT64_C(1000));
	m->api.message_unref(message);
}

static void follow_bearers(struct modem_manager *m, struct modem *modem)
{
	modems_follow_bearers(&m->modems, modem, ask_for_bearer, m);
}

/* Reads a{oa{sa{sv}}}, the objects of the daemon with all properties. */
static int read_objects(struct modem_manager *m, sd_bus_message *message)
{
	const struct sdbus *api = &m->api;
	int result = api->enter_container(message, 'a', "{oa{sa{sv}}}");

	if (result < 0)
		return result;
	while ((result = api->enter_container(message, 'e', "oa{sa{sv}}")) >
	       0) {
		const char *path;

		result = api->read_basic(message, 'o', &path);
		if (result > 0)
			result = modems_read_object(&m->modems, message, path);
		if (result >= 0)
			result = api->exit_container(message);
		if (result < 0)
			return result;
	}
	return result;
}

void client_withdraw(struct modem_manager *m)
{
	if (m->question)
		m->api.slot_unref(m->question);
	m->question = NULL;
	m->deadline = 0;
}

static int on_objects(sd_bus_message *message, void *context, void *error)
{
	struct modem_manager *m = context;

	(void)error;
	/* The owner left, or the connection ends: sd-bus answers by itself
	 * then. Which of the two comes next, or the time limit does. */
	if (m->api.is_method_error(message,
				   "org.freedesktop.DBus.Error.NoReply")) {
		m->api.slot_unref(m->question);
		m->question = NULL;
		return 0;
	}
	client_withdraw(m);
	if (is_unowned(m, message)) {
		m->delay = m->options.retry;
		client_set_status(m, MODEM_MANAGER_NO_DAEMON, 0);
		return 0;
	}
	if (m->api.is_method_error(message, NULL)) {
		m->has_failed = true;
		m->failure = MODEM_MANAGER_REFUSED;
		m->failure_error = m->api.get_errno(message);
		return 0;
	}
	for (int i = 0; i < MODEM_MANAGER_MODEMS; i++)
		m->modems.all[i].is_listed = false;
	m->modems.is_truncated = false;
	/* What could be read before a malformed part counts. */
	read_objects(m, message);
	for (int i = 0; i < MODEM_MANAGER_MODEMS; i++) {
		struct modem *modem = &m->modems.all[i];

		if (modem->path[0] && !modem->is_listed)
			modems_remove(&m->modems, modem->path);
		else if (modem->path[0])
			follow_bearers(m, modem);
	}
	m->delay = m->options.retry;
	set_owner(m, m->api.get_sender(message));
	client_set_status(m, MODEM_MANAGER_READY, 0);
	return 0;
}

/* Asks for all objects, unless a question is under way. */
static int ask_for_objects(struct modem_manager *m)
{
	sd_bus_message *message;
	int result;

	if (m->question)
		return 0;
	result = m->api.new_method_call(m->bus, &message, SERVICE, ROOT,
					OBJECT_MANAGER, "GetManagedObjects");
	if (result < 0)
		return result;
	/* Watching starts no daemon. */
	m->api.set_auto_start(message, 0);
	result = m->api.call_async(m->bus, &m->question, message, on_objects, m,
				   UINT64_MAX);
	m->api.message_unref(message);
	m->deadline = client_now() + m->options.answer;
	return result;
}

static void ask_again(struct modem_manager *m)
{
	int result = ask_for_objects(m);

	if (result >= 0)
		return;
	m->has_failed = true;
	m->failure = MODEM_MANAGER_NO_BUS;
	m->failure_error = -result;
}

/* ---- signals ------------------------------------------------------- */

static int on_properties(sd_bus_message *message, void *context, void *error)
{
	struct modem_manager *m = context;
	const char *path = m->api.get_path(message);
	const char *interface;
	struct modem *modem;
	struct bearer *bearer;

	(void)error;
	/* What is announced before the first answer is part of it. */
	if (m->status != MODEM_MANAGER_READY || !is_from(m, message, m->owner))
		return 0;
	/* The list of properties without values, which follows, is empty in
	 * every signal of ModemManager. */
	if (!path || m->api.read_basic(message, 's', &interface) <= 0)
		return 0;
	modem = modems_find(&m->modems, path);
	if (modem) {
		modems_read_properties(&m->modems, modem, message, interface);
		follow_bearers(m, modem);
		return 0;
	}
	bearer = modems_find_bearer(&m->modems, path);
	if (bearer && strcmp(interface, BEARER_INTERFACE) == 0)
		modems_read_bearer(bearer, message);
	return 0;
}

static void remove_interfaces(struct modem_manager *m, sd_bus_message *message,
			      const char *path)
{
	const char *interface;

	if (m->api.enter_container(message, 'a', "s") < 0)
		return;
	while (m->api.read_basic(message, 's', &interface) > 0) {
		struct modem *modem = modems_find(&m->modems, path);

		if (!modem)
			continue;
		if (strcmp(interface, MODEM_INTERFACE) == 0) {
			modems_remove(&m->modems, path);
			if (m->modems.is_truncated)
				ask_again(m);
			continue;
		}
		modem_values_reset(&modem->values, interface);
		m->modems.is_changed = true;
	}
}

static int on_object(sd_bus_message *message, void *context, void *error)
{
	struct modem_manager *m = context;
	const char *member = m->api.get_member(message);
	const char *path;
	struct modem *modem;

	(void)error;
	if (m->status != MODEM_MANAGER_READY ||
	    !is_from(m, message, m->owner) || !member ||
	    m->api.read_basic(message, 'o', &path) <= 0)
		return 0;
	if (strcmp(member, "InterfacesRemoved") == 0) {
		remove_interfaces(m, message, path);
	} else if (strcmp(member, "InterfacesAdded") == 0) {
		modems_read_object(&m->modems, message, path);
		modem = modems_find(&m->modems, path);
		if (modem)
			follow_bearers(m, modem);
	}
	return 0;
}

/* Of the name in the match only. */
static int on_owner(sd_bus_message *message, void *context, void *error)
{
	struct modem_manager *m = context;
	const char *names[3];

	(void)error;
	if (!is_from(m, message, BUS))
		return 0;
	for (int i = 0; i < 3; i++)
		if (m->api.read_basic(message, 's', &names[i]) <= 0)
			return 0;
	set_owner(m, NULL);
	modems_clear(&m->modems);
	/* The answer of the former owner is void. */
	client_withdraw(m);
	if (!names[2][0])
		client_set_status(m, MODEM_MANAGER_NO_DAEMON, 0);
	else
		ask_again(m);
	return 0;
}

int client_subscribe(struct modem_manager *m)
{
	static const struct {
		const char *match;
		sdbus_handler handler;
	} MATCHES[] = {
		{ "type='signal',sender='org.freedesktop.DBus',"
		  "interface='org.freedesktop.DBus',"
		  "member='NameOwnerChanged',arg0='" SERVICE "'",
		  on_owner },
		{ "type='signal',sender='" SERVICE "',path='" ROOT "',"
		  "interface='" OBJECT_MANAGER "'",
		  on_object },
		{ "type='signal',sender='" SERVICE "',path_namespace='" ROOT
		  "',interface='" PROPERTIES "',"
		  "member='PropertiesChanged'",
		  on_properties },
	};

	for (size_t i = 0; i < sizeof(MATCHES) / sizeof(MATCHES[0]); i++) {
		/* A match that the bus refuses ends the connection. */
		int result =
			m->api.add_match_async(m->bus, NULL, MATCHES[i].match,
					       MATCHES[i].handler, NULL, m);

		if (result < 0)
			return result;
	}
	return ask_for_objects(m);
}
