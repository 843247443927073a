/* SPDX-License-Identifier: MIT */
#include "bus.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#define BUS "org.freedesktop.DBus"

/* The longest delay, as a multiple of the first: 32 s by default. */
#define MOST_RETRY 64

int64_t system_bus_service_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

void system_bus_service_set_status(struct service *s,
				   enum system_bus_status status, int error)
{
	s->is_changed |= s->status != status || s->error != error;
	s->status = status;
	s->error = error;
}

/* Whether a call failed because nobody owns the name. */
static bool is_unowned(const struct sdbus *api, sd_bus_message *message)
{
	static const char *const NAMES[] = {
		"org.freedesktop.DBus.Error.ServiceUnknown",
		"org.freedesktop.DBus.Error.NameHasNoOwner",
	};

	for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++)
		if (api->is_method_error(message, NAMES[i]))
			return true;
	return false;
}

/* Whether the bus or sd-bus answered for the service, because its owner left or
 * the connection ends: then version 252 of sd-bus answers NoReply, and 262 with
 * an error that stands for ECONNRESET. */
static bool is_unanswered(const struct sdbus *api, sd_bus_message *message)
{
	return api->is_method_error(message,
				    "org.freedesktop.DBus.Error.NoReply") ||
	       (api->is_method_error(message, NULL) &&
		api->get_errno(message) == ECONNRESET);
}

/*
 * Whether a message comes from a sender. The match rule doesn't ensure that:
 * the bus delivers signals addressed to this connection even if they don't
 * match, and sd-bus doesn't know who owns a name.
 */
static bool is_from(const struct service *s, sd_bus_message *message,
		    const char *name)
{
	const char *sender = s->connection->api.get_sender(message);

	return sender && name[0] && strcmp(sender, name) == 0;
}

static void set_owner(struct service *s, const char *name)
{
	if (!name || !system_bus_copy_whole(s->owner, sizeof(s->owner), name))
		s->owner[0] = '\0';
}

static void withdraw(struct service *s)
{
	if (s->call)
		s->connection->api.slot_unref(s->call);
	s->call = NULL;
	s->is_asked = false;
	s->deadline = 0;
}

static void forget(struct service *s)
{
	withdraw(s);
	while (s->count)
		system_bus_service_drop(s, s->objects[s->count - 1]);
	if (s->type->clear)
		s->type->clear(s);
	s->is_truncated = false;
	s->owner[0] = '\0';
}

/* Reports a failure, and sets the time of the next call. */
static void refuse(struct service *s, int error)
{
	forget(s);
	system_bus_service_set_status(s, SYSTEM_BUS_REFUSED, error);
	s->deadline = system_bus_service_now() + s->delay;
	if (s->delay < s->connection->retry * MOST_RETRY)
		s->delay *= 2;
}

/* ---- the call ------------------------------------------------------ */

/* Reads an array a{sa{sv}} of interfaces with all their properties. */
static int read_object(struct service *s, sd_bus_message *message,
		       const char *path)
{
	const struct sdbus *api = &s->connection->api;
	int result = api->enter_container(message, 'a', "{sa{sv}}");

	if (result < 0)
		return result;
	while ((result = api->enter_container(message, 'e', "sa{sv}")) > 0) {
		const char *interface;

		result = api->read_basic(message, 's', &interface);
		if (result > 0)
			result = s->type->read(s, message, path, interface,
					       true);
		if (result >= 0)
			result = api->exit_container(message);
		if (result < 0)
			return result;
	}
	return result < 0 ? result : api->exit_container(message);
}

/* Reads a{oa{sa{sv}}}, the objects of the daemon with all properties. */
static int read_objects(struct service *s, sd_bus_message *message)
{
	const struct sdbus *api = &s->connection->api;
	int result = api->enter_container(message, 'a', "{oa{sa{sv}}}");

	if (result < 0)
		return result;
	while ((result = api->enter_container(message, 'e', "oa{sa{sv}}")) >
	       0) {
		const char *path;

		result = api->read_basic(message, 'o', &path);
		if (result > 0)
			result = read_object(s, message, path);
		if (result >= 0)
			result = api->exit_container(message);
		if (result < 0)
			return result;
	}
	return result;
}

static void drop_unlisted(struct service *s)
{
	/* The last one takes the place of one that is dropped. */
	for (uint32_t i = s->count; i > 0; i--)
		if (!s->objects[i - 1]->is_listed)
			system_bus_service_drop(s, s->objects[i - 1]);
}

static int on_objects(sd_bus_message *message, void *context, void *error)
{
	struct service *s = context;
	const struct sdbus *api = &s->connection->api;

	(void)error;
	/* Next, NameOwnerChanged, the end of the connection, or the deadline
	 * decides the status. */
	if (is_unanswered(api, message)) {
		api->slot_unref(s->call);
		s->call = NULL;
		return 0;
	}
	withdraw(s);
	if (is_unowned(api, message)) {
		forget(s);
		s->delay = s->connection->retry;
		system_bus_service_set_status(s, SYSTEM_BUS_NO_DAEMON, 0);
		return 0;
	}
	if (api->is_method_error(message, NULL)) {
		refuse(s, api->get_errno(message));
		return 0;
	}
	s->is_truncated = false;
	for (uint32_t i = 0; i < s->count; i++)
		s->objects[i]->is_listed = false;
	/* Keep the objects before a malformed part. */
	read_objects(s, message);
	drop_unlisted(s);
	s->delay = s->connection->retry;
	set_owner(s, api->get_sender(message));
	system_bus_service_set_status(s, SYSTEM_BUS_READY, 0);
	return 0;
}

/* Calls for all objects, unless a call is under way. */
static int ask(struct service *s)
{
	const struct sdbus *api = &s->connection->api;
	sd_bus_message *message;
	int result;

	if (s->call)
		return 0;
	result = api->new_method_call(
		s->connection->bus, &message, s->type->name, s->type->root,
		SERVICE_OBJECT_MANAGER, "GetManagedObjects");
	if (result < 0)
		return result;
	/* Watching must not start the daemon. */
	api->set_auto_start(message, 0);
	result = api->call_async(s->connection->bus, &s->call, message,
				 on_objects, s, UINT64_MAX);
	api->message_unref(message);
	s->connection->unwritten++;
	s->is_asked = true;
	s->deadline = system_bus_service_now() + s->connection->answer;
	return result;
}

/* ---- signals ------------------------------------------------------- */

static int on_properties(sd_bus_message *message, void *context, void *error)
{
	struct service *s = context;
	const struct sdbus *api = &s->connection->api;
	const char *path = api->get_path(message);
	const char *interface;

	(void)error;
	/* The first answer includes all changes signalled before it. */
	if (s->status != SYSTEM_BUS_READY || !is_from(s, message, s->owner))
		return 0;
	/* The last argument, invalidated_properties, is empty in every signal
	 * of ModemManager and NetworkManager. */
	if (path && api->read_basic(message, 's', &interface) > 0)
		s->type->read(s, message, path, interface, false);
	return 0;
}

static void remove_interfaces(struct service *s, sd_bus_message *message,
			      const char *path)
{
	const struct sdbus *api = &s->connection->api;
	const char *interface;

	if (api->enter_container(message, 'a', "s") < 0)
		return;
	while (api->read_basic(message, 's', &interface) > 0)
		if (s->type->remove(s, path, interface) && s->is_truncated)
			system_bus_service_start(s);
}

static int on_object(sd_bus_message *message, void *context, void *error)
{
	struct service *s = context;
	const struct sdbus *api = &s->connection->api;
	const char *member = api->get_member(message);
	const char *path;

	(void)error;
	if (s->status != SYSTEM_BUS_READY || !is_from(s, message, s->owner) ||
	    !member || api->read_basic(message, 'o', &path) <= 0)
		return 0;
	if (strcmp(member, "InterfacesRemoved") == 0)
		remove_interfaces(s, message, path);
	else if (strcmp(member, "InterfacesAdded") == 0)
		read_object(s, message, path);
	return 0;
}

/* Called for the name in the match rule only. */
static int on_owner(sd_bus_message *message, void *context, void *error)
{
	struct service *s = context;
	const char *names[3];

	(void)error;
	if (!is_from(s, message, BUS))
		return 0;
	for (int i = 0; i < 3; i++)
		if (s->connection->api.read_basic(message, 's', &names[i]) <= 0)
			return 0;
	/* Discard the former owner's objects, and its pending answer. */
	forget(s);
	if (!names[2][0]) {
		system_bus_service_set_status(s, SYSTEM_BUS_NO_DAEMON, 0);
		return 0;
	}
	if (s->status == SYSTEM_BUS_READY)
		system_bus_service_set_status(s, SYSTEM_BUS_CONNECTING, 0);
	system_bus_service_start(s);
	return 0;
}

/* Takes the answer to a match rule. The slot can't be released here, so
 * system_bus_service_work() does that. */
static int on_match(sd_bus_message *message, void *context, void *error)
{
	struct service *s = context;
	const struct sdbus *api = &s->connection->api;

	(void)error;
	if (api->is_method_error(message, NULL) && !is_unanswered(api, message))
		s->match_error = api->get_errno(message);
	return 0;
}

static int subscribe(struct service *s)
{
	for (int i = 0; i < SERVICE_MATCHES && s->type->matches[i]; i++) {
		int result = s->connection->api.add_match_async(
			s->connection->bus, &s->matches[i], s->type->matches[i],
			i == 0	 ? on_owner
			: i == 1 ? on_object
				 : on_properties,
			on_match, s);

		if (result < 0)
			return result;
		s->connection->unwritten++;
	}
	return 0;
}

static void unsubscribe(struct service *s)
{
	for (int i = 0; i < SERVICE_MATCHES && s->matches[i]; i++) {
		s->connection->api.slot_unref(s->matches[i]);
		s->matches[i] = NULL;
		s->connection->unwritten++;
	}
	s->match_error = 0;
}

/* ---- for the connection -------------------------------------------- */

void system_bus_service_start(struct service *s)
{
	int result = s->matches[0] ? 0 : subscribe(s);

	if (result >= 0)
		result = ask(s);
	if (result < 0)
		s->connection->error = -result;
}

void system_bus_service_stop(struct service *s)
{
	forget(s);
	unsubscribe(s);
}

void system_bus_service_work(struct service *s)
{
	int error = s->match_error;

	if (error) {
		unsubscribe(s);
		refuse(s, error);
	}
	if (!s->deadline || system_bus_service_now() < s->deadline)
		return;
	if (s->is_asked)
		refuse(s, ETIMEDOUT);
	else
		system_bus_service_start(s);
}
