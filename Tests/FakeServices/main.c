/* SPDX-License-Identifier: MIT */
/*
 * A service with the name and the objects of ModemManager or NetworkManager:
 *
 *	FakeServices ADDRESS ModemManager|NetworkManager
 *
 * It reads one command per line from its standard input, and answers each with
 * "ok" once it has written the messages:
 *
 *	own | disown		takes or releases the name of the service
 *	answer WHAT		how to answer calls: all, nothing, or the error
 *				org.freedesktop.DBus.Error.WHAT
 *	forge WHAT		sends a signal from another connection to the
 *				connections :1.0 to :1.9: one of the service,
 *				or that the service is gone (owner)
 *
 * The other commands are those of modem_manager.c and network_manager.c.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

struct sdbus_service api;
sd_bus *bus;

static const struct fake *fake;
static const char *address;
static char answer[32] = "all";

void check(int result, const char *what)
{
	if (result >= 0)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(-result));
	exit(1);
}

void take_settings(char *line, const struct setting *settings, void *object)
{
	char *word;

	while ((word = strsep(&line, " "))) {
		const struct setting *setting = settings;
		char *value = strchr(word, '=');
		void *member;

		check(value ? 0 : -22, word);
		*value++ = '\0';
		while (setting->key && strcmp(setting->key, word) != 0)
			setting++;
		check(setting->key ? 0 : -22, word);
		member = (char *)object + setting->offset;
		if (setting->size)
			snprintf(member, setting->size, "%s", value);
		else
			*(unsigned *)member = (unsigned)strtoul(value, NULL, 0);
	}
}

void send_message(sd_bus_message *message)
{
	check(api.send(bus, message, NULL), "send");
	api.message_unref(message);
}

sd_bus_message *signal_of(const char *path, const char *interface,
			  const char *member)
{
	sd_bus_message *message;

	check(api.new_signal(bus, &message, path, interface, member), member);
	return message;
}

void append_interface(sd_bus_message *message, const char *interface,
		      append_properties *append, const void *object)
{
	check(api.open_container(message, 'e', "sa{sv}"), interface);
	check(api.append(message, "s", interface), interface);
	append(message, object);
	check(api.close_container(message), interface);
}

void send_properties(const char *path, const char *interface,
		     append_properties *append, const void *object)
{
	sd_bus_message *message =
		signal_of(path, PROPERTY, "PropertiesChanged");

	check(api.append(message, "s", interface), interface);
	append(message, object);
	check(api.append(message, "as", 0), interface);
	send_message(message);
}

static int on_message(sd_bus_message *call, void *context, void *error)
{
	const char *member = api.get_member(call);
	sd_bus_message *reply;

	(void)context;
	(void)error;
	if (!member || (strcmp(member, "GetManagedObjects") != 0 &&
			strcmp(member, "GetAll") != 0))
		return 0;
	if (strcmp(answer, "all") == 0) {
		fake->answer(call, member, api.get_path(call));
	} else if (strcmp(answer, "nothing") != 0) {
		char name[64];

		snprintf(name, sizeof(name), "org.freedesktop.DBus.Error.%s",
			 answer);
		check(api.new_method_errorf(call, &reply, name, "no"), name);
		send_message(reply);
	}
	return 1;
}

static sd_bus *connect_to_bus(void)
{
	sd_bus *new;

	check(api.new(&new), "bus");
	check(api.set_address(new, address), "address");
	check(api.set_bus_client(new, 1), "client");
	check(api.start(new), "start");
	return new;
}

static sd_bus_message *forged(const char *what)
{
	sd_bus_message *message = fake->forged(what);

	if (message)
		return message;
	message = signal_of("/org/freedesktop/DBus", "org.freedesktop.DBus",
			    "NameOwnerChanged");
	check(api.append(message, "sss", fake->name, ":1.0", ""), what);
	return message;
}

static void forge_command(int number, char *rest)
{
	sd_bus *own = bus;

	(void)number;
	bus = connect_to_bus();
	for (int i = 0; i < 10; i++) {
		sd_bus_message *message = forged(rest);
		char name[16];

		snprintf(name, sizeof(name), ":1.%d", i);
		check(api.send_to(bus, message, name, NULL), name);
		api.message_unref(message);
	}
	/* The bus answers after it has passed on the signals above. */
	check(api.request_name(bus, "org.example.Forger", 0), "forge");
	api.flush_close_unref(bus);
	bus = own;
}

static void own_command(int number, char *rest)
{
	(void)number;
	(void)rest;
	/* A predecessor may still own the name: SD_BUS_NAME_QUEUE. */
	check(api.request_name(bus, fake->name, UINT64_C(1) << 2), "own");
}

static void disown_command(int number, char *rest)
{
	(void)number;
	(void)rest;
	check(api.release_name(bus, fake->name), "disown");
}

static void answer_command(int number, char *rest)
{
	(void)number;
	snprintf(answer, sizeof(answer), "%s", rest);
}

static const struct command COMMANDS[] = {
	{ "own", own_command },
	{ "disown", disown_command },
	{ "answer", answer_command },
	{ "forge", forge_command },
	{ NULL, NULL },
};

static const struct command *find(const struct command *commands,
				  const char *name)
{
	while (commands->name && strcmp(commands->name, name) != 0)
		commands++;
	return commands->name ? commands : NULL;
}

static void obey(char *line)
{
	char *name = strsep(&line, " ");
	int number = line && line[0] >= '0' && line[0] <= '9'
			     ? atoi(strsep(&line, " "))
			     : 0;
	const struct command *command = find(COMMANDS, name);

	if (!command)
		command = find(fake->commands, name);
	check(command ? 0 : -22, name);
	command->run(number, line);
	check(api.flush(bus), "flush");
	puts("ok");
	fflush(stdout);
}

int main(int argc, char *argv[])
{
	char line[8192];

	if (argc != 3)
		return 64;
	fake = strcmp(argv[2], "ModemManager") == 0 ? &fake_modem_manager
						    : &fake_network_manager;
	check(sdbus_service_load(&api), "libsystemd.so.0 (libsystemd0)");
	address = argv[1];
	bus = connect_to_bus();
	check(api.add_filter(bus, NULL, on_message, NULL), "filter");
	setvbuf(stdin, NULL, _IONBF, 0);
	for (;;) {
		struct pollfd p[2] = {
			{ .fd = 0, .events = POLLIN },
			{ .fd = api.get_fd(bus), .events = POLLIN },
		};
		int result;

		while ((result = api.process(bus, NULL)) > 0)
			;
		check(result, "process");
		poll(p, 2, -1);
		if (!p[0].revents)
			continue;
		if (!fgets(line, sizeof(line), stdin))
			return 0;
		line[strcspn(line, "\n")] = '\0';
		obey(line);
	}
}
